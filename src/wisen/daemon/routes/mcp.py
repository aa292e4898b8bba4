"""The Model Context Protocol for the relay that a harness runs (`wisen mcp`): one message in, its answer out."""

from __future__ import annotations

from wisen.daemon.routes.call import Call, Handler, Reply
from wisen.errors import Refused
from wisen.install import taken_out


def receive(call: Call) -> Reply:
    """Answer one JSON-RPC message; 204 for one that takes no answer. What it does, it does as an agent.

    Raises Refused for a session that was open when wisen was taken out of its harness, as its hooks are not heard.
    """
    harness = call.headers.get("x-wisen-harness", "")
    if taken_out.is_noted(call.wisen.paths, harness):
        raise Refused(f"wisen was taken out of {harness}", hint=f"`wisen install {harness}` puts it in again")
    from wisen.daemon import mcp, mcp_tools  # noqa: PLC0415 - a daemon that nobody asks over MCP does without

    answer = mcp.answer(call.raw, mcp_tools.Toolbox(call))
    return Reply(status=204) if answer is None else Reply(raw=answer)


ROUTES: list[tuple[str, str, Handler]] = [("POST", "/v1/mcp", receive)]
