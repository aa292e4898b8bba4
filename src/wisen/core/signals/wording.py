"""The wording of one sentence: folded for matching, cleaned for keeping, pointing elsewhere, standing or not."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final


def folded(text: str) -> str:
    """Return the text as cues are matched against it: NFKC, lower case, plain quotes, single spaces."""
    plain = unicodedata.normalize("NFKC", text).lower().translate(_QUOTES)
    return " ".join(plain.split())


_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"'})


@cache
def _lead_in() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:no|nope|nein|nee|non|não|нет|不|不是|不对|いや|いいえ|違う|아니|아니요|không|yes|yeah|ok|okay"
        r"|sure|wrong|so|but|and|also|well|hey|hmm+|btw|by the way|fyi|for your information|just so you know|ah"
        r"|oh|thanks|thank you|great|(?:ok(?:ay)?,? )?looks good|actually|eigentlich|en realidad|en fait"
        r"|in realtà|na verdade|вообще-то|实际上|其实|(?:please )?note(?: that)?|just a note|(?:a )?reminder"
        r"|again|as i said|like i said|(?:and )?(?:as )?i(?:'ve| have)? (?:already )?(?:told|said"
        r"|asked)(?: you)?(?: this)?(?: before| already| many times)?"
        r"|please|bitte|por favor|s'il te plaît)"
        r"\s*[,:;.!、，。：–—-]+\s*|(?:please|actually|also|but|and|so|ok|well|btw|fyi|by the way"
        r"|just so you know)\s+"
        r"|\[[ xX]\]\s+|how many times do i (?:have|need) to tell you (?:that )?)+",
        re.IGNORECASE,
    )


def without_lead_in(text: str) -> str:
    """Return the sentence without "no, ", "actually ", "I told you before: " and their like."""
    found = _lead_in().match(text)
    return text[found.end() :] if found else text


@cache
def _tail() -> re.Pattern[str]:
    # "ok" ends a statement as often as a request: it goes only behind a mark, as does what may be a value.
    return re.compile(
        r"(?:[\s,;–—-]+(?:please|pls|thanks|thank you|thx)|\s*[,;–—-]+\s*(?:ok|okay|bitte|danke|por favor|gracias"
        r"|s'il te plaît|merci|per favore|grazie|obrigad[oa]|пожалуйста|спасибо))[\s.!?]*$",
        re.IGNORECASE,
    )


_PAIRS: Final = {'"': '"', "'": "'", "“": "”", "«": "»", "「": "」", "`": "`"}


def cleaned(text: str) -> str:
    """Return a rule as it is kept: the user's wording without courtesies, enclosing quotes and emphasis marks."""
    rule = " ".join(_tail().sub("", text.strip()).split())
    while len(rule) > 1 and _PAIRS.get(rule[0]) == rule[-1] and rule.count(rule[0]) + rule.count(rule[-1]) in (2, 4):
        rule = rule[1:-1].strip()
    return rule.strip("*_ ") if rule[:1] == rule[-1:] in {"*", "_"} else rule


@cache
def _dangling() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:do|use|run|keep|fix|try|avoid|like|about|for|to|all|of) )*(?:it|this|that|these|those|them"
        r"|everything|me|so|das|dies|es|eso|esto|ça|cela|ciò|это|那个|这个|それ|これ|그것|이것)(?: (?:please"
        r"|ok|now|for me))?"
    )


def is_dangling(text: str) -> bool:
    """Is it nothing but a pointer to something said elsewhere?"""
    return bool(_dangling().fullmatch(folded(text).rstrip(".!?")))


@cache
def _of_the_task() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:it|this|that|these|those|them|the (?:above|new|changes?|current|last|next|same)|your|now|today"
        r"|later|next step|first|then)\b|\b(?:when|once|after|before) (?:you'?re|you are|that'?s|that|this|it)\b"
    )


def is_tied_to_the_task(text: str) -> bool:
    """Does a reminder point at the work of the moment ("run it after this step")?"""
    return bool(_of_the_task().search(folded(text)))


@cache
def _standing() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:always|never|every|each|whenever|before|after|when|from now on|in (?:the )?future|any time|not)\b"
    )


def is_standing(text: str) -> bool:
    """Does a reminder say when it applies, again and again?"""
    return bool(_standing().search(folded(text)))
