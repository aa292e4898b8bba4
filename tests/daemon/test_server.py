from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from tests.wire import a_home

from wisen.daemon import server
from wisen.daemon.server import Activity, serve
from wisen.daemon.stop import Stop

GET = b"GET / HTTP/1.1\r\nhost: wisen\r\nconnection: close\r\n\r\n"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with a_home() as where, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.bind(str(where.socket))
        sock.listen(16)
        yield sock


async def hello(_: Request) -> Response:
    return PlainTextResponse("hello")


async def hang(_: Request) -> Response:
    await asyncio.sleep(3600)
    return PlainTextResponse("never")


APP = Starlette(routes=[Route("/", hello), Route("/hang", hang)])


def test_a_request_of_our_own_user_is_answered(listener: socket.socket) -> None:
    with serving(listener):
        assert ask(listener).endswith(b"\r\n\r\nhello")


def test_a_request_that_was_made_before_the_application_was_there_is_answered(listener: socket.socket) -> None:
    with connected(listener) as early:
        early.sendall(GET)
        with serving(listener):
            assert answer_on(early).endswith(b"hello")


@pytest.mark.fault("B25")
def test_a_stranger_is_hung_up_on(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server, "is_ours", lambda _: False)
    with serving(listener):
        assert ask(listener) == b""
    assert [record.levelno for record in caplog.records if record.name == server.__name__] == [logging.WARNING]


def test_an_answer_says_nothing_about_the_server(listener: socket.socket) -> None:
    with serving(listener):
        head = ask(listener).split(b"\r\n\r\n")[0].decode().lower()
    assert [line.split(":")[0] for line in head.splitlines()[1:]] == ["content-length", "content-type", "connection"]


def test_requests_are_not_logged(listener: socket.socket, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), serving(listener):
        ask(listener)
    assert not [record for record in caplog.records if "GET" in record.getMessage()]


@pytest.mark.slow
def test_a_request_that_hangs_does_not_hold_up_the_end(listener: socket.socket) -> None:
    with connected(listener) as stuck:
        stuck.sendall(GET.replace(b"/ ", b"/hang "))
        with serving(listener) as run:
            ask(listener)
            run.stop.ask()
            run.thread.join(timeout=10)
            assert not run.thread.is_alive()


def test_why_it_ended_is_told(listener: socket.socket) -> None:
    assert serve(listener, APP, stop=Stop(), tick_s=0.05, idle_exit_s=0) == "idle for 0 s"


def test_a_socket_that_can_not_be_found_ends_it(listener: socket.socket) -> None:
    assert serve(listener, APP, stop=Stop(), tick_s=0.05, is_lost=lambda: "the socket is gone") == "the socket is gone"


def test_a_wish_from_before_it_served_is_heard(listener: socket.socket) -> None:
    stop = Stop()
    stop.ask()
    assert serve(listener, APP, stop=stop) == "asked to"


def test_upkeep_is_called_while_it_serves(listener: socket.socket) -> None:
    stop = Stop()
    assert serve(listener, APP, stop=stop, upkeep=stop.ask) == "asked to"


def test_nobody_waits_for_upkeep(listener: socket.socket) -> None:
    """It goes through the user's files, and there may be very many."""
    is_asked, is_busy = threading.Event(), threading.Event()

    def slow() -> None:
        is_busy.set()
        is_asked.wait(timeout=10)

    stop = Stop()
    thread = threading.Thread(target=serve, args=(listener, APP), kwargs={"stop": stop, "upkeep": slow})
    thread.start()
    try:
        assert is_busy.wait(timeout=10)
        assert ask(listener).endswith(b"hello")
    finally:
        is_asked.set()
        stop.ask()
        thread.join(timeout=10)


def test_a_running_request_is_activity(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(server.time, "monotonic", lambda: now)  # type: ignore[attr-defined]
    seen: list[float] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal now
        now += 50
        seen.append(activity.idle_s)
        raise ValueError("the app failed")

    activity = Activity(app)
    now += 7
    assert activity.idle_s == 7
    with pytest.raises(ValueError, match="the app failed"):
        asyncio.run(activity({}, None, None))  # type: ignore[arg-type]
    assert seen == [0]
    assert activity.idle_s == 0
    now += 5
    assert activity.idle_s == 5


# --- what these tests are made of ---------------------------------------------------------------------------------


class Run:
    """A server in a thread."""

    def __init__(self, listener: socket.socket) -> None:
        self.stop = Stop()
        self.thread = threading.Thread(target=serve, args=(listener, APP), kwargs={"stop": self.stop})


@contextmanager
def serving(listener: socket.socket) -> Iterator[Run]:
    run = Run(listener)
    run.thread.start()
    try:
        yield run
    finally:
        run.stop.ask()
        run.thread.join(timeout=10)


@contextmanager
def connected(listener: socket.socket) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(10)
        sock.connect(listener.getsockname())
        yield sock


def ask(listener: socket.socket) -> bytes:
    """Send a request and return the answer, empty when there was none."""
    with connected(listener) as sock:
        with suppress(BrokenPipeError):  # a stranger may be hung up on before
            sock.sendall(GET)
        return answer_on(sock)


def answer_on(sock: socket.socket) -> bytes:
    """Read until the server closes."""
    answer = b""
    with suppress(ConnectionResetError):
        while chunk := sock.recv(4096):
            answer += chunk
    return answer
