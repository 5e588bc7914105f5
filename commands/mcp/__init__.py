"""`ar mcp`: the door for every agent that speaks the Model Context Protocol.

`verb` starts a server, `stdio` or `loopback` carries it, `server` is what the protocol's SDK sees of it; only
these import the SDK. `tools`, `resources` and `prompts` say what is offered. A tool does what a verb of the
command line does, called as a function (`experimenting`, `looking`, `recording`): there is one write path.
"""

from commands.mcp.verb import mcp_cmd

__all__ = ["mcp_cmd"]
