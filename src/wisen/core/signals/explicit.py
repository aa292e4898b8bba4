"""Did the user ask to remember something? "remember that X", in a dozen languages, and only when X is a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile
from typing import Final

from wisen.core.signals.findings import MAX_RULE_CHARS, Finding
from wisen.core.signals.sentences import Sentence
from wisen.core.signals.wording import (
    cleaned,
    is_dangling,
    is_personal,
    is_standing,
    is_tied_to_the_task,
    without_lead_in,
)
from wisen.core.types import Source

_LEAD: Final = (
    r"(?:(?:please|pls|plz|also|and|ok(?:ay)?|so|but|oh|btw|just|now|hey|hi|no|yes|claude|wisen|important"
    r"|(?:can|could|will|would) you|(?:i|we) (?:want|need) you to|i'd like you to|(?:you )?(?:should|must"
    r"|need to|have to)"
    r"|make sure (?:to|you|that you)|let's|always|bitte|aber|also|und|por favor|y|e|s'il te pla[iî]t"
    r"|per favore|пожалуйста|请|請|h[aã]y)"
    r"(?![a-zà-ÿа-я])[\s,:;.!–—-]{0,4}){0,5}"
)
"""What may stand before the asking itself."""

_POLITE: Final = re.compile(r"(?:\w+,? )?(?:please|can|could|will|would)\b", re.IGNORECASE)
"""A question that asks for something to be done."""

_THIS: Final = r"(?:\s+(?:this|that|it|the following|as a rule))?"
_FOR: Final = (
    r"(?:\s*[,(]?\s*(?:for|in) (?:(?:the|all|any|every|each|next|my|your|our|other|future)\s+)*"
    r"(?:future|time|sessions?|reference|conversations?|projects?|repos?|repositories)"
    r"|\s*[,(]?\s*(?:from now on|going forward|forever|always|permanently|everywhere))?\)?"
)
"""For how long, or where."""

_ASKS: Final[tuple[tuple[str, str], ...]] = (
    ("en", rf"remember{_THIS}{_FOR}\s*[:,–—-]+\s*(?P<rule>.+)"),
    ("en", rf"remember{_FOR},? that\s+(?P<rule>.+)"),
    (
        "en",
        (
            rf"remember{_FOR}\s+(?P<rule>(?!when\b|how\b|what\b|why\b|where\b|who\b|which\b|if\b|whether\b"
            rf"|the time\b|that\b|this\b|it\b|to\b|me\b|seeing\b|doing\b|\w+ing\b).+)"
        ),
    ),
    ("en", r"remember to\s+(?P<duty>.+)"),
    ("en", r"(?:do\s?n['o]?t|do not|never) (?:ever )?forget\s*(?:[:,–—-]|that\b)\s*(?P<rule>.+)"),
    ("en", r"(?:do\s?n['o]?t|do not|never) (?:ever )?forget to\s+(?P<reminder>.+)"),
    (
        "en",
        (
            r"(?:a )?(?:note|reminder) (?:for|to) (?:the |your |all )?(?:future|next|later|self"
            r"|yourself)(?: (?:self|sessions?|time|reference|you))?\s*[:,–—-]+\s*(?P<rule>.+)"
        ),
    ),
    (
        "en",
        (
            r"for (?:the|all|any|your|our|next)?\s*(?:future|next|later)(?: (?:sessions?|time|reference"
            r"|conversations?|work))?\s*[:,–—-]+\s*(?P<rule>.+)"
        ),
    ),
    ("en", r"(?:make|take|keep) a (?:mental |permanent )?note\s*(?:[:,–—-]+|that)\s*(?P<rule>.+)"),
    (
        "en",
        (
            r"(?:memori[sz]e|(?:add|save|store|commit|put|write)(?: this| that| it"
            r"| the following)? (?:in)?to (?:your |the |long[- ]term )*memory)\s*(?:[:,–—-]+|that)\s*(?P<rule>.+)"
        ),
    ),
    (
        "de",
        (
            r"merk(?:e|t)? (?:dir|es dir|euch)(?: bitte)?(?: (?:für (?:die Zukunft|später|immer)|das|dies"
            r"|folgendes))*\s*(?:[:,–—-]+\s*(?:dass\s+)?|dass\s+)(?P<rule>.+)"
        ),
    ),
    ("de", r"(?:denk|denke|vergiss) (?:daran|nie|nicht|niemals)\s*[:,–—-]*\s*dass\s+(?P<rule>.+)"),
    ("de", r"(?:notiz )?für (?:die Zukunft|künftige Sitzungen|das nächste Mal|nächstes Mal)\s*[:,–—-]+\s*(?P<rule>.+)"),
    (
        "es",
        (
            r"(?:recuerda|recuerde|acu[eé]rdate|memoriza|no olvides|nunca olvides)(?: de)?(?: para (?:el futuro"
            r"|siempre|la pr[oó]xima))?\s*(?:[:,–—-]+\s*(?:que\s+)?|que\s+)(?P<rule>.+)"
        ),
    ),
    ("es", r"(?:nota )?para (?:el futuro|futuras sesiones|la pr[oó]xima(?: vez)?)\s*[:,–—-]+\s*(?P<rule>.+)"),
    (
        "fr",
        (
            r"(?:souviens[- ]toi|rappelle[- ]toi|retiens|m[eé]morise|n'oublie (?:pas|jamais))(?: pour (?:la suite"
            r"|l'avenir|la prochaine fois))?\s*(?:[:,–—-]+\s*(?:que\s+|qu')?|que\s+|qu')(?P<rule>.+)"
        ),
    ),
    ("fr", r"(?:note )?pour (?:la suite|l'avenir|les prochaines sessions|la prochaine fois)\s*[:,–—-]+\s*(?P<rule>.+)"),
    (
        "pt",
        (
            r"(?:lembre(?:-se)?|lembra(?:-te)?|memorize|memoriza"
            r"|n[aã]o (?:se )?esque[cç]a[s]?)(?: de)?(?: para o futuro)?\s*(?:[:,–—-]+\s*(?:que\s+)?"
            r"|que\s+)(?P<rule>.+)"
        ),
    ),
    ("pt", r"(?:nota )?para (?:o futuro|as pr[oó]ximas sess[oõ]es|a pr[oó]xima(?: vez)?)\s*[:,–—-]+\s*(?P<rule>.+)"),
    (
        "it",
        (
            r"(?:ricord(?:a|ati)|memorizza|tieni a mente|non dimenticare)(?: per (?:il futuro"
            r"|sempre))?\s*(?:[:,–—-]+\s*(?:che\s+)?|che\s+)(?P<rule>.+)"
        ),
    ),
    ("it", r"(?:nota )?per (?:il futuro|le prossime sessioni|la prossima volta)\s*[:,–—-]+\s*(?P<rule>.+)"),
    (
        "ru",
        (
            r"(?:запомни(?:те)?|помни(?:те)?|не забывай(?:те)?|не забудь(?:те)?"
            r"|имей в виду на будущее)\s*(?:[:,–—-]+\s*(?:что\s+)?|что\s+)(?P<rule>.+)"
        ),
    ),
    ("ru", r"(?:заметка )?(?:на будущее|для будущих сессий|в следующий раз)\s*[:,–—-]+\s*(?P<rule>.+)"),
    ("vi", r"(?:nhớ|ghi nhớ|đừng quên)(?: giúp (?:tôi|mình))?\s*(?:(?:rằng|là)\s*[:,]?|[:,–—-]+)\s*(?P<rule>.+)"),
    ("vi", r"(?:ghi chú )?cho (?:lần sau|tương lai|các phiên sau)\s*[:,–—-]+\s*(?P<rule>.+)"),
    (
        "zh",
        (
            r"(?:务必|務必|一定要?|帮我|幫我)?(?:记住|記住|记得|記得|别忘了|別忘了|不要忘记|不要忘記)(?:了|一下"
            r"|这一点|這一點)?[\s:：,，、]*(?P<rule>.+)"
        ),
    ),
    ("zh", r"(?:以后|以後|今后|今後|下次)(?:请|請)?(?:注意|记住|記住)[\s:：,，]*(?P<rule>.+)"),
    (
        "ja",
        (
            r"(?:覚え(?:てお)?(?:いて|て)(?:ください)?|忘れないで(?:ください)?|今後のため(?:に)?"
            r"|メモ)\s*[:：、。]\s*(?P<rule>.+)"
        ),
    ),
    (
        "ja",
        (
            r"(?P<rule>.+?)(?:という|って)?(?:こと|の)?[をはと]?[、\s]*(?:ちゃんと|必ず)?(?:覚えて(?:お(?:いて"
            r"|くこと))?|覚えといて|記憶して(?:おいて)?|忘れないで)(?:ください|下さい|ね|くれ)*"
        ),
    ),
    ("ko", r"(?:기억해(?:\s?(?:줘|둬|주세요))?|잊지\s?마(?:세요)?|앞으로를 위해)\s*[:,]\s*(?P<rule>.+)"),
    (
        "ko",
        (
            r"(?P<rule>.+?)(?:다는|라는|는)?\s*(?:것|걸|거|점|사실)(?:을|를|만)?\s*(?:꼭\s*)?(?:기억해"
            r"|잊지\s?마)(?:\s?(?:줘|둬|주세요|세요))?"
        ),
    ),
    ("ko", r"(?P<rule>.+?[다라])고\s*(?:꼭\s*)?기억해(?:\s?(?:줘|둬|주세요))?"),
    ("en", r"(?P<rule>.+?)\s*[,;–—-]+\s*(?:so |and |please )*remember (?:this|that|it)"),
)
"""How a person asks, by language. `rule` is what to remember; a `duty` or a `reminder` is looked at once more."""

_BACK: Final = (
    rf"(?:remember|memori[sz]e|(?:make|take|keep) a (?:mental )?note of|(?:do\s?n['o]?t"
    rf"|never) (?:ever )?forget) (?:this|that|it){_FOR}(?: (?:please|ok))?"
    r"|(?:add|save|store|commit|put|write) (?:this|that|it) (?:in)?to (?:your |the |long[- ]term )*memory"
    r"|merk(?:e|t)? (?:dir|euch) (?:das|dies|es)|recu[eé]rdalo|no lo olvides|souviens[- ]t'en|ne l'oublie pas"
    r"|lembre-se disso"
    r"|n[aã]o (?:se )?esque[cç]a disso|ricordatelo|ricordalo|non dimenticarlo|запомни это|не забывай об этом"
    r"|(?:请|請)?(?:记住|記住)(?:这一点|這一點|这个|這個|它|了)?|(?:これ|それ)?を?(?:覚えて(?:おいて)?"
    r"|忘れないで)(?:ください|ね)?"
    r"|(?:이거|이걸|그걸|꼭)?\s*기억해\s?(?:줘|둬|주세요)?|(?:h[aã]y )?(?:ghi )?nhớ (?:điều này|nhé|nha)"
)
"""Asking to remember what was just said."""

_LONGEST_SENTENCE: Final = 2_000  # an asking sentence is short; a longer one is not worth the patterns' time
_SHORTEST_RULE: Final = 4
_GAP: Final = "\x00"  # stands for the rule when the asking ends in a colon and the rules are the lines below


def findings(parts: Sequence[Sentence]) -> tuple[Finding, ...]:
    """Return what the user asked to remember, in their own words, and what only looks like asking."""
    found: list[Finding] = []
    for at, part in enumerate(parts):
        if not part.dropped and len(part.text) <= _LONGEST_SENTENCE:
            found.extend(_of_sentence(parts, at))
    return tuple(found)


def _of_sentence(parts: Sequence[Sentence], at: int) -> Iterator[Finding]:
    text = _bare(parts[at].text)
    if _back().fullmatch(text):
        yield _said_before(parts, at)
    elif text.endswith((":", "：")) and _match(text + _GAP):
        yield from _listed(parts, at)
    elif asked := _match(text):
        yield _judged(asked, parts, at)


def _match(text: str) -> re.Match[str] | None:
    return next((found for pattern in _asks() if (found := pattern.fullmatch(text))), None)


def _judged(asked: re.Match[str], parts: Sequence[Sentence], at: int) -> Finding:
    groups = asked.groupdict()
    rule = next(value for value in groups.values() if value is not None)
    if parts[at].is_question and not _POLITE.match(parts[at].text):
        return _refusal(at, "a question, not a request to remember")
    alone = "duty" in groups and _is_alone(parts, at)
    if ("duty" in groups or "reminder" in groups) and not _outlives_the_task(rule, alone=alone):
        return _refusal(at, "a reminder for the task at hand: it does not say when it applies")
    return _asked(rule, at, at + 1, asking=parts[at].text, why="asked to remember it")


def _outlives_the_task(reminder: str, *, alone: bool) -> bool:
    """Does "remember to X" hold beyond this prompt: does X say when it applies, or does the prompt say nothing else?

    "don't forget to X" never counts as alone: it is a reminder for today unless it says when it applies.
    """
    return not is_tied_to_the_task(reminder) and (alone or is_standing(reminder))


def _is_alone(parts: Sequence[Sentence], at: int) -> bool:
    spoken = [part for part in parts if not part.dropped]
    return len(spoken) == 1 and not parts[at].text.lower().startswith(("and ", "also ", "but ", "then "))


def _said_before(parts: Sequence[Sentence], at: int) -> Finding:
    """The asking points back: what counts is the sentence before it."""
    before = parts[at - 1] if at else None
    if before is None or before.dropped or before.is_question:
        return _refusal(at, "asked to remember something that this prompt does not say")
    return _asked(before.text, at - 1, at + 1, asking=parts[at].text, why="asked to remember the sentence before")


def _listed(parts: Sequence[Sentence], at: int) -> Iterator[Finding]:
    """The asking ends in a colon: each bullet below is a rule, or the one sentence that follows."""
    following = parts[at + 1 :]
    items = list(takewhile(lambda part: part.item and not part.dropped, following))
    rules = items or [part for part in following[:1] if not part.dropped]
    if not rules:
        yield _refusal(at, "asked to remember something that is not there")
    for number, part in enumerate(rules):
        first = at + number + bool(number)  # the asking itself belongs to the first of them
        yield _asked(part.text, first, at + number + 2, asking=parts[at].text, why="asked to remember it")


def _asked(rule: str, at: int, until: int, *, asking: str, why: str) -> Finding:
    text = cleaned(without_lead_in(rule))
    if len(text) > MAX_RULE_CHARS:
        return _refusal(at, f"longer than {MAX_RULE_CHARS} characters: that is a document, not a rule")
    if len(text) < _SHORTEST_RULE or is_dangling(text):
        return _refusal(at, "does not say by itself what is to be remembered")
    return Finding(
        sentence=at,
        until=until,
        why=why,
        rule=text,
        source=Source.EXPLICIT,
        strength=1.0,
        personal=is_personal(asking) or is_personal(rule),
    )


def _refusal(at: int, why: str) -> Finding:
    return Finding(sentence=at, until=at + 1, why=why)


def _bare(text: str) -> str:
    return text.strip().strip("*_").rstrip(".!?。！？ ").replace("’", "'")


@cache
def _asks() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_LEAD + pattern, re.IGNORECASE | re.DOTALL) for _, pattern in _ASKS)


@cache
def _back() -> re.Pattern[str]:
    return re.compile(f"{_LEAD}(?:{_BACK})", re.IGNORECASE)
