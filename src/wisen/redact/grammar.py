"""What stands between the noun and the secret in a sentence, after it, and in the secret's place without being one?"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.redact.tongues import Tongue


def _any_of(*lines: str) -> str:
    return "|".join(" ".join(lines).split())


# --- before the value --------------------------------------------------------------------------------------------

_ADVERBS: Final = (
    r"now|still|currently|again|just|simply|always|as follows|the following"
    r"|(?:(?:re)?set|changed|updated|rotated)(?: from \[redacted:\w{1,9}\])? (?:to|from)"
    r"|wie folgt|jetzt|weiterhin|ahora|maintenant|agora|ora|nu|teraz|теперь"
)
_PREPOSITIONS: Final = _any_of(
    "for of on to in at from we i you that which used here there",
    "für fuer von vom zum zur auf im am de del da do das dos di per para en pour du des sur voor van op dla w na",
    "för til till для от к на على ل के का",
)


@cache
def links(tongue: Tongue) -> re.Pattern[str]:
    """Return the pattern of a link to the value, in a group for its strength: `copula`, `sign` or `soft`."""
    gap, end = (r"[ \t]{1,3}", r"[ \t]{1,3}") if tongue.is_spaced else (r"[ \t　]{0,2}", r"[ \t　]{0,2}")
    copula = rf"{gap}(?:{tongue.copula})(?:\s(?:{_ADVERBS}))?(?:[ \t]{{0,2}}[:：][ \t]{{0,3}}|{end})"
    sign = r"[ \t]{0,3}(?::=|=>|=(?!=)|(?<!redacted)[:：＝])[ \t　]{0,3}"
    soft = r"['’]s[ \t]{1,3}|[ \t]{1,3}(?:[-–—|→]|->)[ \t]{1,3}"
    return re.compile(f"(?P<copula>{copula})|(?P<sign>{sign})|(?P<soft>{soft})", re.IGNORECASE)


@cache
def addition() -> re.Pattern[str]:
    """Return how a noun is told apart and stays itself: "the password for ... is", but not "the password hint is"."""
    return re.compile(rf"[ \t](?:{_PREPOSITIONS})(?=[ \t])", re.IGNORECASE)


@cache
def preposition() -> re.Pattern[str]:
    """Return the words after which a strong value is a secret: "set the password to ...", "log in with ..."."""
    words = _any_of("to from as with using be auf mit als a como con avec comme com op met na jako на с")
    return re.compile(
        r"(?:[ \t](?:(?:re)?set|changed|updated|rotated))?(?:[ \t]from[ \t]\[redacted:\w{1,9}\])?"
        rf"[ \t]{{1,3}}(?:{words})[ \t]{{1,3}}",
        re.IGNORECASE,
    )


# --- after the value ---------------------------------------------------------------------------------------------


@cache
def end_of_statement() -> re.Pattern[str]:
    """Return what ends a statement: punctuation, a parenthesis, or a copula that is written onto the word."""
    return re.compile(
        r"[\"'`*_”’»」』]{0,3}(?:[.,;:!?)\]]{1,3}(?=\s|\Z)|\s{0,3}(?:\Z|\n|\()|[。，、！？）]"
        r"|です|だ|입니다|이다|이에요|예요|라고)"
    )


@cache
def last_copula() -> re.Pattern[str]:
    """Return the copula of a language, or of its subordinate clauses, that puts it last: "das Passwort ... ist"."""
    return re.compile(r"[\"'`“”]?[ \t](?:ist|lautet|है|हैं|था|است)(?!\w)", re.IGNORECASE)


@cache
def end_of_sentence() -> re.Pattern[str]:
    """Return what no statement reaches over."""
    return re.compile(r"[.!?;](?=\s)|[。！？\n]")


@cache
def going_on() -> re.Pattern[str]:
    """Return what goes on with a statement that is complete: where, for whom, what else, or chat.

    No "of", "that" or "by": "the password is part of ...", and no second noun: "the password is user input".
    """
    words = _any_of(
        "on for at in inside and but so if when while until till because since as everywhere here there now today use",
        "you which try both just only right ok(?:ay)? not",
        "auf für fuer bei beim im und aber weil wenn solange überall hier falls damit",
        "en para y pero porque cuando sur pour et mais quand dans em e mas per ma su op voor maar på för och men",
        "на для и но для в",
    )
    return re.compile(rf"{_CHAT}|[ \t]{{1,2}}(?:{words})(?!\w)|[ \t]{{1,2}}[-–—/&+][ \t]", re.IGNORECASE)


@cache
def chat() -> re.Pattern[str]:
    """Return what people only say after all is said: "btw", "please", "again"."""
    return re.compile(rf"{_CHAT}", re.IGNORECASE)


_WORDS_OF_CHAT: Final = _any_of(
    "btw by~the~way fyi lol haha please pls plz thx thanks ty just~so~you~know jsyk again anyway remember~(?:it|that)",
    "don['’]t~forget keep~it for~now use~it if~you log~in as~(?:always|usual)",
    "übrigens uebrigens bitte nochmal danke wie~immer por~favor otra~vez gracias por~cierto",
    "svp stp s['’]il~(?:te|vous)~pla[iî]t encore merci au~fait obrigad[oa] por~sinal per~favore grazie",
    "alsjeblieft trouwens bedankt proszę tack пожалуйста кстати спасибо",
).replace("~", "[ ]")
_CHAT: Final = rf"[ \t]{{1,2}}(?:(?:{_WORDS_OF_CHAT})(?!\w)|[:;]-?[)(DP](?!\w)|[\U0001F300-\U0001FAFF])"


@cache
def object_of_command() -> re.Pattern[str]:
    """Return the end of a command that goes on with the name of a secret: `kubectl get secret NAME`."""
    return re.compile(
        r"(?<![\w-])(?:get|describe|delete|edit|create|inspect|rm|remove|ls|list|patch|label|annotate|apply|set|update)"
        r"[ \t]{1,3}(?:secrets?|tokens?)[ \t]{1,3}\Z"
    )


@cache
def name_of_object() -> re.Pattern[str]:
    """Return how things of a cluster are named: small letters and digits, as in a name of a host. RFC 1123."""
    return re.compile(r"[a-z0-9]{1,60}(?:[-._][a-z0-9]{1,60}){0,12}")


@cache
def grammatical() -> re.Pattern[str]:
    """Return the words that a sentence needs and a pass phrase hardly has."""
    words = _any_of(
        "an? the in on at to by with from of for not? never always only and or but is are was be been has have had",
        r"must should will can it this that when if our my your their you we they \w{4,}(?:ed|ing) \w{5,}ly",
    )
    return re.compile(words, re.IGNORECASE)
