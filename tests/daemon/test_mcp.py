"""The Model Context Protocol over the daemon's application: what every message is answered with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.daemon.asgi import Answer, call
from tests.worlds import World

from wisen import __version__
from wisen.daemon import mcp
from wisen.daemon.app import App, build_app
from wisen.daemon.in_force import Fixed

ENVELOPE = {mcp.VERSION_KEY: "2026-07-28", mcp.CAPABILITIES_KEY: {}}


@dataclass
class Server:
    """The MCP route as the relay calls it."""

    app: App

    def post(self, raw: bytes, **headers: str) -> Answer:
        place = {"x-wisen-cwd": "/repo", "x-wisen-harness": "claude-code"}
        return call(self.app.asgi, "POST", "/v1/mcp", raw=raw, headers={**place, **headers})

    def ask(self, method: str, params: object = None, **headers: str) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 7, "method": method} | ({} if params is None else {"params": params})
        answer = self.post(json.dumps(message).encode(), **headers)
        found: dict[str, Any] = answer.json
        assert (answer.status, found["jsonrpc"], found["id"]) == (200, "2.0", 7)
        return found

    def result(self, method: str, params: object = None, **headers: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ask(method, params, **headers)["result"]
        return found

    def code(self, method: str, params: object = None) -> int:
        code: int = self.ask(method, params)["error"]["code"]
        return code


@pytest.fixture
def server() -> Iterator[Server]:
    app = build_app(Fixed(World().wisen), on_shutdown=lambda: None)
    yield Server(app)
    app.close()


# --- the opening of a session -----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", mcp.HANDSHAKE)
def test_a_version_that_is_known_is_agreed_on(server: Server, version: str) -> None:
    result = server.result("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {}})
    assert result["protocolVersion"] == version
    assert result["serverInfo"] == {"name": "wisen", "title": "wisen", "version": __version__}
    assert result["capabilities"] == {"tools": {}}


@pytest.mark.parametrize("version", ["2099-01-01", "2026-07-28", ""])
def test_for_one_that_is_not_the_newest_with_a_handshake_is_offered(server: Server, version: str) -> None:
    assert server.result("initialize", {"protocolVersion": version})["protocolVersion"] == "2025-11-25"


def test_one_that_asks_without_a_handshake_learns_the_same_by_discovery(server: Server) -> None:
    result = server.result("server/discover", {"_meta": ENVELOPE})
    assert (result["supportedVersions"], result["resultType"]) == (["2026-07-28"], "complete")
    assert result["capabilities"] == {"tools": {}}
    assert result["_meta"][mcp.SERVER_KEY]["version"] == __version__
    assert (result["ttlMs"], result["cacheScope"]) == (300_000, "private")


def test_a_version_in_the_envelope_that_is_not_served_is_refused_with_those_that_are(server: Server) -> None:
    error = server.ask("tools/list", {"_meta": {**ENVELOPE, mcp.VERSION_KEY: "1900-01-01"}})["error"]
    assert error["code"] == -32022
    assert error["data"]["requested"] == "1900-01-01"
    assert set(error["data"]["supported"]) == {*mcp.MODERN, *mcp.HANDSHAKE}


@pytest.mark.parametrize("lost", sorted(ENVELOPE))
def test_an_envelope_that_is_not_whole_is_refused(server: Server, lost: str) -> None:
    meta = {key: value for key, value in ENVELOPE.items() if key != lost}
    assert server.code("server/discover", {"_meta": meta}) == -32602
    assert server.code("server/discover", {"_meta": {**meta, lost: 1}}) == -32602


def test_both_eras_are_served_side_by_side(server: Server) -> None:
    old = server.result("tools/list")
    new = server.result("tools/list", {"_meta": ENVELOPE})
    assert old["tools"] == new["tools"]
    assert "resultType" not in old
    assert new["resultType"] == "complete"


def test_a_ping_is_answered_where_there_are_pings(server: Server) -> None:
    assert server.result("ping") == {}
    assert server.code("ping", {"_meta": ENVELOPE}) == -32601


# --- what is wrong with a message -------------------------------------------------------------------------------

MESSAGE = {"jsonrpc": "2.0", "id": 7, "method": "ping"}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"jsonrpc":"2.0","id":7,"method":"\xff"}',
        b'{"jsonrpc":"2.0","id":7,"method":"\\ud800"}',
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":7,"method":"ping"} {}',
        b"NaN",
    ],
)
def test_what_is_no_json_is_a_parse_error(server: Server, raw: bytes) -> None:
    answer = server.post(raw).json
    assert (answer["error"]["code"], answer["id"]) == (-32700, None)


@pytest.mark.parametrize(
    "message",
    [
        [],
        [MESSAGE],
        [MESSAGE] * 100,
        "ping",
        7,
        None,
        {},
        {**MESSAGE, "jsonrpc": "1.0"},
        {"id": 7, "method": "ping"},
        {**MESSAGE, "id": None},
        {**MESSAGE, "id": True},
        {**MESSAGE, "id": 1.5},
        {**MESSAGE, "id": 2**70},
        {**MESSAGE, "id": {}},
    ],
)
def test_what_is_no_message_is_an_invalid_request(server: Server, message: object) -> None:
    answer = server.post(json.dumps(message).encode()).json
    assert (answer["error"]["code"], answer["id"]) == (-32600, None)


@pytest.mark.parametrize("method", [None, 7, {}, []])
def test_a_method_that_is_no_text_is_told_by_the_id(server: Server, method: object) -> None:
    answer = server.post(json.dumps({**MESSAGE, "method": method}).encode()).json
    assert (answer["error"]["code"], answer["id"]) == (-32600, 7)


def test_a_message_that_is_too_long_is_refused(server: Server) -> None:
    long = {**MESSAGE, "params": {"x": "y" * mcp.LONGEST_MESSAGE}}
    assert server.post(json.dumps(long).encode()).json["error"]["code"] == -32600


@pytest.mark.parametrize("message_id", ["", "a\nb", "7", 0, -1, 2**53])
def test_an_id_comes_back_as_it_was(server: Server, message_id: object) -> None:
    answer = server.post(json.dumps({**MESSAGE, "id": message_id}).encode())
    assert answer.json["id"] == message_id
    assert b"\n" not in answer.body


@pytest.mark.parametrize(
    "method", ["nope", "resources/list", "prompts/list", "logging/setLevel", "subscriptions/listen"]
)
@pytest.mark.parametrize("meta", [{}, ENVELOPE])
def test_an_unknown_method_is_told_as_such(server: Server, method: str, meta: dict[str, object]) -> None:
    assert server.code(method, {"_meta": meta}) == -32601


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialize", {}),
        ("initialize", {"protocolVersion": 3}),
        ("ping", []),
        ("ping", "x"),
        ("ping", {"_meta": 1}),
        ("tools/list", {"cursor": "x"}),
        ("tools/list", {"cursor": 1}),
        ("tools/call", {}),
        ("tools/call", {"name": 7}),
        ("tools/call", {"name": ["recall"]}),
        ("tools/call", {"name": "nope"}),
        ("tools/call", {"name": "Recall"}),
        ("tools/call", {"name": "recall", "arguments": []}),
        ("tools/call", {"name": "recall", "arguments": "query"}),
        ("tools/call", {"name": "recall", "arguments": None}),
    ],
)
def test_params_that_do_not_fit_are_told_as_such(server: Server, method: str, params: object) -> None:
    assert server.code(method, params) == -32602


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "remember", "arguments": {"text": "Obey."}}},
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        {"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}},
    ],
)
def test_what_asks_nothing_is_answered_nothing_and_does_nothing(server: Server, message: object) -> None:
    answer = server.post(json.dumps(message).encode())
    assert (answer.status, answer.body) == (204, b"")
    assert call(server.app.asgi, "GET", "/v1/review", query={"cwd": "/repo"}).json["memories"] == []


def test_a_fault_of_wisen_is_told_by_the_id_and_without_its_words(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise RuntimeError("the canary sings")

    monkeypatch.setattr("wisen.daemon.mcp_tools.Toolbox.listed", broken)
    error = server.ask("tools/list")["error"]
    assert error["code"] == -32603
    assert "canary" not in error["message"]
