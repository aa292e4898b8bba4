"""What did the user ask to remember? The sentences an asking owns: behind it, before it, or below it.

An asking is never passed over: what does not become a rule is refused with a reason. Rather the user's whole sentence
than a mangled one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from wisen.core.signals.asking import Ask, ask_in, asked_at_the_end
from wisen.core.signals.asking_words import Form
from wisen.core.signals.cues import has
from wisen.core.signals.cues_against import QUESTION, SOMEBODY_ELSE
from wisen.core.signals.cues_not_meant import RETRACTED, THIS_SESSION
from wisen.core.signals.findings import MAX_ASKED_CHARS, Finding
from wisen.core.signals.names import tool_of_ours
from wisen.core.signals.owning import Owned, elsewhere, is_nothing, stated, without_placeholder
from wisen.core.signals.personal import is_personal
from wisen.core.signals.speech import Sentence
from wisen.core.signals.wording import (
    cleaned,
    folded,
    is_dangling,
    is_standing,
    is_tied_to_the_task,
    without_lead_in,
)
from wisen.core.types import Source

TAKEN_BACK: Final = "takes something back, which is not learned: `wisen forget` removes a memory"
THIS_SESSION_ONLY: Final = "about this session only: nothing to know in the next one"

_SHORTEST_RULE: Final = 3


def findings(parts: Sequence[Sentence]) -> tuple[Finding, ...]:
    """Return what the user asked to remember, in their own words, and what only looks like asking."""
    found: list[Finding] = []
    at = 0
    while at < len(parts):
        here = () if parts[at].dropped else tuple(_of_sentence(parts, at))
        found.extend(here)
        at = max([at + 1, *(finding.until for finding in here)])
    return tuple(found)


def _of_sentence(parts: Sequence[Sentence], at: int) -> Iterator[Finding]:
    text = parts[at].text
    if _takes_back(text):
        yield _refusal(at, TAKEN_BACK)
    elif ask := ask_in(text):
        yield from _of_ask(parts, at, ask)
    elif (rule := asked_at_the_end(text)) and not parts[at].is_question:
        yield _judged(Owned(rule=rule, first=at, until=at + 1), asking=text)


def _of_ask(parts: Sequence[Sentence], at: int, ask: Ask) -> Iterator[Finding]:
    text = parts[at].text
    rest = without_placeholder(ask.rest)
    if why := _why_no_ask(parts, at, ask, rest):
        yield _refusal(at, why)
    elif not is_nothing(rest):
        owned = stated(parts, at, ask, rest)
        if _is_polite(text) and owned.until == at + 1:
            owned = replace(owned, rule=owned.rule.rstrip(" ?？"))
        yield _judged(owned, asking=text)
    else:
        found = tuple(elsewhere(parts, at, ask))
        yield from (_judged(each, asking=text) for each in found)
        if not found:
            yield _refusal(at, "asked to remember something that this prompt does not say")


def _judged(owned: Owned, *, asking: str) -> Finding:
    head, mark, code = owned.rule.partition("\n")
    rule = cleaned(without_lead_in(head)) + mark + code
    if _takes_back(rule):
        return _refusal(owned.first, TAKEN_BACK)
    if has(THIS_SESSION, folded(asking)) or has(THIS_SESSION, folded(rule)):
        return _refusal(owned.first, THIS_SESSION_ONLY)
    if len(rule) > MAX_ASKED_CHARS:
        return _refusal(owned.first, f"longer than {MAX_ASKED_CHARS} characters: that is a document, not a rule")
    if len(rule) < _SHORTEST_RULE or is_dangling(rule):
        return _refusal(owned.first, "does not say by itself what is to be remembered")
    return Finding(
        sentence=owned.first,
        until=owned.until,
        why="asked to remember it",
        rule=rule,
        source=Source.EXPLICIT,
        strength=1.0,
        personal=is_personal(f"{asking} {rule}"),
    )


def _refusal(at: int, why: str) -> Finding:
    return Finding(sentence=at, until=at + 1, why=why)


def _takes_back(text: str) -> bool:
    return has(RETRACTED, folded(without_lead_in(text)))


# --- is it an asking? -------------------------------------------------------------------------------------------

_POLITE: Final = re.compile(r"(?:\w+,? )?(?:please|can|could|will|would)\b", re.IGNORECASE)


def _why_no_ask(parts: Sequence[Sentence], at: int, ask: Ask, rest: str) -> str:
    """Why the sentence only looks like asking; empty when it asks."""
    part = parts[at]
    is_polite = _is_polite(part.text)
    says = bool(_predicate().search(folded(rest)))
    if part.is_question and not is_polite and (has(QUESTION, folded(rest.rstrip("?"))) or not (says or _states(ask))):
        return "a question, not a request to remember"
    if rest and ask.before and has(SOMEBODY_ELSE, folded(ask.before)):
        return "somebody else's words"
    if ask.form is Form.CLAUSE and (not says or part.is_question) and not _explains(rest):
        return "talk about memory, not a request to remember"
    alone = ask.form is Form.DUTY and _is_alone(parts, at, ask)
    if ask.form in {Form.DUTY, Form.REMINDER} and not _outlives_the_task(rest, alone=alone):
        return "a reminder for the task at hand: it does not say when it applies"
    return ""


def _is_polite(text: str) -> bool:
    """Is it a question only in form ("can you remember that ...?")?"""
    return bool(_POLITE.match(text))


@cache
def _predicate() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:is|are|must|should|ha(?:s|ve) to|needs?|takes?|always|never|can(?:no|')?t|do ?n'?t|does ?n'?t|will"
        r"|means?"
        r"|lives?|goes|go|uses?|runs?|breaks?)\b"
    )


def _states(ask: Ask) -> bool:
    """Does the asking end in a mark or "that", so that a statement follows even when it ends in a question mark?"""
    return ask.asking.rstrip().endswith((":", "：", "that", "-", "–", "—"))


def _explains(rest: str) -> bool:
    """In "how we name branches: feat/x" the colon brings what is to be remembered."""
    return bool(re.search(r"(?:[:：]|\s[-–—])\s+\S|[:：]$", rest))


def _outlives_the_task(reminder: str, *, alone: bool) -> bool:
    """Does "remember to X" hold beyond this prompt: does X say when it applies, or does the prompt say nothing else?

    "don't forget to X" never counts as alone: it is a reminder for today unless it says when it applies.
    """
    is_habit = alone or is_standing(reminder) or tool_of_ours(folded(reminder)) != ""
    return is_habit and not is_tied_to_the_task(reminder)


def _is_alone(parts: Sequence[Sentence], at: int, ask: Ask) -> bool:
    spoken = sum(not part.dropped for part in parts)
    return spoken == 1 and not ask.before and not parts[at].text.lower().startswith(("and ", "also ", "but ", "then "))
