"""`kill -9` while a past session is read, between any two steps: the next run ends as one that was left alone."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.durability.daemons import a_daemon, broken, started, wait_for
from tests.pastfiles import ran, user, write
from tests.wire import a_home

from wisen.client import Client
from wisen.config import Paths
from wisen.errors import WisenError

pytestmark = pytest.mark.slow

GONE = "/gone/away/widgets"
URL = "https://github.com/acme/widgets"

KILLED_AT = """
import os, signal
from {module} import {owner}
real, calls = {owner}.{name}, 0
def killed(self, *args, **more):
    global calls
    calls += 1
    if calls == {call} and not {after}:
        os.kill(os.getpid(), signal.SIGKILL)
    done = real(self, *args, **more)
    if calls == {call}:
        os.kill(os.getpid(), signal.SIGKILL)
    return done
{owner}.{name} = killed
"""


def sessions(folder: Path) -> list[Path]:
    tools = [line | {"cwd": GONE} for number in range(5) for line in ran("ls", "x", number, call=f"t{number}")]
    said = [user("remember that we deploy with make ship", 20, cwd=GONE), user("thanks", 21, cwd=GONE)]
    later = [line | {"sessionId": "s2"} for line in (user("remember that the host is otter", 30, cwd=GONE),)]
    return [write(folder, "s1", *tools, *said), write(folder, "s2", *later)]


def learn(where: Paths, files: list[Path]) -> list[dict[str, Any]]:
    batch, answers = "", []
    for file in files:
        body = {"file": str(file), "session_id": file.stem, "cwd": GONE, "repo": URL, "batch": batch}
        answers.append(Client(where).call("POST", "/v1/learn", body, timeout_s=30))
        batch = answers[-1]["batch"]
    return answers


def held(where: Paths) -> list[tuple[str, str, int]]:
    graph = "repo://claude-code/github.com/acme/widgets"
    memories = Client(where).call("GET", f"/v1/memories?graph={graph}&status=all")["memories"]
    return sorted((one["text"], one["status"], one["support"]) for one in memories)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, int]]:
    """What a run that nobody disturbs leaves."""
    with a_home() as where, a_daemon(where):
        learn(where, sessions(tmp_path_factory.mktemp("files")))
        return held(where)


@pytest.mark.parametrize(
    ("owner", "name", "call", "after"),
    [
        ("capture.Capture", "capture", 1, False),
        ("capture.Capture", "capture", 7, True),
        ("capture.Capture", "capture", 12, True),
        ("promote.Promote", "promote", 1, False),
        ("promote.Promote", "_store", 1, True),
        ("promote.Promote", "promote", 1, True),
        ("capture.Capture", "note_transcript", 1, False),
        ("capture.Capture", "note_transcript", 1, True),
    ],
)
def test_a_run_that_was_killed_is_taken_up_and_ends_as_one_that_was_not(
    tmp_path: Path, expected: list[tuple[str, str, int]], owner: str, name: str, call: int, after: bool
) -> None:
    files = sessions(tmp_path / "files")
    module, _, kind = owner.partition(".")
    script = KILLED_AT.format(module=f"wisen.engine.{module}", owner=kind, name=name, call=call, after=after)
    with a_home() as where:
        with started(where, broken(script)) as process:
            wait_for(where, process)
            with suppress(WisenError):
                learn(where, files)
            assert process.wait(10) == -9
        with a_daemon(where):
            learn(where, files)
            assert held(where) == expected
            assert [answer["fate"] for answer in learn(where, files)] == ["known", "known"]
            assert held(where) == expected
    assert [text for text, _, _ in expected] == ["the host is otter", "we deploy with make ship"]
