"""Pure folds of the log: one view a module, each a state, its handlers and what is shown of it.

`policies` holds the decisions. Nothing here touches the world.
"""
