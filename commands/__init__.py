"""The shell around the log: one verb a file; parse, call, render. Effects live in `commands.effects`."""
