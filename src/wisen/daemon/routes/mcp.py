"""The Model Context Protocol for the relay that a harness runs (`wisen mcp`): one message in, its answer out."""

from __future__ import annotations

from wisen.daemon.routes.call import Call, Handler, Reply


def receive(call: Call) -> Reply:
    """Answer one JSON-RPC message; 204 for one that takes no answer. What it does, it does as an agent."""
    from wisen.daemon import mcp, mcp_tools  # noqa: PLC0415 - a daemon that nobody asks over MCP does without

    answer = mcp.answer(call.raw, mcp_tools.Toolbox(call))
    return Reply(status=204) if answer is None else Reply(raw=answer)


ROUTES: list[tuple[str, str, Handler]] = [("POST", "/v1/mcp", receive)]
