"""Tests of the MCP server; most speak to a real process by the SDK's own client."""
