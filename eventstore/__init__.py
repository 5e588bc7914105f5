"""The log: event types, lines, chain, lock, stores and snapshots; `formats` holds foreign formats.

Imports none of the other packages.
"""
