"""Did the user state a rule that outlives the task? A linear model over named features says how sure it is.

The score of a sentence is the sum of the weights (`rule_weights`) of its features (`rule_features`), in log-odds. Two
thresholds make two tiers: what is sure enough becomes active by itself, what may be a rule waits for the person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from math import exp
from typing import Final

from wisen.core.reasons import reasoned
from wisen.core.scripts import substance
from wisen.core.signals.cues_against import PASSING, QUESTION, SOMEBODY_ELSE, UNSAID
from wisen.core.signals.cues_around import PAIRED
from wisen.core.signals.cues_not_meant import A_TRIAL, DENIED, JOKE, PERMISSION, RETRACTED, SUPPOSED, THIS_SESSION
from wisen.core.signals.findings import MAX_RULE_CHARS, Finding
from wisen.core.signals.ideas_of_talk import COULD_WE, WHY_DO_YOU
from wisen.core.signals.personal import is_personal
from wisen.core.signals.rule_features import OF_THE_MOMENT, cue, features_of, for_the_rules_file
from wisen.core.signals.rule_weights import ADOPT_AT, BIAS, SUGGEST_AT, WEIGHTS
from wisen.core.signals.says_nothing import says_nothing
from wisen.core.signals.setting import Setting
from wisen.core.signals.shape import ENDS_WITH_A_COLON, OPEN_QUESTION
from wisen.core.signals.speech import Sentence, spoken_chars
from wisen.core.signals.wording import cleaned, folded, without_lead_in
from wisen.core.types import Source, Tier

LONGEST_PROMPT: Final = 900
"""Characters of speech behind which a prompt is a paste or a specification, not somebody stating a rule."""

SHORTEST_SENTENCE: Final = 8
"""In Latin letters (`substance`)."""

NEVER: Final = frozenset(
    (*(cue(family.name) for family in (A_TRIAL, DENIED, RETRACTED, SOMEBODY_ELSE, THIS_SESSION)), ENDS_WITH_A_COLON)
)
"""What no score makes up for."""

ONLY_AS_A_WISH: Final = frozenset({cue(SUPPOSED.name), OPEN_QUESTION})
"""What is a thought or a question, unless it wishes for a habit or complains of one (`WISHES`)."""

WISHES: Final = frozenset({COULD_WE.name, WHY_DO_YOU.name})

NOT_BY_ITSELF: Final = frozenset(cue(family.name) for family in (QUESTION, JOKE, PERMISSION, PASSING, UNSAID))
"""What a rule may be put as, and then waits for the person: asked, in jest, for today, or pointing at what was said."""

LEAST_SAID: Final = 0.5
"""Log-odds that the words must speak for a rule, whatever the moment: it is the words that will be remembered."""

UNKNOWN: Final = Setting()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """How much the features of a sentence speak for a rule, and the tier that gives; None when it is none."""

    features: frozenset[str]
    score: float
    tier: Tier | None


def can_be_a_rule(features: AbstractSet[str], weights: Mapping[str, float] = WEIGHTS) -> bool:
    """Do the words themselves say something of a rule, and nothing that no score makes up for?"""
    if features & NEVER or (features & ONLY_AS_A_WISH and not features & WISHES):
        return False
    return sum(max(0.0, weights.get(name, 0.0)) for name in features - OF_THE_MOMENT) >= LEAST_SAID


def judged(features: AbstractSet[str]) -> Judgement:
    """Return what the features of a sentence come to."""
    score = BIAS + sum(WEIGHTS.get(name, 0.0) for name in sorted(features))
    tier: Tier | None = None
    if score >= SUGGEST_AT and can_be_a_rule(features):
        tier = Tier.ADOPT if score >= ADOPT_AT and not features & NOT_BY_ITSELF else Tier.SUGGEST
    return Judgement(features=frozenset(features), score=score, tier=tier)


def findings(parts: Sequence[Sentence], setting: Setting = UNKNOWN) -> tuple[Finding, ...]:
    """Return a finding on every sentence of the user's: a rule, or why it is none."""
    spoken = [at for at, part in enumerate(parts) if not part.dropped]
    if spoken_chars(parts) > LONGEST_PROMPT:
        return tuple(_no(at, "part of a long text: a specification or a paste") for at in spoken)
    features = features_of(parts, setting)
    found: list[Finding] = []
    for at in spoken:
        if not found or found[-1].until <= at:
            found.append(_pair(parts, at, setting) or _with_reason(parts, _finding(at, parts[at], features[at])))
    return tuple(found)


