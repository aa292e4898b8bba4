"""Which words of a rule say why it holds, and which how to follow it? The rule stays in the user's own words.

A rule is cut only where the sentence itself does: at a word that brings a reason, at a dash before one, or at words
that bring the way to do it. What to do instead ("don't edit it, change the template") is the rule, not the way.
What would leave no rule ("because the ci can't") is not cut, and neither is a question.

A verdict on what somebody else wrote ("option 1 doesn't work", "the first part is not correct") is no rule: it points
at words that are gone. What stands behind it is: its reason, or what is so instead.
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

_SHORTEST_STATEMENT: Final = 20
"""In Latin letters: what takes a rule's place says more than a reason has to."""

_MARKS: Final = " ,;:—–-、，。."


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A rule with its reason and how to apply it, each in the user's words; what the sentence lacks is empty."""

    rule: str
    why: str = ""
    how_to_apply: str = ""


def reasoned(text: str) -> Reasoned:
    """Return the parts of a rule; of one that has several lines, and of a question, nothing is cut."""
    if "\n" in text or text.rstrip().endswith(("?", "？", "؟")):
        return Reasoned(rule=text)
    text = _without_verdict(_without_brackets(text))
    why, rule = _led_by_a_reason(text)
    rule, how = _cut(rule, _ways())
    if not why:
        rule, why = _cut(rule, _whys())
    if how and not why:
        how, why = _cut(how, _whys())
    if why and is_verdict(rule):
        return Reasoned(rule=why if _can_stand(why) else text, how_to_apply=how if _can_stand(why) else "")
    return Reasoned(rule=rule, why=why, how_to_apply=how)


def _without_brackets(text: str) -> str:
    """Return what stands between brackets around all of it."""
    inner = text.strip()[1:-1]
    is_enclosed = text.strip()[:1] + text.strip()[-1:] in {"()", "（）"}
    return (
        inner.strip() if is_enclosed and not set("()（）") & set(inner) and substance(inner) >= _SHORTEST_RULE else text
    )


def is_verdict(text: str) -> bool:
    """Is it nothing but a verdict on something that stands elsewhere?"""
    found = _verdict().match(text)
    return found is not None and not text[found.end() :].strip(f"{_MARKS}!")


def only_judges(text: str) -> bool:
    """Is a verdict on something that stands elsewhere all it says, maybe with a reason that leans on it too?"""
    rule = reasoned(text).rule
    return is_verdict(rule) or is_verdict(_cut(rule, _whys())[0])


def _without_verdict(text: str) -> str:
    """Return what stands behind a verdict and a mark ("that's wrong, the port is 8080"); all of it without one."""
    found = _verdict().match(text)
    rest = text[found.end() :] if found else ""
    is_parted = bool(rest) and rest.lstrip()[:1] in ",;:.—–-" and rest.strip(_MARKS) != ""
    return rest.strip(_MARKS) if is_parted and _can_stand(rest.strip(_MARKS)) else text


def _can_stand(text: str) -> bool:
    """Does a part say by itself what it is about?"""
    return substance(text) >= _SHORTEST_STATEMENT and not _leans().match(text)


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
def _verdict() -> re.Pattern[str]:
    subject = (
        r"(?:(?:this|that|it|those|these|both|none)"
        r"(?: (?:one|approach|idea|way|solution|option|plan|change|fix))?|your \w+"
        r"|(?:the )?(?:first|second|third|last|other|former|latter)(?: (?:one|part|point|option"
        r"|approach|idea|half|bit))?"
        r"|(?:option|approach|idea|variant|solution|point|item|number|step|#) ?(?:\d|[a-e]|one|two|three)\b)"
    )
    verdict = (
        r"(?: is|['’]s| was| are| were|)(?: \w+ly| just| also)? ?(?:not|n['’]t"
        r"|never) (?:\w+ly )?(?:correct|right|true"
        r"|accurate|so|the case|it|ok|okay|possible|needed|necessary|enough|good|great|an option)"
        r"|(?: is|['’]s| are| was)(?: \w+ly| just)? (?:wrong|incorrect|false|bad|broken|fine|good|ok"
        r"|okay|better|correct|right)"
        r"|(?: do(?:es)?n['’]t| do(?:es)? not| won['’]t| will not| can['’]?t| cannot) (?:work|help"
        r"|apply|fit|make sense)"
        r"|(?: works?| makes sense)"
    )
    return re.compile(rf"{subject}(?:{verdict})\b", re.IGNORECASE)


@cache
def _leans() -> re.Pattern[str]:
    """What only goes on from something else."""
    return re.compile(
        r"(?:and|or|but|so|then|it|it['’]s|this|that|that['’]s|they|he|she|those|these|to|which)\b", re.IGNORECASE
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
