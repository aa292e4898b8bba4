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


# --- in the value's place ----------------------------------------------------------------------------------------

_GOING_ON: Final = _any_of(
    "an? the in on at to by with from of for not? never always only also too as and or but so than more less very",
    "still yet now here there above below it this that these what which who where why how when if our my your",
    "their its one two same different other",
)
_SAID_OF_SECRETS: Final = _any_of(
    r"\w+(?:ed|ing|able|ible|ly|ive|ous|ful|less|ional|ary|ory) [\w-]+-(?:only|based|sensitive) empty blank",
    "missing valid invalid wrong right correct incorrect weak strong long short old new safe unsafe secure",
    "insecure secret public private plain plaintext hidden known unknown unique random static dynamic local",
    "global stale fresh live dead gone lost (?:un)?set kept sent held read written broken stolen given shown",
    "chosen up down ok(?:ay)? fine good bad ready due free open opaque numeric alphanumeric automatic",
    # the same in other languages
    r"\w+(?:iert|ad[oa]s?|id[oa]s?|oire|[oó]ri[ao]s?) falsch richtig lang kurz geheim leer neu alt sicher",
    "g[üu]ltig ung[üu]ltig n[öo]tig weg da hier im das der die ein nicht incorrect[ao] correct[ao] segur[ao]",
    "secret[ao] larg[ao] cort[ao] vac[íi][ao] nuev[ao] la el un una en es está faux fausse bon bonne vide le dans",
    "pas trop errad[ao] corret[ao] vazi[ao] na não sbagliat[ao] corrett[ao] nel fout juist leeg niet złe puste",
    r"tajne w в не у неверн\w+ верн\w+ пуст\w+ секретн\w+ нов\w+ длинн\w+",
)
_IN_SPECIFICATIONS: Final = _any_of(
    "null none nil undefined true false str(?:ing)? text bool(?:ean)? int(?:eger)? number bytes? any object char",
    "varchar uuid buffer array list dict void self input output value field type name auth header cookie link",
    "password passcode email user(?:name)? token key oauth2? oidc saml sso otp json jwt hex base64 bcrypt scrypt",
    r"argon2(?:id)? pbkdf2 md5 sha-?\d+",
)


@cache
def ordinary() -> re.Pattern[str]:
    """Return the words that go on with a sentence about a secret without telling it: "the password is required"."""
    return re.compile(f"{_SAID_OF_SECRETS}|{_GOING_ON}|{_IN_SPECIFICATIONS}", re.IGNORECASE)


@cache
def grammatical() -> re.Pattern[str]:
    """Return the words that a sentence needs and a pass phrase hardly has."""
    words = _any_of(
        "an? the in on at to by with from of for not? never always only and or but is are was be been has have had",
        r"must should will can it this that when if our my your their you we they \w{4,}(?:ed|ing) \w{5,}ly",
    )
    return re.compile(words, re.IGNORECASE)
