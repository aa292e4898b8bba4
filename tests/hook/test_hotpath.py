from __future__ import annotations

import errno
import json
import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.wire import Recorder, a_home, hook_argv

from wisen import __version__, hotpath, spawn
from wisen.config import paths
from wisen.daemon import lifecycle
from wisen.install import manifest

JSON_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | JSON_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_TEXT | st.just("cwd"), inner, max_size=3),
    max_leaves=10,
)


def test_the_hook_has_the_package_version() -> None:
    assert __version__ == hotpath.VERSION


def test_the_hook_and_the_command_line_give_the_daemon_the_same_environment() -> None:
    assert {name.decode() for name in hotpath.KEPT} == spawn.KEPT
    assert tuple(prefix.decode() for prefix in hotpath.KEPT_PREFIXES) == spawn.KEPT_PREFIXES
    assert {name.decode(): value.decode() for name, value in hotpath.GIVEN.items()} == spawn.GIVEN


def test_fields_are_found_in_any_order() -> None:
    text = b'{ "cwd" : "/r", "x": [1, {"y": 2}], "hook_event_name":"Stop","transcript_path":"/t","session_id":"s"}'
    assert hotpath.fields(text) == {
        b"cwd": b"/r",
        b"hook_event_name": b"Stop",
        b"transcript_path": b"/t",
        b"session_id": b"s",
    }


def test_what_the_model_or_the_user_wrote_is_not_taken_for_a_field() -> None:
    said = {"cwd": "/evil", "session_id": "evil", "hook_event_name": "SessionStart", "transcript_path": "/etc/passwd"}
    payload = {
        "tool_input": said,
        "calls": [said, [said]],
        "prompt": json.dumps(said),
        "hook_event_name": "PreToolUse",
        "cwd": "/repo",
    }
    assert hotpath.fields(json.dumps(payload).encode()) == {b"hook_event_name": b"PreToolUse", b"cwd": b"/repo"}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    before=st.dictionaries(JSON_TEXT, JSON_VALUES, max_size=4),
    cwd=JSON_TEXT,
    after=st.dictionaries(JSON_TEXT, JSON_VALUES, max_size=4),
    is_ascii=st.booleans(),
)
def test_a_top_level_string_is_found_whatever_surrounds_it(
    before: dict[str, object], cwd: str, after: dict[str, object], is_ascii: bool
) -> None:
    payload = {**before, "cwd": cwd, **{name: value for name, value in after.items() if name != "cwd"}}
    payload["cwd"] = cwd
    found = hotpath.fields(json.dumps(payload, ensure_ascii=is_ascii).encode())
    assert hotpath.unescaped(found[b"cwd"]) == cwd


@given(st.binary(max_size=300))
def test_any_bytes_are_scanned_without_complaint(noise: bytes) -> None:
    assert set(hotpath.fields(noise)) <= set(hotpath.FIELDS)
    assert set(hotpath.fields(b'{"cwd":"' + noise)) <= set(hotpath.FIELDS)


@given(st.binary(max_size=60))
def test_a_literal_that_is_kept_is_sound_json(noise: bytes) -> None:
    kept = hotpath.checked(noise.replace(b'"', b""))
    assert isinstance(json.loads(b'"' + kept + b'"'), str)


@pytest.mark.parametrize(
    "literal", [b"\\", b"\\x41", b"\\u12", b"\\uzzzz", b"\\ud800", b"a\nb", b"\xff", b"a\\u0000b", b"x" * 5000]
)
def test_a_literal_that_is_not_sound_is_left_out(literal: bytes) -> None:
    assert hotpath.checked(literal) == b""


def test_surrogate_pairs_are_joined() -> None:
    assert hotpath.unescaped(b"/tmp/\\ud83d\\ude00/\\u00e9\\\\n\\/") == "/tmp/\N{GRINNING FACE}/é\\n/"


@pytest.mark.parametrize(
    ("value", "kept"),
    [(b"sdk-cli", b"sdk-cli"), (b"cli", b"cli"), (b"a\r\nx: y", b""), (b'a"b', b""), (b"", b""), (b"x" * 65, b"")],
)
def test_an_entrypoint_is_kept_only_when_it_is_plain(value: bytes, kept: bytes) -> None:
    assert hotpath.plain(value) == kept


