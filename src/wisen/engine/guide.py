"""What does the guide that people keep in the work tree say to what was learned? It wins, and is never stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wisen.core.guide import AGAINST_GUIDE, Match, Stance, Statement, states
from wisen.core.types import Candidate, GraphKind, Memory, MemoryKind, Tier
from wisen.engine.locate import Locator
from wisen.ports import Guides


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A memory, and what the guide says to it; None where it says nothing."""

    memory: Memory
    match: Match | None


class GuideCheck:
    """Compares rules of a repository with its guides. A directory that is gone has none."""

    def __init__(self, *, guides: Guides, locator: Locator) -> None:
        self._guides = guides
        self._locator = locator

    def judged(self, candidate: Candidate) -> tuple[Candidate | None, str]:
        """Return a candidate as it may become a memory; or none, and why.

        What the guide states is not learned anew. What contradicts it waits for the person, however sure it is.
        """
        signal = candidate.signal
        if candidate.graph.kind is not GraphKind.REPO or signal.kind is not MemoryKind.SEMANTIC:
            return candidate, ""
        match = states(self.statements(signal.cwd), signal.rule)
        if match is None:
            return candidate, ""
        if match.stance is Stance.STATES:
            return None, f"{match.place}, states it already"
        why = signal.why or f"{match.place}, says otherwise"
        return replace(candidate, signal=replace(signal, tier=Tier.SUGGEST, category=AGAINST_GUIDE, why=why)), ""

    def statements(self, cwd: str) -> Sequence[Statement]:
        """Return what the guides of a directory's work tree state; nothing while git does not say which tree it is."""
        facts = self._locator.facts(cwd)
        return () if facts.problem or not facts.top else self._guides.statements(facts.top)

    def compare(self, cwd: str, memories: Sequence[Memory]) -> tuple[Compared, ...]:
        """Return memories with what the guides of a directory's work tree say to each."""
        guide = self.statements(cwd)
        return tuple(Compared(memory=memory, match=states(guide, memory.text)) for memory in memories)
