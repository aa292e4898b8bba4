"""What of a session is worth remembering. The default is nothing: a bad memory does more harm than a missing one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, assert_never

from wisen.core.lifecycle import rule_key
from wisen.core.signals import explicit, failure_delta, stated_decision, stated_rule
from wisen.core.signals.findings import Finding
from wisen.core.signals.halves import HALF, is_half
from wisen.core.signals.objection import is_objection
from wisen.core.signals.sentences import sentences
from wisen.core.signals.setting import Setting
from wisen.core.signals.speech import Sentence
from wisen.core.types import Candidate, Event, EventRef, GraphId, Origin, PromptChannel, Signal, Tier, UserPrompt

READERS: Final[tuple[Callable[[Sequence[Sentence], Setting], Sequence[Finding]], ...]] = (
    lambda parts, _: explicit.findings(parts),
    stated_rule.findings,
    stated_decision.findings,
)
"""The ways to notice something in a prompt, surest first: a sentence belongs to the first one that takes it."""

WITHHELD: Final = "a secret or a private span was taken out of it: what is left is not learned"


OBJECTION: Final = "an objection: it says what is wrong, and nothing to know later"


def holds_withheld(text: str) -> bool:
    """Tell whether redaction took something out of a text (the placeholders are `redact`'s)."""
    return "[redacted:" in text or "[private]" in text


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of one sentence of a prompt, and why in words."""

    sentence: str
    reason: str
    signal: Signal | None = None

    @property
    def emitted(self) -> bool:
        """Did the sentence become something that may be remembered?"""
        return self.signal is not None and self.signal.tier is not Tier.NOTICE


def signals_of(event: Event, *, setting: Setting | None = None) -> tuple[Signal, ...]:
    """Return what one event gives to remember. Only the user's own prompts do; a subagent's are not the user's.

    `setting` is what is known of the moment beyond the event itself.
    """
    return tuple(verdict.signal for verdict in explain(event, setting=setting) if verdict.signal)


def explain(event: Event, *, setting: Setting | None = None) -> tuple[Verdict, ...]:
    """Return a verdict on every sentence of a user's prompt, in order; nothing for any other event."""
    body = event.body
    if not isinstance(body, UserPrompt) or event.agent_id:
        return ()
    parts = sentences(body.text)
    setting = replace(setting or Setting(), is_refusal=body.channel is PromptChannel.REFUSAL)
    taken, refused = _read(parts, setting)
    verdicts: list[Verdict] = []
    at = 0
    while at < len(parts):
        found = taken.get(at) or _noticed(at, parts[at])
        until = found.until if found else at + 1
        text = " ".join(part.text for part in parts[at:until])
        reason = found.why if found else parts[at].dropped or refused.get(at, "nothing in it states a rule")
        verdicts.append(Verdict(sentence=text, reason=reason, signal=_signal(event, body, found) if found else None))
        at = until
    return tuple(verdicts)


def session_signals(events: Iterable[Event]) -> Iterator[Signal]:
    """Yield what the events of one session, in the order of their times, give together."""
    for signal in failure_delta.recipes(events):
        if not any(holds_withheld(text) for text in (signal.title, signal.rule, signal.how_to_apply)):
            yield signal


def candidates(graph: GraphId, signals: Sequence[Signal], branch: str) -> tuple[Candidate, ...]:
    """Return what goes on to a job: one candidate a rule, in the order stated, with the evidence of all repetitions.

    Wordings that differ in dress only (`lifecycle.rule_key`) are one rule.
    """
    best: dict[str, Signal] = {}
    for signal in signals:
        if signal.rule.strip() and signal.tier is not Tier.NOTICE:
            key = rule_key(signal.rule)
            best[key] = _joined(best[key], signal) if key in best else signal
    return tuple(Candidate(graph=graph, signal=signal, branch=branch) for signal in best.values())


def _read(parts: Sequence[Sentence], setting: Setting) -> tuple[Mapping[int, Finding], Mapping[int, str]]:
    """The findings that hold, by first sentence and never overlapping, and the reasons why the others don't."""
    taken: dict[int, Finding] = {}
    covered: set[int] = set()
    refused: dict[int, str] = {}
    for reader in READERS:
        for finding in reader(parts, setting):
            span = set(range(finding.sentence, finding.until))
            why = finding.why
            if holds_withheld(finding.rule):
                why = WITHHELD
            elif is_half(finding.rule, parts, finding.until, is_withheld=holds_withheld):
                why = HALF
            if not finding.rule or why in {WITHHELD, HALF}:
                refused.setdefault(finding.sentence, why)
            elif covered.isdisjoint(span):
                taken[finding.sentence] = finding
                covered |= span
    return taken, refused


def _noticed(at: int, part: Sentence) -> Finding | None:
    """Return a finding on a sentence that only says what is wrong."""
    if not is_objection(part) or holds_withheld(part.text):
        return None
    return Finding(sentence=at, until=at + 1, why=OBJECTION, rule=part.text, tier=Tier.NOTICE)


def _signal(event: Event, prompt: UserPrompt, finding: Finding) -> Signal:
    quote = EventRef(event_id=event.event_id, session_id=event.session_id, at=event.at, quote=finding.rule)
    return Signal(
        source=finding.source,
        origin=_origin(prompt.channel),
        session_id=event.session_id,
        at=event.at,
        evidence=(quote,),
        strength=finding.strength,
        rule=finding.rule,
        personal=finding.personal,
        tier=finding.tier,
        kind=finding.kind,
        category=finding.category,
    )


def _origin(channel: PromptChannel) -> Origin:
    match channel:
        case PromptChannel.TYPED | PromptChannel.REFUSAL:
            return Origin.USER_TYPED
        case PromptChannel.HEADLESS:
            return Origin.HEADLESS_PROMPT
        case _:
            assert_never(channel)


def _joined(first: Signal, again: Signal) -> Signal:
    """The stronger of two signals for one rule, the first when equal, with the evidence of both."""
    strong, weak = (again, first) if again.strength > first.strength else (first, again)
    known = {ref.event_id for ref in strong.evidence}
    evidence = (*strong.evidence, *(ref for ref in weak.evidence if ref.event_id not in known))
    return replace(strong, evidence=evidence, personal=strong.personal or weak.personal)
