"""A recall counts as shown when the hook says that it is out: over a real socket, with clients that die on the way."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.wire import a_home, a_payload, run_hook
from tests.worlds import World

from wisen import __version__
from wisen.config import Paths
from wisen.core.recalls import RecallTrigger
from wisen.daemon.app import build_app
from wisen.daemon.ear import Ear
from wisen.daemon.in_force import Fixed
from wisen.daemon.routes.call import Services
from wisen.daemon.server import serve
from wisen.daemon.stop import Stop

RULE = "We use pnpm here, not npm."
WORD = b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A daemon over fakes, that listens where the hooks of a home look for it."""

    where: Paths
    world: World
    services: Services

    def connect(self) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(10)
        sock.connect(os.fspath(self.where.socket))
        return sock

    def starts(self) -> int:
        """How many session-start blocks are on record as shown."""
        return sum(receipt.trigger is RecallTrigger.SESSION_START for receipt in self.world.control.receipts())

    def is_settled(self) -> bool:
        """Whether nothing is on its way to anyone; waits for that."""
        deadline = time.monotonic() + 5
        while self.world.wisen.recall._held and time.monotonic() < deadline:
            time.sleep(0.005)
        return not self.world.wisen.recall._held


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    world, stop = World(), Stop()
    with a_home() as where, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(os.fspath(where.socket))
        listener.listen(16)
        app = build_app(Fixed(world.wisen), on_shutdown=stop.ask)
        thread = threading.Thread(target=serve, args=(listener, app.asgi), kwargs={"stop": stop})
        thread.start()
        try:
            yield Daemon(where=where, world=world, services=app.services)
        finally:
            stop.ask()
            thread.join(timeout=10)
            app.close()


def remember(daemon: Daemon) -> None:
    """Have something to say at a session start."""
    body = json.dumps({"text": RULE, "cwd": "/repo"}).encode()
    with daemon.connect() as sock:
        sock.sendall(b"POST /v1/memories HTTP/1.1\r\nhost: wisen\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        assert b"201" in sock.recv(65536).split(b"\r\n")[0]


def ask(sock: socket.socket, event: str, *, confirms: bool = True, within_s: float = 1.4, **fields: object) -> None:
    """Send an event as a hook does."""
    payload = a_payload(event, **fields)
    head = (
        f"POST /v1/hook/claude-code HTTP/1.1\r\nhost: wisen\r\nx-wisen-version: {__version__}\r\n"
        f"x-wisen-deadline: {time.monotonic() + within_s:.3f}\r\ncontent-length: {len(payload)}\r\n"
        f"{'x-wisen-confirms: printed' if confirms else 'x-nothing: 1'}\r\n\r\n"
    )
    sock.sendall(head.encode() + payload)


def answer(sock: socket.socket) -> bytes:
    """Read one whole answer."""
    data = b""
    while not (data.endswith(b"}") or b" 204 " in data):
        chunk = sock.recv(65536)
        assert chunk, data
        data += chunk
    return data


def next_prompt(daemon: Daemon) -> bytes:
    """What the prompt after that brings along. It asks nothing: what comes is what the start did not bring."""
    with daemon.connect() as sock:
        ask(sock, "UserPromptSubmit", prompt="go on", prompt_id="p-1")
        said = answer(sock)
        if b"}}" in said:
            sock.sendall(WORD)
        return said


def test_a_start_whose_hook_has_printed_it_is_not_repeated(daemon: Daemon) -> None:
    remember(daemon)
    with daemon.connect() as sock:
        ask(sock, "SessionStart", source="startup")
        assert RULE[:-1].encode() in answer(sock)
        sock.sendall(WORD)
    assert RULE[:-1].encode() not in next_prompt(daemon)
    assert daemon.is_settled()
    assert daemon.starts() == 1


@pytest.mark.row("D8")
@pytest.mark.parametrize("reads", [False, True], ids=["before it read the answer", "before it printed the answer"])
def test_a_start_whose_hook_died_comes_with_the_next_prompt(daemon: Daemon, reads: bool) -> None:
    remember(daemon)
    with daemon.connect() as sock:
        ask(sock, "SessionStart", source="startup")
        sock.recv(1, socket.MSG_PEEK)  # the answer has come
        if reads:
            answer(sock)
    assert daemon.is_settled()  # the daemon has seen that the hook is gone; a person's next prompt takes longer
    assert RULE[:-1].encode() in next_prompt(daemon)
    assert RULE[:-1].encode() not in next_prompt(daemon)
    assert daemon.is_settled()
    assert daemon.world.control.counters()["unprinted_recalls"] == 1


def test_a_hook_that_says_nothing_and_stays_is_waited_for_until_its_deadline(daemon: Daemon) -> None:
    remember(daemon)
    with daemon.connect() as sock:
        ask(sock, "SessionStart", source="startup", within_s=0.4)
        answer(sock)
        assert daemon.is_settled()
        assert daemon.starts() == 0
    assert RULE[:-1].encode() in next_prompt(daemon)


def test_an_older_hook_gives_no_word_and_none_is_waited_for(daemon: Daemon) -> None:
    remember(daemon)
    with daemon.connect() as sock:
        ask(sock, "SessionStart", source="startup", confirms=False)
        answer(sock)
    assert daemon.is_settled()
    assert daemon.starts() == 1
    assert RULE[:-1].encode() not in next_prompt(daemon)


def test_the_real_hook_gives_its_word(daemon: Daemon) -> None:
    remember(daemon)
    run = run_hook(daemon.where, a_payload("SessionStart", source="startup"))
    assert RULE[:-1].encode() in run.stdout
    assert daemon.is_settled()
    assert daemon.starts() == 1


def test_a_connection_that_is_not_asked_for_a_word_serves_many_requests(daemon: Daemon) -> None:
    remember(daemon)
    with daemon.connect() as sock:
        for _ in range(3):
            sock.sendall(b"GET /v1/health HTTP/1.1\r\nhost: wisen\r\n\r\n")
            assert b"200 OK" in answer(sock)


# --- the ear itself -----------------------------------------------------------------------------------------------


def test_the_first_note_counts() -> None:
    ear = Ear()
    ear.hear(said=True)
    ear.hear(said=False)
    assert ear.heard(until=0)


def test_nobody_is_waited_for_beyond_the_time() -> None:
    started = time.monotonic()
    assert not Ear().heard(until=started + 0.05)
    assert not Ear().heard(until=started - 5)
    assert time.monotonic() - started < 1
