"""What came of a reading of past sessions: answers added up, and said to a person or as JSON."""

from __future__ import annotations

import resource
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from wisen.cli.screen import Screen
from wisen.cli.words import graph_name, many, size
from wisen.core.goals import said_before
from wisen.core.past import Fate, Learned, PastSession, Said
from wisen.core.shortids import short
from wisen.core.types import Memory as CoreMemory

_ACTIVE: Final = "active"
_WAITS: Final = "pending_review"
_MOST_SHOWN: Final = 10


class Made(Struct, frozen=True, kw_only=True):
    """A memory that came of a session, as it stood then."""

    short: str
    graph: str
    text: str
    title: str = ""
    status: str = _ACTIVE


class Answer(Struct, frozen=True, kw_only=True):
    """What came of one session. See `core.past.Learned`."""

    fate: str
    why: str = ""
    events: int = 0
    copies: int = 0
    signals: int = 0
    lines_skipped: int = 0
    split: dict[str, int] = {}
    added: tuple[Made, ...] = ()
    reinforced: tuple[Made, ...] = ()
    dropped: dict[str, int] = {}
    stood_in: str = ""
    later: bool = False
    batch: str = ""
    peak_rss_mb: float = 0.0


def answer_of(learned: Learned) -> Answer:
    """Return what came of one session in this process."""
    return Answer(
        fate=learned.fate.value,
        why=learned.why,
        events=learned.events,
        copies=learned.copies,
        signals=learned.signals,
        lines_skipped=learned.lines_skipped,
        split={said.value: count for said, count in learned.split.items()},
        added=tuple(map(_made, learned.added)),
        reinforced=tuple(map(_made, learned.reinforced)),
        dropped=dict(learned.dropped),
        stood_in=learned.stood_in,
        later=learned.waits,
        peak_rss_mb=_peak_rss_mb(),
    )


def _made(memory: CoreMemory) -> Made:
    return Made(
        short=memory.short_id,
        graph=str(memory.graph),
        text=memory.text,
        title=memory.title,
        status=memory.status.value,
    )


