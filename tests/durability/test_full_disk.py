"""A disk without room, and one that may only be read: real mounts, and first a plain write that fails there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.durability.daemons import a_transcript
from tests.durability.mounts import in_a_namespace, why_not

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")]

SILENCE = [0, "", ""]


def a_project(around: Path) -> Path:
    """A repository with a session file beside it, on a disk with room."""
    subprocess.run(["git", "init", "-q", str(around / "project")], check=True)
    return a_transcript(around, "s1", "remember that we build with make wheel")


def test_a_full_disk_is_told_costs_nothing_and_is_over_when_there_is_room(tmp_path: Path) -> None:
    transcript = a_project(tmp_path)
    transcript.write_text(transcript.read_text().replace(str(tmp_path), str(tmp_path / "project"), 1))
    said = in_a_namespace(
        """
        mounted("-t", "tmpfs", "-o", "size=3m", "tmpfs")
        a_home_there()
        session = {"session_id": "s1", "cwd": str(around / "project"), "transcript_path": str(around / "s1.jsonl")}
        prompt = {"prompt": "remember that we build with make wheel"}
        with a_daemon(where):
            acknowledged = ["we count to zero"]
            said["with room"] = remember(acknowledged[0])
            said["plain"] = plainly(mount / "filler", 1 << 24)
            for n in range(400):
                text = f"we count to {n} and on " + "far " * 200
                said["full"] = remember(text)
                if said["full"]:
                    break
                acknowledged.append(text.strip())
            for n in range(5):  # a busy machine may answer too late
                said["prompt"] = hook("UserPromptSubmit", **session, **prompt, prompt_id=f"p-s{n + 1}")
                if said["prompt"][1]:
                    break
            said["end"] = hook("SessionEnd", reason="other", **session)
            said["read meanwhile"] = acknowledged[0] in texts()
            (mount / "filler").unlink()
            said["room again"] = remember("we count again")
            acknowledged.append("we count again")
            hook("SessionEnd", reason="other", **session)
            for _ in range(40):
                hook("SessionStart", source="startup", session_id="next", cwd=str(around / "project"))
                learned = Client(where).call("GET", f"/v1/memories?cwd={around / 'project'}")["memories"]
                if any("make wheel" in memory["text"] for memory in learned):
                    break
            said["learned"] = sum("make wheel" in memory["text"] for memory in learned)
        with a_daemon(where):
            there = texts()
            said["lost"] = [text for text in acknowledged if there.count(text) != 1]
            said["problems"] = Client(where).call("GET", "/v1/status")["problems"]
        """,
        tmp_path,
    )
    assert (said["with room"], said["plain"]) == ("", "ENOSPC")
    assert said["full"].startswith("store: ")
    assert "make room" in said["full"]
    code, answer, stderr = said["prompt"]
    assert (code, stderr, said["end"]) == (0, "", SILENCE)
    assert "we count to zero" in answer, "what is known is recalled all the same"
    assert said["read meanwhile"]
    assert (said["room again"], said["learned"], said["lost"], said["problems"]) == ("", 1, [], [])


def test_a_disk_that_may_only_be_read_keeps_everything_and_disturbs_no_hook(tmp_path: Path) -> None:
    said = in_a_namespace(
        """
        mounted("-t", "tmpfs", "tmpfs")
        a_home_there()
        with a_daemon(where):
            said["writable"] = remember("we count to zero")
        mounted("-o", "remount,ro")
        said["plain"] = plainly(mount / "file", 1)
        started_there = started(where)
        said["daemon ends with"] = started_there.wait(timeout=20)
        wisen = [str(Path(sys.executable).with_name("wisen")), "list"]
        ran = subprocess.run(wisen, env=environment(where), cwd=around, capture_output=True, text=True, timeout=30)
        said["command"] = [ran.returncode != 0, ran.stderr]
        said["hooks"] = [hook(name) for name in ("SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd")]
        mounted("-o", "remount,rw")
        with a_daemon(where):
            said["there"] = texts()
            said["writable again"] = remember("we count to one")
        """,
        tmp_path,
    )
    assert (said["writable"], said["plain"]) == ("", "EROFS")
    assert said["daemon ends with"] != 0
    has_failed, stderr = said["command"]
    assert has_failed
    assert "error:" in stderr
    assert "hint:" in stderr
    assert "Traceback" not in stderr
    assert said["hooks"] == [SILENCE] * 4
    assert said["there"] == ["we count to zero"]
    assert said["writable again"] == ""
