"""What `wisen learn` makes of real session files, and what playing them through their hooks makes of them: the same.

The texts stay where they are; only figures are printed.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.corpus.data import shared

from wisen.config import paths
from wisen.core import past
from wisen.core.types import Memory
from wisen.evals.rehearsal import rehearsal
from wisen.evals.replaying import replay
from wisen.transcripts.claude_past import look

# The whole of the largest repository is played by hand: it takes minutes.
REPOSITORY = "jcleira+entire-local"

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(300)]


def standing(memories: Iterable[Memory]) -> Counter[tuple[str, str, int]]:
    return Counter((memory.text, memory.status.value, memory.support) for memory in memories)


def learned(folder: Path, home: Path) -> tuple[int, Counter[tuple[str, str, int]]]:
    """Learn from a repository's files, placed where Claude Code would have them; return events and memories."""
    project = home / ".claude" / "projects" / "-r"
    project.mkdir(parents=True)
    for packed in (folder / "raw").glob("*.jsonl.gz"):
        (project / packed.name.removesuffix(".gz")).write_bytes(gzip.decompress(packed.read_bytes()))
    sessions = past.in_order([session for path in sorted(project.iterdir()) if (session := look(path))])
    env = {"HOME": str(home), "WISEN_HOME": str(home / "wisen"), "USER": "dev"}
    events, memories = 0, {}
    with rehearsal(paths(env), env, harness="claude-code") as learn:
        for session in sessions:
            done = learn(
                session, past.neighbours(session, sessions), f"https://github.com/{REPOSITORY.replace('+', '/')}"
            )
            events += done.events
            memories.update({memory.memory_id: memory for memory in (*done.added, *done.reinforced)})
    return events, standing(memories.values())


def test_the_hooks_of_real_sessions_teach_what_their_files_teach(tmp_path: Path) -> None:
    folder = shared("corpus", REPOSITORY)
    events, memories = learned(folder, tmp_path)
    done = replay(folder, raw=True, is_past=True)
    print(f"\n{len(done.sessions)} sessions, {events} events, {memories.total()} memories")
    assert events > 1_000
    assert sum(one.events for one in done.sessions) == events
    assert standing(done.memories) == memories
