"""Completion as the shell asks for it: through the environment, and in a real bash through its own script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wire import SILENCE, Recorder, a_home, http
from wisen.config import Paths

LISTING = {
    "memories": [
        {"id": f"0193a000-0000-7000-9000-0000{short}", "short": short, "graph": "user://claude-code/dev", "text": "x"}
        for short in ("3f2a91bc", "3fffffff", "9ab01c2d")
    ]
}


@pytest.fixture
def home() -> Iterator[Paths]:
    with a_home() as where:
        yield where


def completed(where: Paths, *words: str) -> list[str]:
    """Return what a shell is offered for the last word; nothing may be said on standard error."""
    ran = subprocess.run(
        [sys.executable, "-c", "from wisen.cli.main import main; main()"],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "WISEN_HOME": str(where.data_dir.parent),
            "_WISEN_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(["wisen", *words]),
            "COMP_CWORD": str(len(words)),
        },
    )
    assert ran.stderr == ""
    return [line.partition(",")[2] for line in ran.stdout.splitlines() if line]


def test_the_commands_of_a_group_with_a_default_are_offered(home: Paths) -> None:
    assert completed(home, "review", "") == ["accept", "edit", "list", "reject"]
    assert completed(home, "review", "a") == ["accept"]
    assert completed(home, "daemon", "re") == ["restart"]
    assert completed(home, "config", "") == ["edit", "get", "path", "set", "show", "unset"]


def test_the_options_of_the_default_are_offered_too(home: Paths) -> None:
    assert {"--all", "--walk", "--json"} <= set(completed(home, "review", "--"))
    assert {"--explain", "--help"} <= set(completed(home, "config", "show", "--"))


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_harnesses_are_offered(home: Paths, command: str) -> None:
    assert completed(home, command, "") == ["claude-code", "opencode"]


@pytest.mark.parametrize("command", ["get", "set", "unset"])
def test_settings_are_offered(home: Paths, command: str) -> None:
    assert completed(home, "config", command, "learn") == ["learn", "learn_headless"]


def test_the_values_of_a_yes_or_no_setting_are_offered(home: Paths) -> None:
    assert completed(home, "config", "set", "learn", "") == ["true", "false"]
    assert completed(home, "config", "set", "user_id", "") == []


@pytest.mark.parametrize(
    ("command", "statuses"),
    [
        (["show"], "all"),
        (["forget"], "active%2Cpending_review"),
        (["edit"], "active%2Cpending_review"),
        (["pin"], "active%2Cpending_review"),
        (["snooze"], "active"),
        (["unsnooze", "9ab01c2d"], "active"),
        (["restore"], "forgotten%2Csuperseded%2Carchived"),
        (["review", "accept"], "pending_review"),
        (["review", "edit"], "pending_review"),
    ],
)
def test_ids_are_offered_from_a_running_daemon(home: Paths, command: list[str], statuses: str) -> None:
    with Recorder.listening(home.socket, answer=http(json.dumps(LISTING).encode())) as daemon:
        assert completed(home, *command, "3f") == ["3f2a91bc", "3fffffff"]
    assert f"status={statuses}" in daemon.received[0].line


@pytest.mark.parametrize("command", ["undo", "log"])
def test_the_ids_of_batches_are_offered_once_each(home: Paths, command: str) -> None:
    batches = ["01a22eaf-14b2-744a-81d0-1558cddcee50"] * 2 + ["", "01a22eaf-14b2-744a-81d0-1558aaaa0000"]
    entries = {"entries": [{"seq": n, "batch": batch} for n, batch in enumerate(batches)]}
    with Recorder.listening(home.socket, answer=http(json.dumps(entries).encode())):
        assert completed(home, command, "--batch", "") == ["cddcee50", "aaaa0000"]


def test_without_a_daemon_no_id_is_offered_and_none_is_started(home: Paths) -> None:
    assert completed(home, "show", "") == []
    assert not home.lock_file.exists()


@pytest.mark.parametrize("answer", [SILENCE, b"HTTP/1.1 200 OK\r\n\r\nnonsense", http(b'{"memories": 7}')])
def test_a_daemon_that_does_not_answer_well_is_no_noise(home: Paths, answer: bytes) -> None:
    with Recorder.listening(home.socket, answer=answer):
        assert completed(home, "show", "") == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_a_real_bash_completes(home: Paths, tmp_path: Path) -> None:
    program = tmp_path / "wisen"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from wisen.cli.main import main; main()" "$@"\n')
    program.chmod(0o755)
    script = """
        source <(wisen completion bash)
        complete -p wisen
        for line in "wisen rev" "wisen review " "wisen show 9" "wisen install "; do
          IFS=' ' read -ra COMP_WORDS <<<"$line"
          [[ $line == *' ' ]] && COMP_WORDS+=('')
          COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
          _wisen_completion wisen
          echo "${COMPREPLY[*]}"
        done
    """
    with Recorder.listening(home.socket, answer=http(json.dumps(LISTING).encode())):
        ran = subprocess.run(
            ["bash", "--norc", "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "WISEN_HOME": str(home.data_dir.parent), "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        )
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == [
        "complete -o nosort -F _wisen_completion wisen",
        "review",
        "accept edit list reject",
        "9ab01c2d",
        "claude-code opencode",
    ]
