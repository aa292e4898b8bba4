"""A daemon whose disk fails for a while: commands are told, hooks notice nothing, and all is there when it is over."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.durability.daemons import a_daemon, a_prompt_line, broken
from tests.durability.mounts import ROOT
from tests.wire import a_home, a_payload, run_hook

from wisen.client import Client
from wisen.config import Paths
from wisen.errors import StoreError

pytestmark = pytest.mark.slow

FAILING = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
import apsw
from tests.durability.watched import Watch, watched
switch = Path({switch!r})
def fault(what, path):
    said = switch.read_text() if switch.exists() else ""
    return {{"EIO": apsw.IOError, "ENOSPC": apsw.FullError}}[said](said) if said else None
disk = watched(Watch(fault=fault))
disk.__enter__()
"""
TYPED = {"CLAUDE_CODE_ENTRYPOINT": "cli"}


def remember(where: Paths, text: str) -> str:
    memory = Client(where).call("POST", "/v1/memories", {"text": text, "everywhere": True})["memory"]
    return str(memory["text"])


def learned(where: Paths, project: Path) -> list[str]:
    """Start a session, which waits a little for what was said in others, and return what is known there."""
    start = a_payload("SessionStart", source="startup", session_id="next", cwd=str(project))
    run_hook(where, start)
    found = Client(where).call("GET", f"/v1/memories?cwd={project}")["memories"]
    return [memory["text"] for memory in found]


@pytest.mark.parametrize(("error", "hint"), [("EIO", "the disk reported an error"), ("ENOSPC", "make room")])
def test_a_disk_that_fails_for_a_while_costs_a_daemon_nothing(tmp_path: Path, error: str, hint: str) -> None:
    project, switch = tmp_path / "project", tmp_path / "switch"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    transcript = tmp_path / "s1.jsonl"
    text = "remember that we build with make wheel"
    transcript.write_text(a_prompt_line("s1", text, "p1", project))
    session = {"session_id": "s1", "cwd": str(project), "transcript_path": str(transcript)}
    with a_home() as where:
        with a_daemon(where, broken(FAILING.format(root=str(ROOT), switch=str(switch)))):
            remember(where, "we count to one")
            switch.write_text(error)
            for _ in range(3):
                with pytest.raises(StoreError) as told:
                    remember(where, "we count to two")
                assert hint in told.value.hint
            runs = [
                run_hook(where, a_payload("UserPromptSubmit", prompt=text, prompt_id="p1", **session), env=TYPED),
                run_hook(where, a_payload("SessionEnd", reason="other", **session), env=TYPED),
            ]
            assert {(run.code, run.stderr) for run in runs} == {(0, b"")}
            switch.unlink()
            remember(where, "we count to three")
            for _ in range(40):
                if any("make wheel" in known for known in learned(where, project)):
                    break
        with a_daemon(where):
            there = learned(where, project)
            assert sorted(there) == ["we build with make wheel", "we count to one", "we count to three"]
            assert Client(where).call("GET", "/v1/status")["problems"] == []
