"""Which words of a rule say why it holds, and which how to follow it? The rule stays in the user's own words.

A rule is cut only where the sentence itself does: at a word that brings a reason, at a dash before one, or at words
that bring the way to do it. What to do instead ("don't edit it, change the template") is the rule, not the way.
What would leave no rule ("because the ci can't") is not cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from wisen.core.scripts import substance

_SHORTEST_RULE: Final = 6
"""In Latin letters: what is left is a rule, not a stump."""

_SHORTEST_REASON: Final = 6
_MARKS: Final = " ,;:—–-、，。."


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A rule with its reason and how to apply it, each in the user's words; what the sentence lacks is empty."""

    rule: str
    why: str = ""
    how_to_apply: str = ""


def reasoned(text: str) -> Reasoned:
    """Return the parts of a rule; of one that has several lines nothing is cut."""
    if "\n" in text:
        return Reasoned(rule=text)
    why, rule = _led_by_a_reason(text)
    rule, how = _cut(rule, _ways())
    if not why:
        rule, why = _cut(rule, _whys())
    if how and not why:
        how, why = _cut(how, _whys())
    return Reasoned(rule=rule, why=why, how_to_apply=how)


def _cut(text: str, patterns: Sequence[re.Pattern[str]]) -> tuple[str, str]:
    """Return what stands before the first cut that leaves a rule, and what the cut brings; else the text and ''."""
    found = (hit for pattern in patterns for hit in pattern.finditer(text))
    for hit in sorted(found, key=lambda hit: hit.start()):
        head, tail = text[: hit.start()].rstrip(_MARKS), text[hit.end() :].strip().rstrip(".。!！)")
        is_code = text[: hit.start()].count("`") % 2
        is_rule = substance(head) >= _SHORTEST_RULE and not _is_open(head)
        if is_rule and not is_code and substance(tail) >= _SHORTEST_REASON:
            return head, tail
    return text, ""


def _led_by_a_reason(text: str) -> tuple[str, str]:
    """Return the reason that a sentence begins with ("because the ci is slow, ...") and the rest; else '' and all."""
    hit = _leading().match(text)
    if hit is None or substance(text[hit.end() :]) < _SHORTEST_RULE:
        return "", text
    return (hit["why"] or hit["why_zh"]).strip(_MARKS), text[hit.end() :].strip()


def _is_open(head: str) -> bool:
    """Is a bracket still open, or does the head end in a word that wants another one ("only because")?"""
    if head.count("(") > head.count(")"):
        return True
    return bool(re.search(r"\b(?:only|just|not|but|and|or|nur|nicht|solo|sólo|pas|non|не)$", head.lower()))


_BECAUSE: Final = (
    r"because(?! of\b)|since(?= (?:it|we|the|they|this|that|our|there|you|i)\b)|as(?= it\b)",
    r"the reason (?:is|being)(?: that)?|that['’]s because",
    r"weil|denn(?= (?:es|sie|wir|die|das|der|sonst)\b)",
    r"porque|ya que|puesto que|já que",
    r"parce qu(?:e\b|['’])|car(?= (?:il|elle|le|la|les|on|nous|ça|c['’]est)\b)",
    r"perch[ée]|poich[ée]",
    r"потому что|так как|поскольку",
    r"bởi vì|vì(?= )",
)
_OR_ELSE: Final = (
    r"so that|otherwise|or else|to avoid|in order (?:not )?to",
    r"damit(?= (?:es|sie|wir|die|das|der)\b)|sonst|ansonsten",
    r"si no,|de lo contrario|para que|sinon|afin qu(?:e\b|['’])|altrimenti|in modo che|senão|caso contrário",
    r"чтобы|иначе|nếu không thì",
)
"""They belong to the reason: "otherwise the cache is stale", "to avoid flaky runs"."""


@cache
def _whys() -> tuple[re.Pattern[str], ...]:
    verbs = (
        r"can['’]?t|cannot|can not|breaks?|fails?|does ?n['’]?t|does not|do ?n['’]?t|wo ?n['’]?t|is|are|was"
        r"|were|will|needs?"
        r"|times? out|hangs?|crash(?:es)?|takes?|rejects?|chokes?|has|have|gets?"
    )
    subject = r"(?:the|it|they|we|our|that|this|ci|else|otherwise)"
    start = r"(?:[,;.:]?\s+[(—–-]?\s?)\b"
    return (
        re.compile(rf"{start}(?:{'|'.join(_BECAUSE)})(?!\w)[,:]?\s*", re.IGNORECASE),
        re.compile(rf"{start}(?=(?:{'|'.join(_OR_ELSE)})(?!\w))", re.IGNORECASE),
        re.compile(rf"\s+(?:[—–]|--?)\s+(?={subject}\b[^—–]{{2,80}}\b(?:{verbs})\b)", re.IGNORECASE),
        re.compile(r"[，,、。;；]?\s*(?:因为|因為)[，,]?\s*|[，,、。;；]\s*(?=否则|不然|以免)"),
        re.compile(r"[、。，,]\s*なぜなら[、,]?\s*|[、。，,]\s*(?=そうしないと|でないと|さもないと)"),
        re.compile(r"[,.]\s*왜냐하면\s*|[,.]\s*(?=그렇지 않으면|안 그러면)"),
    )


@cache
def _ways() -> tuple[re.Pattern[str], ...]:
    return (
        re.compile(
            r"[.;—–]\s+(?:how(?: to apply)?: |to do (?:so|that|this),? |that means:? |in practice,? |for"
            r" that,? "
            r"|dazu: |das heißt:? |es decir,? |para eso,? |c['’]est-à-dire,? |pour cela,? |cioè,? |per"
            r" farlo,? |ou seja,? "
            r"|то есть,? |для этого,? |tức là,? )",
            re.IGNORECASE,
        ),
        re.compile(r"[。；;]\s*(?:具体来说|也就是说|つまり|具体的には|즉)[，、,:：]?\s*"),
    )


@cache
def _leading() -> re.Pattern[str]:
    return re.compile(
        r"(?:because(?! of\b)|since(?= (?:it|we|the|our|there)\b)|weil|da(?= (?:es|sie|wir|die|das|der)\b)"
        r"|como(?= \w+ no\b)"
        r"|comme(?= (?:le|la|les|il|on)\b)|poiché|так как|поскольку|vì)\s+(?P<why>[^,.;\n]{6,120}), "
        r"|因[为為](?P<why_zh>[^，,。\n]{3,60})[，,](?:所以)?",
        re.IGNORECASE,
    )
