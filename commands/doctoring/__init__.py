"""`ar doctor`: what was observed, and what is to be said of it. Pure; `commands.effects.examining` looks."""
