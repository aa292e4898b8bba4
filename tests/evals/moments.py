"""A small repository for tests of recall moments: two sessions that teach, one that needs it, and the labels of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.evals.recordings import Recording, write_rows, write_sessions

from wisen.evals.moment_labels import Opportunity, opportunities_of

REPO = "acme/widgets"
NO_WRAPPER = "What is scripted starts without the wrapper."
NO_DEPLOY = "Only the release machine may do that."
SHORT = "Descriptions of pull requests are short."
LIVES_IN = "The reader is defined beside its tests."
_DATES = {1: "2026-03-02", 2: "2026-03-03", 3: "2026-03-04"}


class Home:
    """The recordings, and a label file that is about them."""

    def __init__(self, folder: Path) -> None:
        self.corpus = folder
        self.labels = folder / "moments.jsonl.gz"
        self._rows: list[dict[str, Any]] = []
        one, two, three = (Recording(f"s{number}", day=number) for number in (1, 2, 3))
        wrapped = one.fail("rtk bun run test", "error: unrecognized subcommand 'bun'")
        one.run("bun run test")
        short = one.say("make the description short")
        deploy = two.fail("make deploy", "make: *** [deploy] Error 2")
        seen = two.call("Grep", {"pattern": "class RowReader"}, "src/rows.py:3:class RowReader")
        self._label("a", (1, wrapped), NO_WRAPPER, three.run("rtk bun run lint"), "rtk bun run lint")
        self._label("a", (2, deploy), NO_DEPLOY, three.run("make deploy -n"), "make deploy -n")
        self._label("b", (1, short), SHORT, three.say("write a short description"), "write a short description")
        looked = three.call("Grep", {"pattern": "RowReader"}, "src/rows.py")
        self._label("c", (2, seen), LIVES_IN, looked, "Grep RowReader")
        three.run("ls src")
        write_sessions(folder / REPO.replace("/", "+"), one, two, three)
        write_rows(self.labels, self._rows)

    @property
    def moments(self) -> tuple[Opportunity, ...]:
        return opportunities_of(self.labels)

    def _label(self, kind: str, earlier: tuple[int, int], lesson: str, seq: int, query: str) -> None:
        self._rows.append(a_label(f"D{len(self._rows) + 1}", kind, earlier, lesson, (3, seq), query))


def a_label(
    name: str, kind: str, earlier: tuple[int, int], lesson: str, later: tuple[int, int], query: str, **other: Any
) -> dict[str, Any]:
    """Return one line of a label file; places are (number of the session, line)."""
    return {
        "id": name,
        "repo": REPO,
        "set": "dev",
        "type": kind,
        "timing": "late" if kind == "b" else "preventive",
        "trigger": "user_prompt" if kind in "bd" else "pre_tool",
        "query": query,
        "lesson": lesson,
        "earlier": {**_place(*earlier), "quote": "what was said"},
        "later": _place(*later),
        **other,
    }


def _place(number: int, seq: int) -> dict[str, Any]:
    return {"session": f"s{number}", "seq": seq, "session_no": number, "date": _DATES[number]}