def _peak_rss_mb() -> float:
    """Return the most memory this process has held, in MB; Linux counts in KiB, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak * (1 if sys.platform == "darwin" else 1024) / 1e6, 1)


@dataclass(slots=True, kw_only=True)
class Summary:
    """The answers of a run, added up. `seconds` is how long it took."""

    is_dry: bool
    seconds: float = 0.0
    batch: str = ""
    peak_rss_mb: float = 0.0
    bytes_read: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    fates: Counter[str] = field(default_factory=Counter)
    split: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    memories: dict[tuple[str, str], Made] = field(default_factory=dict)
    gone: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)
    stood_in: Counter[str] = field(default_factory=Counter)

    def add(self, session: PastSession, answer: Answer) -> None:
        """Add what came of a session."""
        self.batch = self.batch or answer.batch
        self.peak_rss_mb = max(self.peak_rss_mb, answer.peak_rss_mb)
        self.fates[answer.fate] += 1
        for name in ("events", "copies", "signals", "lines_skipped"):
            self.counts[name] += getattr(answer, name)
        self.counts["later"] += answer.later
        self.split.update(answer.split)
        self.dropped.update(answer.dropped)
        self._add_memories(answer)
        match answer.fate:
            case Fate.READ.value:
                self.bytes_read += session.size
            case Fate.GONE.value:
                self.gone[answer.why] += 1
            case Fate.UNREADABLE.value:
                self.unreadable.append(session.path)
            case _:
                pass
        if answer.stood_in:
            self.stood_in[answer.stood_in] += 1

    def _add_memories(self, answer: Answer) -> None:
        for memory in answer.added:
            self.memories[memory.graph, memory.short] = memory
        for memory in answer.reinforced:
            key = memory.graph, memory.short
            if key in self.memories:  # as it stands now
                self.memories[key] = memory
            else:
                self.counts["known_again"] += 1

    def made(self, status: str) -> Sequence[Made]:
        """Return the new memories that stand like that."""
        return [memory for memory in self.memories.values() if memory.status == status]

    @property
    def view(self) -> dict[str, object]:
        """The same as JSON-able values."""
        return {
            "dry_run": self.is_dry,
            "sessions": {fate.value: self.fates[fate.value] for fate in Fate},
            **{name: self.counts[name] for name in ("events", "copies", "signals", "lines_skipped", "later")},
            "prompts": {said.value: self.split[said.value] for said in Said},
            "active": len(self.made(_ACTIVE)),
            "waiting": len(self.made(_WAITS)),
            "known_again": self.counts["known_again"],
            "dropped": dict(sorted(self.dropped.items())),
            "memories": [
                {name: getattr(memory, name) for name in Made.__struct_fields__} for memory in self.memories.values()
            ],
            "gone": dict(sorted(self.gone.items())),
            "stood_in": dict(sorted(self.stood_in.items())),
            "unreadable": sorted(self.unreadable),
            "batch": self.batch if self.memories else "",
            "seconds": round(self.seconds, 1),
            "peak_rss_mb": self.peak_rss_mb,
        }

    def show(self, screen: Screen) -> None:
        """Print it for a person."""
        read = many(self.fates[Fate.READ.value], "session")
        head = f"Read {read} in {self.seconds:.1f} s; most memory in use {self.peak_rss_mb:.0f} MB."
        screen.line(f"Nothing was kept. {head}" if self.is_dry else head, tone="strong")
        screen.fields(
            [
                ("read", f"{self.counts['events']:,} events, {size(self.bytes_read)}" if self.bytes_read else ""),
                ("skipped", self._skipped()),
                ("prompts", self._prompts()),
                ("noticed", self._noticed()),
                ("dropped", "; ".join(f"{count} {why}" for why, count in self.dropped.most_common())),
                ("filed", "; ".join(f"{many(n, 'session')} as {graph_name(graph)}" for graph, n in self._filed())),
            ]
        )
        self._show_trouble(screen)
        self._show_memories(screen)
        self._show_next(screen)

    def _filed(self) -> Sequence[tuple[str, int]]:
        return self.stood_in.most_common()

    def _skipped(self) -> str:
        said = [f"{self.fates[fate]} {words}" for fate, words in _SKIPPED.items() if self.fates[fate]]
        if self.counts["copies"]:
            said.append(f"{many(self.counts['copies'], 'event')} copied from another session")
        if self.counts["lines_skipped"]:
            said.append(f"{many(self.counts['lines_skipped'], 'line')} that can't be read")
        return "; ".join(said)

    def _prompts(self) -> str:
        return "; ".join(f"{self.split[said]} {words}" for said, words in _SPLIT.items() if self.split[said])

    def _noticed(self) -> str:
        if not self.counts["signals"]:
            return ""
        made = f"{len(self.made(_ACTIVE))} new memories active, {len(self.made(_WAITS))} wait for review"
        again = self.counts["known_again"]
        return f"{many(self.counts['signals'], 'signal')}: {made}" + (f", {again} known before" if again else "")

    def _show_trouble(self, screen: Screen) -> None:
        for cwd, count in self.gone.most_common(_MOST_SHOWN):
            screen.line(f"! {cwd} is gone, and nothing tells what it was ({many(count, 'session')})", tone="bad")
        if self.gone:
            screen.line("--project PATH --repo URL says which repository it was.", indent=2, tone="faint")
        for path in self.unreadable[:_MOST_SHOWN]:
            screen.line(f"! {path} can't be read", tone="bad")
        if self.counts["later"]:
            screen.line(f"{many(self.counts['later'], 'session')} wait until git has answered, and are learned then.")

    def _show_memories(self, screen: Screen) -> None:
        for status, head in ((_ACTIVE, "New memories"), (_WAITS, "Waiting for your review")):
            if found := self.made(status):
                screen.line(f"\n{head}", tone="strong")
                for memory in found:
                    title = said_before(memory.title, memory.text)
                    screen.line(f"{memory.short}  {title}{memory.text}", indent=2)

    def _show_next(self, screen: Screen) -> None:
        if self.is_dry or not self.memories:
            return
        screen.line("\nNext", tone="strong")
        if self.made(_WAITS):
            screen.line("`wisen review --all` shows what waits, and you decide.", indent=2)
        graph = next(iter(self.memories.values())).graph
        undo = f"`wisen undo --batch {short(self.batch)} --graph {graph}`"
        screen.line(f"{undo} takes all of this back.", indent=2)


_SKIPPED: Final[Mapping[str, str]] = {
    Fate.KNOWN.value: "read before",
    Fate.GONE.value: "whose directory is gone",
    Fate.STAYED_OUT.value: "where or while wisen stays out",
    Fate.EMPTY.value: "in which nothing happened",
    Fate.UNREADABLE.value: "that can't be read",
}
_SPLIT: Final[Mapping[str, str]] = {
    Said.TYPED.value: "typed",
    Said.HEADLESS.value: "from scripts",
    Said.IN_CONVERSATION.value: "unmarked, taken as typed (two or more in the session)",
    Said.ALONE.value: "unmarked, taken as a script's (alone in the session)",
    Said.BY_SYSTEM.value: "from the harness, left out",
}
