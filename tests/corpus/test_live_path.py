"""Real sessions through the real path: hook process, socket, daemon, files. Prints what came of them, to be read.

The sessions are other people's public work: nothing of them is kept here, and the figures are all that is asserted.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.data import shared

from wisen.client import Client
from wisen.config import Paths, paths
from wisen.evals.replay import payloads
from wisen.install import claude_code

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(900)]

SESSIONS = 10
MAX_PER_REPO = 3
MAX_CALLS = 700
MAX_PEAK_RSS_MB = 150


def chosen(folder: Path) -> list[Path]:
    """Return ten Claude Code sessions: those in which people talked most, at most three of a repository.

    Very long ones are left aside for the time they take, not for what is in them.
    """
    ranked: list[tuple[int, str, Path]] = []
    for file in folder.glob("*/raw/*.jsonl.gz"):
        names = Counter(call.event_name for call in payloads(file))
        if names.total() <= MAX_CALLS:
            ranked.append((-names["UserPromptSubmit"], file.name, file))
    picked: list[Path] = []
    for _, _, file in sorted(ranked):
        of_repo = [other for other in picked if other.parent == file.parent]
        if len(of_repo) < MAX_PER_REPO and len(picked) < SESSIONS:
            picked.append(file)
    return picked


@pytest.fixture
def home(tmp_path: Path) -> Iterator[tuple[Paths, dict[str, str]]]:
    env = {"WISEN_HOME": str(tmp_path / "wisen"), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    where = paths(env)
    yield where, env
    Client(where).call("POST", "/v1/shutdown")


def a_clone(path: Path, name: str) -> str:
    """Make a repository that is nobody's: each corpus repository gets one of its own."""
    path.mkdir()
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    who = ["-c", "user.name=Example", "-c", "user.email=example@example.invalid"]
    for command in (
        ["init", "-q"],
        ["remote", "add", "origin", f"https://example.invalid/acme/{name}.git"],
        [*who, "commit", "-q", "--allow-empty", "-m", name],
    ):
        subprocess.run(["git", *command], cwd=path, env=env, check=True, capture_output=True)
    return str(path)


def registered_command(where: Paths, env: dict[str, str]) -> str:
    """Install as a user would, and return the command that Claude Code would run."""
    claude_code.apply(claude_code.plan(env, where))
    settings = json.loads((Path(env["HOME"]) / ".claude" / "settings.json").read_text())
    command: str = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    return command


def test_ten_real_sessions_pass_through_the_live_path(
    home: tuple[Paths, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, env = home
    monkeypatch.setattr(os, "environ", {**os.environ, **env})
    command = registered_command(where, env)
    clones: dict[str, str] = {}
    seen: Counter[str] = Counter()
    injected: list[tuple[str, int]] = []
    for transcript in chosen(shared("corpus")):
        repo = transcript.parent.parent.name
        if repo not in clones:
            clones[repo] = a_clone(tmp_path / f"clone-{len(clones)}", f"repo-{len(clones)}")
        cwd = clones[repo]
        for call in payloads(transcript, cwd=cwd, transcript_path=""):
            done = subprocess.run(
                ["sh", "-c", command],
                input=call.body,
                env=env | {"CLAUDE_CODE_ENTRYPOINT": call.entrypoint},
                capture_output=True,
                timeout=10,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, b"")
            seen[call.event_name] += 1
            if done.stdout:
                injected.append((call.event_name, len(done.stdout)))
    report(Client(where), clones, seen, injected)
    status = Client(where).call("GET", "/v1/status")
    assert status["peak_rss_mb"] < MAX_PEAK_RSS_MB
    assert status["jobs"]["failed"] == 0
    assert status["counters"].get("bad_payloads", 0) == 0
    assert status["sessions"] == SESSIONS
    assert sum(seen.values()) > 300


def report(client: Client, clones: dict[str, str], seen: Counter[str], injected: list[tuple[str, int]]) -> None:
    status = client.call("GET", "/v1/status")
    print(f"\nhook calls: {dict(seen)}")
    print(f"blocks given: {len(injected)}, {Counter(name for name, _ in injected)}, largest {max_size(injected)}")
    print(f"daemon: peak {status['peak_rss_mb']} MB, counters {status['counters']}, jobs {status['jobs']}")
    for name, cwd in clones.items():
        memories: list[dict[str, Any]] = client.call("GET", f"/v1/memories?cwd={cwd}&status=all")["memories"]
        print(f"\n{name}: {len(memories)} memories")
        for memory in memories:
            print(f"  {memory['status']:15} {memory['source']:11} x{memory['support']} {memory['text'][:220]}")


def max_size(injected: list[tuple[str, int]]) -> int:
    return max((size for _, size in injected), default=0)
