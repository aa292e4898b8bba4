"""Why is some text no memory? Every door a sentence passes on its way, asked again; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from wisen.core.gate import Verdict, explain
from wisen.core.lifecycle import same_rule
from wisen.core.records import RepoIdentity
from wisen.core.types import Event, Memory, PromptChannel, Status, Tier, UserPrompt
from wisen.engine.inspect import Heard, Inspect
from wisen.engine.locate import Locator
from wisen.engine.promote import Promote
from wisen.engine.twins import near_of
from wisen.ports import Clock, ControlStore, GraphStores

_SESSIONS: Final = 5
"""The newest of a place, in whose prompts the text is looked for."""

_STANDS: Final = {
    Status.ACTIVE: "known already",
    Status.PENDING_REVIEW: "waits in review",
    Status.CANDIDATE: "waits in review",
    Status.FORGOTTEN: "you forgot it",
    Status.ARCHIVED: "put away in the archive",
    Status.SUPERSEDED: "something newer took its place",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What keeps one sentence from being a new memory. `memory` is the one that says it; `at`: when it was heard."""

    sentence: str
    reason: str
    is_taken: bool = False
    memory: Memory | None = None
    at: datetime | None = None
    session_id: str = ""


class WhyNot:
    """Answers for people; reads only."""

    def __init__(
        self,
        *,
        control: ControlStore,
        graphs: GraphStores,
        locator: Locator,
        promote: Promote,
        inspect: Inspect,
        clock: Clock,
    ) -> None:
        self._control = control
        self._graphs = graphs
        self._locator = locator
        self._promote = promote
        self._inspect = inspect
        self._clock = clock

    def answer(self, text: str, *, harness: str, cwd: str, identity: RepoIdentity) -> tuple[Answer, ...]:
        """Return what would become of each sentence of a text, said in a directory; heard there lately or not."""
        event = Event(
            event_id="why-not",
            delivery_id="why-not",
            harness=harness,
            session_id="why-not",
            at=self._clock.now(),
            cwd=cwd,
            body=UserPrompt(text=text, channel=PromptChannel.TYPED),
        )
        return tuple(self._answered(verdict, event, identity) for verdict in explain(event))

    def _answered(self, verdict: Verdict, event: Event, identity: RepoIdentity) -> Answer:
        heard, session_id = next(self._heard(verdict.sentence, event.harness, identity), (None, ""))
        verdict = heard.verdict if heard else verdict
        answer = Answer(
            sentence=verdict.sentence, reason=verdict.reason, at=heard.at if heard else None, session_id=session_id
        )
        if verdict.signal is None or not verdict.emitted:
            return self._known(answer, verdict.sentence, identity)
        signal = replace(verdict.signal, cwd=event.cwd, graph=identity.write)
        candidate, reason = self._promote.judge(event.harness, signal, identity)
        if candidate is None:
            return replace(answer, reason=reason)
        tier = candidate.signal.tier
        becomes = "it becomes a memory" if tier is Tier.ADOPT else "it waits in review"
        taken = replace(answer, is_taken=True, reason=f"{verdict.reason}; {becomes} when its session is promoted")
        return self._known(taken, candidate.signal.rule, replace(identity, write=candidate.graph))

    def _known(self, answer: Answer, rule: str, identity: RepoIdentity) -> Answer:
        """Return the answer with the memory that says the same, if there is one."""
        for graph in dict.fromkeys((identity.write, *identity.reads)):
            store = self._graphs.existing(graph) if graph is not None else None
            memory = near_of(store, rule) if store is not None else None
            if memory is not None:
                reason = f"{_STANDS[memory.status]} as {memory.short_id}"
                return replace(answer, memory=memory, reason=reason, is_taken=False)
        return answer

    def _heard(self, sentence: str, harness: str, identity: RepoIdentity) -> Iterator[tuple[Heard, str]]:
        """Yield where a sentence was said in the newest sessions of the place, the newest first."""
        here = (s for s in self._control.sessions(limit=500) if s.harness == harness and s.graph == identity.write)
        for session in [session for _, session in zip(range(_SESSIONS), here, strict=False)]:
            for heard in self._inspect.heard(session):
                if heard.verdict.sentence and same_rule(heard.verdict.sentence, sentence):
                    yield heard, session.session_id