@pytest.mark.parametrize(
    ("head", "length"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 12", 12),
        (b"HTTP/1.1 200 OK\r\na: b\r\ncontent-length:7\r\nc: d", 7),
        (b"HTTP/1.1 200 OK\r\ncontent-length: -1", hotpath.ANSWER_MAX + 1),
        (b"HTTP/1.1 200 OK\r\nx-content-length: 3", hotpath.ANSWER_MAX + 1),
    ],
)
def test_the_length_of_an_answer_is_what_its_head_says(head: bytes, length: int) -> None:
    assert hotpath.content_length(head) == length


class FakeSocket:
    """Answers with fixed credentials and keeps the question."""

    def __init__(self, credentials: bytes) -> None:
        self.credentials = credentials
        self.asked: list[tuple[int, ...]] = []

    def getsockopt(self, *question: int) -> bytes:
        self.asked.append(question)
        return self.credentials


def test_on_macos_the_peer_is_asked_for_by_its_xucred(monkeypatch: pytest.MonkeyPatch) -> None:
    xucred = (0).to_bytes(4, sys.byteorder) + (501).to_bytes(4, sys.byteorder) + bytes(68)
    sock = FakeSocket(xucred)
    monkeypatch.setattr(hotpath, "PEER", (0, 1, 76))
    assert hotpath.peer_uid(sock) == 501  # type: ignore[arg-type]
    assert sock.asked == [(0, 1, 76)]


@pytest.mark.fault("B25")
def test_nothing_is_said_to_a_stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hotpath, "peer_uid", lambda _: os.getuid() + 1)
    with (
        a_home() as where,
        Recorder.listening(where.socket) as stranger,
        pytest.raises(hotpath.Undelivered, match="another user listens"),
    ):
        hotpath.reach(hook_argv(where)[3:], {}, b"SessionStart", time.monotonic() + 5)
    assert not stranger.received


def test_a_socket_file_of_another_user_is_not_even_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_home() as where, Recorder.listening(where.socket) as stranger:
        monkeypatch.setattr(hotpath.posix, "getuid", lambda: os.geteuid() + 1)  # type: ignore[attr-defined]
        with pytest.raises(hotpath.Undelivered, match="belongs to another user"):
            hotpath.reach(hook_argv(where)[3:], {}, b"SessionStart", time.monotonic() + 5)
        monkeypatch.undo()
    assert stranger.connections == 0


@pytest.mark.parametrize(
    ("age_s", "is_started", "is_given_up"),
    [
        (None, True, False),
        (0.5, False, False),
        (5, False, True),
        (59, False, True),
        (61, True, False),
        (-9, True, False),
    ],
)
def test_a_daemon_is_started_once_a_minute_and_given_up_when_it_does_not_come(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, age_s: float | None, is_started: bool, is_given_up: bool
) -> None:
    mark = a_spool(tmp_path) / "started"
    if age_s is not None:
        mark.touch()
        os.utime(mark, (time.time() - age_s, time.time() - age_s))
    started: list[list[str]] = []
    monkeypatch.setattr(hotpath, "start_daemon", lambda argv, _env: started.append(argv))
    argv = ["hook.py", "/nowhere/s", str(mark.parent), "daemon"]
    if is_given_up:
        with pytest.raises(hotpath.Undelivered):
            hotpath.look_after(argv, {})
    else:
        hotpath.look_after(argv, {})
    assert started == ([["daemon"]] if is_started else [])
    assert not is_started or abs(time.time() - mark.stat().st_mtime) < 5


def test_without_a_spool_to_mark_it_in_the_daemon_is_started_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[list[str]] = []
    spool = a_spool(tmp_path)
    spool.rmdir()
    monkeypatch.setattr(hotpath, "start_daemon", lambda argv, _env: started.append(argv))
    hotpath.look_after(["hook.py", "/nowhere/s", str(spool), "daemon"], {})
    assert started == [["daemon"]]


