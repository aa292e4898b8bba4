"""A replay for tests, with the labels that score it: two sessions, one rule, one fact, one moment."""

from __future__ import annotations

from pathlib import Path

from tests.evals.recordings import Recording, write_rows, write_sessions

from wisen.evals.replaying import FACTS_FILE, MOMENTS_FILE, Replay, replay
from wisen.evals.silence import PROMPTS_FILE, WINDOWS_FILE

REPOSITORY = "acme/widgets"
RULE = "Remember that we use pnpm here, not npm."
ASK = "please add a new field for the customer's address to the export"


def folders(top: Path) -> tuple[Path, Path]:
    """Write the sessions and their labels; return both folders."""
    first, second, third = Recording("s1"), Recording("s2", day=1), Recording("s3", day=2)
    said = first.say(RULE)
    first.say(ASK)
    second.say(ASK)
    asked = second.say(ASK)
    third.say("remember that we deploy from the release branch only")
    third.say(ASK)
    write_sessions(top / "acme+widgets", first, second, third)
    labels = top / "labels"
    repo = {"repo": REPOSITORY}
    place = {"session": "s1", "seq": said}
    write_rows(
        labels / FACTS_FILE,
        [{**repo, "id": "F1", "strength": "full", "learnable": "user", "key_terms": ["pnpm"], "evidence": [place]}],
    )
    moment = {"type": "b", "timing": "preventive", "trigger": "user_prompt", "earlier": place}
    write_rows(
        labels / MOMENTS_FILE,
        [
            {**repo, **moment, "id": "D1", "later": {"session": "s2", "seq": 0}},
            {**repo, **moment, "id": "D2", "later": {"session": "s2", "seq": asked}},
        ],
    )
    durable = {"kind": "durable", "firm": True}
    write_rows(
        labels / PROMPTS_FILE,
        [
            {**repo, "session": "s1", "seq": said, "label": durable},
            {**repo, "session": "s2", "seq": 1, "label": {"kind": "none", "firm": True}},
            {**repo, "session": "s2", "seq": 2, "label": {"kind": "oneoff", "firm": True}},
        ],
    )
    write_rows(labels / WINDOWS_FILE, [{**repo, "session": "s2", "label": {"label": "trivial", "firm": True}}])
    return top / "acme+widgets", labels


def a_replay(top: Path) -> Replay:
    """Play the sessions and return what came of it."""
    folder, labels = folders(top)
    return replay(folder, labels=labels)
