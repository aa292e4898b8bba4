"""Did the user state a decision? What was decided is no rule, but a part of the past that somebody may ask for.

It is kept as an episodic memory, and recalled only when a prompt asks about the past (`asks_about_the_past`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from wisen.core.scripts import substance
from wisen.core.signals.findings import MAX_RULE_CHARS, Finding
from wisen.core.signals.setting import Setting
from wisen.core.signals.speech import Sentence, spoken_chars
from wisen.core.signals.stated_rule import LONGEST_PROMPT
from wisen.core.signals.wording import cleaned, folded, is_dangling
from wisen.core.types import MemoryKind, Source

CATEGORY: Final = "decision"
SHORTEST: Final = 24
"""In Latin letters: a shorter one says that something was decided, not what."""

_STRENGTH: Final = 0.7


def findings(parts: Sequence[Sentence], _: Setting) -> tuple[Finding, ...]:
    """Return a finding on every sentence of the user's that states a decision."""
    if spoken_chars(parts) > LONGEST_PROMPT:
        return ()
    return tuple(
        Finding(
            sentence=at,
            until=at + 1,
            why="a decision: recalled when a prompt asks about the past",
            rule=cleaned(part.text),
            source=Source.CORRECTION,
            strength=_STRENGTH,
            kind=MemoryKind.EPISODIC,
            category=CATEGORY,
        )
        for at, part in enumerate(parts)
        if _states_one(part)
    )


def _states_one(part: Sentence) -> bool:
    text = folded(part.text)
    if part.dropped or part.is_question or not substance(text) >= SHORTEST or len(text) > MAX_RULE_CHARS:
        return False
    said = _decided().match(text)
    return said is not None and not _says_not_what().match(text[said.end() :]) and not is_dangling(part.text)


@cache
def _decided() -> re.Pattern[str]:
    who = r"(?:(?:ok|okay|so|fyi|note|and|also|btw|yes|no)\b[ ,:]*)*(?:we|i|the team|the client|the customer)"
    return re.compile(
        rf"{who}(?:'ve| have| had)?(?: already| finally| just| all| now)? (?:decided|agreed|settled|opted|concluded)"
        r" (?:to|that|on|for|against|not to)\b"
        rf"|{who} (?:went|are going|'re going|decided to go) with \S+(?: \S+){{0,6}}"
        r" (?:because|since|over|instead of|as)\b"
        r"|(?:the )?decision(?: was| is)?(?: to| that|:)"
        r"|wir haben (?:uns )?(?:(?:\S+ ){0,8})?(?:beschlossen|entschieden|geeinigt)"
        r"|(?:nous avons|on a) (?:finalement )?(?:decide|décidé|convenu|choisi) (?:de|d'|que)"
        r"|(?:hemos decidido|decidimos|acordamos|hemos acordado)\b"
        r"|(?:мы )?(?:решили|договорились)\b|我们(?:已经)?决定|我們(?:已經)?決定|決定[:：]|결정[:：]",
    )


@cache
def _says_not_what() -> re.Pattern[str]:
    """What goes on by pointing at words that are gone."""
    return re.compile(
        r" *(?:(?:do|go with|use|take|keep|try) )?(?:it|this|that|these|those|so|option \w+|the \w+ one)[.! ]*$"
    )


# --- asked for --------------------------------------------------------------------------------------------------


def asks_about_the_past(text: str) -> bool:
    """Whether a prompt asks what was, or why: "why did we move to pnpm?", "what was decided last week?"."""
    return bool(_past().search(folded(text)))


@cache
def _past() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:why|what|how|when|where|which|who)\b[^.!?]{0,40}?"
        r"\b(?:did (?:we|i|you)|have we|had we|were we|was (?:it|that|the)|we (?:decid|agre|chos|us|did|said)\w*)\b"
        r"|\bdid (?:we|i) (?:ever |already |not |n't )?\w+"
        r"|\b(?:last (?:time|week|month|session|year|sprint)|yesterday|the other day|back then|previously|in the past"
        r"|(?:days?|weeks?|months?) ago|remember (?:when|what|why|how)|we (?:already )?(?:decided|agreed|settled))\b"
        r"|\bdecisions?\b|\bhistory of\b"
        r"|\b(?:warum haben wir|was haben wir|letzte (?:woche|sitzung)|letztes mal|damals|gestern|entscheidung)\b"
        r"|\b(?:pourquoi (?:a-t-on|avons-nous|on a)|la dernière fois|hier|décision)\b"
        r"|\b(?:por qué (?:decidimos|hicimos|elegimos)|la última vez|ayer|decisión)\b"
        r"|(?:почему мы|в прошлый раз|вчера|решени)|上次|之前|当时|當時|昨天|决定|決定|前回|以前|지난번|어제|결정"
    )
