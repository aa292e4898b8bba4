from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from wisen.peer import PeerProcess, is_ours, peer_pid, peer_uid


class FakeSocket:
    """Answers with fixed credentials and keeps the question."""

    def __init__(self, *words: int) -> None:
        self.credentials = b"".join(word.to_bytes(4, sys.byteorder) for word in words)
        self.asked: list[tuple[int, int, int]] = []

    def getsockopt(self, level: int, optname: int, buflen: int, /) -> bytes:
        self.asked.append((level, optname, buflen))
        return self.credentials[:buflen]


def test_linux_answers_with_pid_uid_and_gid() -> None:
    sock = FakeSocket(4711, 1000, 100)
    assert peer_uid(sock, platform="linux") == 1000
    assert sock.asked == [(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)]


def test_macos_answers_with_an_xucred() -> None:
    sock = FakeSocket(0, 501, 1, *[20] * 16)
    assert peer_uid(sock, platform="darwin") == 501
    assert sock.asked == [(0, 1, 76)]


def test_the_kernel_says_who_we_are() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer_uid(one) == os.getuid()
        assert is_ours(one)


def test_another_user_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wisen.peer.peer_uid", lambda _: os.getuid() + 1)
    assert not is_ours(FakeSocket())


def test_the_kernel_says_which_process() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer_pid(one) == os.getpid()


def test_macos_names_the_process_by_an_option_of_its_own() -> None:
    sock = FakeSocket(4711)
    assert peer_pid(sock, platform="darwin") == 4711
    assert sock.asked == [(0, 2, 4)]


@pytest.mark.parametrize("is_held", [True, False], ids=["held by the kernel", "known by its number"])
def test_a_process_is_signalled_and_seen_to_end(is_held: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_held:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    with subprocess.Popen(["/bin/sleep", "60"]) as child:
        process = PeerProcess(FakeSocket(child.pid, os.getuid(), 0))
        assert not process.has_ended()
        process.send(signal.SIGTERM)
        deadline = time.monotonic() + 10
        while not process.has_ended():
            assert time.monotonic() < deadline
        assert child.wait() == -signal.SIGTERM
        process.send(signal.SIGKILL)
        assert process.has_ended()
        process.close()
        process.close()


def test_a_process_of_another_container_has_no_number_and_is_not_signalled() -> None:
    """The kernel says 0 then, and a signal to 0 would reach our own group."""
    process = PeerProcess(FakeSocket(0, os.getuid(), 0))
    process.send(signal.SIGKILL)
    process.close()
