"""MCP over HTTP: who is let in, and what the headers have to say."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.asgi import Answer, call
from tests.daemon.test_mcp import ENVELOPE
from tests.worlds import World

from wisen.config import Settings
from wisen.daemon import mcp
from wisen.daemon.app import App, build_app
from wisen.daemon.in_force import Fixed
from wisen.daemon.mcp_http import Endpoint, McpHttp, token_file, tokens

TOKEN = "t" * 43
GOOD = {
    "host": "127.0.0.1:7777",
    "authorization": f"Bearer {TOKEN}",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}
MODERN = {"mcp-protocol-version": "2026-07-28"}


@pytest.fixture
def app() -> Iterator[App]:
    app = build_app(Fixed(World().wisen), on_shutdown=lambda: None)
    yield app
    app.close()


@pytest.fixture
def endpoint(app: App) -> Endpoint:
    return Endpoint(app.services, {TOKEN: "claude-code"})


def message(method: str = "ping", params: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method} | ({} if params is None else {"params": params})


def post(endpoint: Endpoint, said: object = None, *, without: str = "", **headers: str) -> Answer:
    given = GOOD | {name.replace("_", "-"): value for name, value in headers.items()}
    given.pop(without, None)
    raw = said if isinstance(said, bytes) else json.dumps(message() if said is None else said).encode()
    return call(endpoint.asgi, "POST", "/mcp", raw=raw, headers=given)


def code(answer: Answer) -> int:
    found: int = answer.json["error"]["code"]
    return found


# --- who is let in ----------------------------------------------------------------------------------------------


def test_who_has_the_token_is_answered(endpoint: Endpoint) -> None:
    answer = post(endpoint)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json == {"jsonrpc": "2.0", "id": 7, "result": {}}


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        "Bearer wrong",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer \xff",
    ],
)
def test_who_has_not_is_told_how_to_ask(endpoint: Endpoint, said: str) -> None:
    for answer in (post(endpoint, authorization=said), post(endpoint, without="authorization")):
        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1", "", "[::1"]
)
def test_a_name_that_is_not_this_machines_is_turned_away(endpoint: Endpoint, host: str) -> None:
    assert post(endpoint, host=host).status == 403


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://127.0.0.1.evil.example", "null", "", "http://[", "file://"]
)
def test_a_page_of_elsewhere_is_turned_away(endpoint: Endpoint, origin: str) -> None:
    assert post(endpoint, origin=origin).status == 403


@pytest.mark.parametrize("origin", ["http://localhost:6274", "http://127.0.0.1", "http://[::1]:80"])
def test_a_page_of_this_machine_is_let_in_with_the_token_alone(endpoint: Endpoint, origin: str) -> None:
    assert post(endpoint, origin=origin).status == 200
    assert post(endpoint, origin=origin, without="authorization").status == 401


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_stream_and_no_session_to_end(endpoint: Endpoint, method: str) -> None:
    answer = call(endpoint.asgi, method, "/mcp", headers=GOOD)
    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("path", ["/", "/v1/status", "/v1/export", "/v1/shutdown", "/v1/mcp", "/mcp/"])
def test_nothing_else_of_the_daemon_is_there(endpoint: Endpoint, path: str) -> None:
    assert call(endpoint.asgi, "POST", path, message(), headers=GOOD).status in {307, 404}


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_page_can_send_without_asking_is_not_taken(endpoint: Endpoint, kind: str) -> None:
    assert post(endpoint, content_type=kind).status == 415


def test_a_body_that_is_too_long_is_not_read(endpoint: Endpoint) -> None:
    assert post(endpoint, b"x" * (mcp.LONGEST_MESSAGE + 1)).status == 413


# --- what is said -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b"[]", b"7", b"[" * 100_000])
def test_what_is_no_message_is_a_bad_request(endpoint: Endpoint, raw: bytes) -> None:
    assert post(endpoint, raw).status == 400


def test_what_takes_no_answer_is_accepted(endpoint: Endpoint) -> None:
    answer = post(endpoint, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize("version", mcp.HANDSHAKE)
def test_a_version_with_a_handshake_may_be_named(endpoint: Endpoint, version: str) -> None:
    assert post(endpoint, mcp_protocol_version=version).status == 200


def test_one_that_is_not_served_is_refused(endpoint: Endpoint) -> None:
    answer = post(endpoint, mcp_protocol_version="1900-01-01")
    assert (answer.status, code(answer)) == (400, -32022)
    opening = message("initialize", {"protocolVersion": "1900-01-01"})
    assert post(endpoint, opening, mcp_protocol_version="1900-01-01").status == 200


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("tools/list", {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/list"}, 200),
        ("tools/list", {"mcp_method": "tools/list"}, 400),
        ("tools/list", {"mcp_protocol_version": "2025-11-25", "mcp_method": "tools/list"}, 400),
        ("tools/list", {"mcp_protocol_version": "2026-07-28"}, 400),
        ("tools/list", {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}, 400),
        ("nope", {"mcp_protocol_version": "2026-07-28", "mcp_method": "nope"}, 404),
    ],
)
def test_the_headers_say_what_the_message_says(
    endpoint: Endpoint, method: str, headers: dict[str, str], status: int
) -> None:
    answer = post(endpoint, message(method, {"_meta": ENVELOPE}), **headers)
    assert answer.status == status
    if status == 400:
        assert code(answer) == -32020


def test_a_tool_is_named_in_the_headers_too(endpoint: Endpoint) -> None:
    said = message("tools/call", {"name": "status", "_meta": ENVELOPE})
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}
    assert post(endpoint, said, **headers, mcp_name="status").json["result"]["isError"] is False
    assert code(post(endpoint, said, **headers, mcp_name="recall")) == -32020
    assert code(post(endpoint, said, **headers)) == -32020


def test_a_header_of_the_new_era_alone_does_not_make_a_message_of_it(endpoint: Endpoint) -> None:
    answer = post(endpoint, message("tools/list"), mcp_protocol_version="2026-07-28", mcp_method="tools/list")
    assert (answer.status, code(answer)) == (400, -32020)


def test_the_place_is_the_clients_to_name_and_the_harness_is_the_tokens(endpoint: Endpoint) -> None:
    said = message("tools/call", {"name": "status"})
    found = post(endpoint, said, x_wisen_cwd="/repo", x_wisen_harness="other").json["result"]["structuredContent"]
    assert found["repository"] == "repo://claude-code/github.com/acme/widgets"
    assert post(endpoint, said).json["result"]["structuredContent"]["repository"] == ""


# --- the token and the listener ---------------------------------------------------------------------------------


def test_a_token_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    first = tokens(tmp_path)
    assert set(first.values()) == {"claude-code"}
    assert tokens(tmp_path) == first
    file = token_file(tmp_path, "claude-code")
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text("short\n")
    assert tokens(tmp_path) != first


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_it_listens_on_this_machine_alone_and_stops(app: App, tmp_path: Path) -> None:
    listener = McpHttp()
    listener.start(app.services, 0, tmp_path)
    assert listener.trouble == ""
    (token,) = tokens(tmp_path)
    connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=10)
    connection.request("POST", "/mcp", json.dumps(message()), {**GOOD, "authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["id"]) == (200, 7)
    connection.close()
    listener.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", listener.port), timeout=10)


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_port_that_is_taken_is_told_and_the_daemon_does_without(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        world = World(Settings(user_id="dev", mcp_port=taken.getsockname()[1]), home=str(tmp_path))
        world.wisen.paths.state_dir.mkdir(parents=True)
        app = build_app(Fixed(world.wisen), on_shutdown=lambda: None)
        (problem,) = call(app.asgi, "GET", "/v1/troubles").json["troubles"]
        assert problem["what"].startswith("MCP over HTTP is not served on 127.0.0.1:")
        app.close()


def test_by_default_there_is_none(app: App) -> None:
    assert app.mcp_http is None
