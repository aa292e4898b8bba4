from __future__ import annotations

import os
import socket
import sys

import pytest

from wisen.peer import is_ours, peer_uid


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
