"""The protocol's own programs against the real server: its conformance suite, and the client of its SDK."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import CHECKOUT
from tests.e2e.home import Home
from tests.hosts import free_port

TIMEOUT_S = 120


@pytest.fixture(scope="session")
def commands() -> Path:
    """The directory of the protocol's pinned commands, installed when it is not there yet."""
    script = [sys.executable, str(CHECKOUT / "scripts" / "harness.py"), "mcp"]
    done = subprocess.run(script, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


class Serving:
    """A daemon that serves MCP over HTTP, too."""

    def __init__(self, home: Home, port: int) -> None:
        self.home = home
        self.port = port
        self.repo = home.repo("shop", "https://github.com/acme/shop.git")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def bearer(self) -> str:
        return f"Bearer {(self.home.state / 'mcp-token-claude-code').read_text().strip()}"


@pytest.fixture
def serving(home: Home) -> Serving:
    serving = Serving(home, free_port())
    home.must("config", "set", "mcp_port", str(serving.port))
    home.must("daemon", "start")
    home.must("remember", "the parser lives in packages/parser", cwd=serving.repo)
    return serving


@pytest.fixture
def let_in(serving: Serving) -> Iterator[str]:
    """The address of a door that adds the token, which the suite can't be told of; all else passes as it is."""

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Keep the test output clean."""

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            inside = http.client.HTTPConnection("127.0.0.1", serving.port, timeout=TIMEOUT_S)
            kept = {k: v for k, v in self.headers.items() if k.lower() not in {"connection", "content-length"}}
            inside.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in {**kept, "authorization": serving.bearer, "content-length": str(len(body))}.items():
                inside.putheader(name, value)
            inside.endheaders(body)
            with closing(inside):
                answer = inside.getresponse()
                content = answer.read()
            self.send_response(answer.status)
            self.send_header("content-type", answer.getheader("content-type", "text/plain"))
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET = do_DELETE = _pass  # noqa: N815 - as the base class looks for them

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """The suite may hang up: its right."""

    server = Server(("127.0.0.1", 0), Door)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    server.shutdown()
    server.server_close()


# The other scenarios ask for tools of the suite's own names, and for resources and prompts, which are not offered.
@pytest.mark.parametrize("scenario", ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"])
def test_the_conformance_suite_finds_no_fault(commands: Path, let_in: str, home: Home, scenario: str) -> None:
    argv = [str(commands / "conformance"), "server", "--url", let_in, "--scenario", scenario]
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, cwd=home.root, env=home.env
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 failed" in done.stdout


def inspect(commands: Path, serving: Serving, *args: str) -> Any:
    """Ask with the inspector, which is a client made with the protocol's SDK, and return the answer."""
    argv = [str(commands / "mcp-inspector"), "--cli", *args]
    env = {**serving.home.env, "npm_config_offline": "true"}
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, cwd=serving.repo, env=env
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


RECALL = ("--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=where does the parser live?")


@pytest.mark.row("N7")
def test_the_sdks_client_is_served_over_standard_input_and_output(commands: Path, serving: Serving) -> None:
    relay = (*serving.home.command, "mcp")
    listed = inspect(commands, serving, *relay, "--method", "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == ["recall", "remember", "forget", "why", "status"]
    told = inspect(commands, serving, *relay, *RECALL)
    assert "packages/parser" in told["structuredContent"]["block"]


def test_the_sdks_client_is_served_over_http(commands: Path, serving: Serving) -> None:
    place = ("--header", f"Authorization: {serving.bearer}", "--header", f"x-wisen-cwd: {serving.repo}")
    told = inspect(commands, serving, serving.url, *RECALL, *place)
    assert "packages/parser" in told["structuredContent"]["block"]
    assert told["isError"] is False


def test_the_daemon_listens_nowhere_by_default(home: Home) -> None:
    home.must("daemon", "start")
    assert home.daemon().net_connections("inet") == []


def test_it_listens_on_this_machine_alone(serving: Serving) -> None:
    (listening,) = serving.home.daemon().net_connections("inet")
    assert (listening.laddr.ip, listening.laddr.port) == ("127.0.0.1", serving.port)
