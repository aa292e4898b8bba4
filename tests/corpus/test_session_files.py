"""Real sessions told by their hooks and by their files: the same events, under the same keys, with the same content."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from tests.corpus.test_replay_sessions import events_of, sessions

from wisen.adapters.claude_file import read
from wisen.core.records import ReadMark
from wisen.evals.replay import payloads

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(300)]

KEYED = {"user_prompt", "pre_tool", "post_tool"}


def test_what_the_hooks_of_real_sessions_tell_is_in_their_files(tmp_path: Path) -> None:
    """Prompts without an id have no key that both share; the files hold some that no hook tells."""
    figures: Counter[str] = Counter()
    for packed in sessions():
        path = tmp_path / packed.name.removesuffix(".gz")
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        live = {
            event.event_id: event.body
            for number, call in enumerate(payloads(path))
            for event in events_of(call, f"{number:032x}")
            if event.name in KEYED and not event.event_id.startswith("delivery:")
        }
        filed = {
            event.event_id: event.body
            for event in read(str(path), ReadMark(), assume_interactive=True, known=(), redact=str)
        }
        assert {key: filed.get(key) for key in live} == live, packed.name
        figures += Counter(sessions=1, live=len(live), filed=len(filed))
    print(dict(figures))
    assert figures["live"] > 1000