def test_where_wisen_is_installed_no_more_nothing_is_started_or_marked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spool = a_spool(tmp_path)
    (tmp_path / "installed.json").unlink()
    monkeypatch.setattr(hotpath, "start_daemon", lambda *_: pytest.fail("it was started"))
    with pytest.raises(hotpath.Undelivered, match="not installed"):
        hotpath.look_after(["hook.py", "/nowhere/s", str(spool), "daemon"], {})
    assert list(spool.iterdir()) == []


def test_the_hook_knows_the_manifest_by_its_name(tmp_path: Path) -> None:
    where = paths({"WISEN_HOME": str(tmp_path)})
    assert not hotpath.is_installed(str(where.spool_dir))
    manifest.path(where).parent.mkdir()
    manifest.path(where).touch()
    assert hotpath.is_installed(str(where.spool_dir))


def test_the_daemon_takes_away_the_mark_that_the_hooks_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = a_spool(tmp_path)
    monkeypatch.setattr(hotpath, "start_daemon", lambda *_: None)
    hotpath.look_after(["hook.py", "/nowhere/s", str(spool), "daemon"], {})
    assert [file.name for file in spool.iterdir()] == [lifecycle.START_MARK]


CONTEXT = b'{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"x"}}'


@pytest.mark.parametrize(
    "answer",
    [CONTEXT, CONTEXT[:-1] + b',"systemMessage":"look"}', b'{"systemMessage":"look"}'],
    ids=["context", "both", "a word to the user"],
)
def test_an_answer_that_adds_context_or_tells_the_user_is_printed(answer: bytes) -> None:
    assert hotpath.context(answer, b"SessionStart") == answer


@pytest.mark.fault("B06")
@pytest.mark.fault("B14")
@pytest.mark.parametrize("event", [b"SessionStart", b"UserPromptSubmit", b"PreToolUse", b"PostToolUse", b"Stop", None])
def test_an_answer_is_for_the_event_that_it_names(event: bytes | None) -> None:
    """Never at a Stop, where it would make the agent go on."""
    for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"):
        answer = CONTEXT.replace(b"SessionStart", name.encode())
        if event == name.encode() and name != "Stop":
            assert hotpath.context(answer, event) == answer
        else:
            with pytest.raises(hotpath.Undelivered):
                hotpath.context(answer, event)


@given(st.binary(max_size=80) | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
def test_no_other_answer_is_printed(noise: bytes) -> None:
    with pytest.raises(hotpath.Undelivered):
        hotpath.context(noise, b"SessionStart")


@pytest.mark.fault("B01")
@given(st.dictionaries(st.sampled_from(["decision", "continue", "reason", "suppressOutput"]), JSON_VALUES, min_size=1))
def test_nothing_that_could_block_a_prompt_is_ever_printed(more: dict[str, object]) -> None:
    with pytest.raises(hotpath.Undelivered):
        hotpath.context(json.dumps({**json.loads(CONTEXT), **more}).encode(), b"SessionStart")


def test_where_the_disk_is_full_not_even_an_empty_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(hotpath.posix, "write", full)  # type: ignore[attr-defined]
    with pytest.raises(OSError, match="no room"):
        hotpath.spool(str(tmp_path), b"11%030d" % 1, b"cli", {b"hook_event_name": b"Stop"})
    assert list(tmp_path.iterdir()) == []


def test_a_full_spool_takes_no_more_until_the_daemon_looked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(hotpath, "SPOOL_MAX", 3)
    for number in range(5):
        hotpath.spool(str(tmp_path), b"11%030d" % number, b"cli", {b"hook_event_name": b"Stop"})
    assert len(list(tmp_path.glob("*.json"))) == 5, "most events don't count, because counting costs"
    for number in range(5):
        hotpath.spool(str(tmp_path), b"00%030d" % number, b"cli", {b"hook_event_name": b"Stop"})
        hotpath.spool(str(tmp_path), b"22%030d" % number, b"cli", {b"hook_event_name": b"Stop"})
    assert len(list(tmp_path.glob("*.json"))) == 5


def a_spool(state: Path) -> Path:
    """A spool in a state directory that says wisen is installed."""
    (state / "installed.json").touch()
    spool = state / "spool"
    spool.mkdir()
    return spool