def _finding(at: int, part: Sentence, features: AbstractSet[str]) -> Finding:
    text = for_the_rules_file(part.text) or part.text
    rule = cleaned(without_lead_in(text))
    if substance(part.text) < SHORTEST_SENTENCE or len(rule) > MAX_RULE_CHARS:
        return _no(at, "too short or too long for a rule")
    if says_nothing(folded(reasoned(rule).rule)):
        return _no(at, "an answer: it says nothing to know later")
    judgement = judged(features)
    why = in_words(judgement)
    if judgement.tier is None:
        return _no(at, why)
    return Finding(
        sentence=at,
        until=at + 1,
        why=why,
        rule=rule,
        source=Source.CORRECTION,
        strength=_strength(judgement.score),
        personal=is_personal(text),
        tier=judgement.tier,
    )


def _strength(score: float) -> float:
    """Return 0.5 to 0.9, 0.7 where a rule begins to be adopted."""
    return 0.5 + 0.4 / (1 + exp(ADOPT_AT - score))


# --- a reason in a sentence of its own --------------------------------------------------------------------------


def _with_reason(parts: Sequence[Sentence], found: Finding) -> Finding:
    """Return a finding with the sentence behind it, where that is only its reason ("Since that is the link.")."""
    at = found.until
    if not found.rule or at >= len(parts) or parts[at].dropped or parts[at].line != parts[at - 1].line:
        return found
    reason, joined = parts[at].text, f"{parts[at - 1].text} {parts[at].text}"
    if parts[at].is_question or not _only_reasons().match(reason) or len(joined) > MAX_RULE_CHARS:
        return found
    return replace(found, until=at + 1, rule=cleaned(without_lead_in(joined)))


@cache
def _only_reasons() -> re.Pattern[str]:
    return re.compile(
        r"(?:because|since|as (?:it|we|the|this|that)|so that|otherwise|or else|the reason is"
        r"|that's because|weil|denn|sonst"
        r"|porque|ya que|si no|parce que|car|sinon|perché|altrimenti|senão|потому что|иначе|vì)\b[^,]{6,160}$"
        r"|(?:因为|因為|否则|不然|なぜなら|そうしないと|왜냐하면)[^，,、]{3,80}$",
        re.IGNORECASE,
    )


# --- not this, but that -----------------------------------------------------------------------------------------


def _pair(parts: Sequence[Sentence], at: int, setting: Setting) -> Finding | None:
    """Read "never use any. use unknown" as one: what is not wanted, and in the same line what is."""
    if at + 1 >= len(parts) or parts[at + 1].line != parts[at].line or parts[at + 1].dropped:
        return None
    first, second = parts[at].text, parts[at + 1].text
    if not (_unwanted().match(folded(without_lead_in(first))) and _wanted().match(folded(second))):
        return None
    joined = replace(parts[at], text=f"{first} {second}")
    (features,) = features_of((joined,), setting)
    found = _finding(at, joined, features | {cue(PAIRED.name)})
    return replace(found, until=at + 2) if found.rule else None


@cache
def _unwanted() -> re.Pattern[str]:
    return re.compile(
        r"(?:please )?(?:never|do ?n'?t|do not|stop|avoid|no more|i (?:really )?hate|you keep \w+ing|no) \S"
    )


@cache
def _wanted() -> re.Pattern[str]:
    return re.compile(r"(?:use|it's|it is|its|prefer|we use|i use|always|instead|stop that,? (?:use|no|we)) .{2,60}$")


# --- in words ---------------------------------------------------------------------------------------------------

_MOST_WORDS: Final = 6  # of the features for, and as many against


def in_words(judgement: Judgement) -> str:
    """Say what was heard, and the score beside the thresholds.

    For example `heard: what we do, of ours; but: a question; score 0.7, suggested from 0.4, learned from 1.2`.
    """
    ranked = sorted(judgement.features, key=lambda name: (-abs(WEIGHTS.get(name, 0.0)), name))
    speak_for = _named(name for name in ranked if WEIGHTS.get(name, 0.0) > 0)
    against = _named(name for name in ranked if WEIGHTS.get(name, 0.0) < 0)
    heard = ", ".join(speak_for) or "nothing that states a rule"
    but = f"; but: {', '.join(against)}" if against else ""
    return (
        f"heard: {heard}{but}; score {judgement.score:.1f}, suggested from {SUGGEST_AT:.1f},"
        f" learned from {ADOPT_AT:.1f}"
    )


def _named(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name.removeprefix("cue: ") for name in names))[:_MOST_WORDS]


def _no(at: int, why: str) -> Finding:
    return Finding(sentence=at, until=at + 1, why=why)
