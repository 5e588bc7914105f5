"""Where programs that are not ours run: processes and their limits, hook payloads, error capture."""
