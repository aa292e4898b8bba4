"""Which codes stand for a login? Recovery codes, the seed of a second factor, the words of a wallet."""

from __future__ import annotations

import re
from functools import cache
from typing import Final


def without_codes(text: str) -> str:
    """Return text with `[redacted:code]`, `[redacted:seed]` or `[redacted:mnemonic]` for such codes."""
    low = text.lower()
    if _recovery_hint().search(low):
        text = _recovery().sub(_without_codes, text)
    if _factor_hint().search(low):
        text = _seed().sub(r"\g<1>[redacted:seed]", text)
    if any(line.count(" ") >= _FEWEST_WORDS - 1 for line in low.split("\n")):
        text = "\n".join(_without_mnemonic(line) for line in text.split("\n"))
    return _mnemonic_said().sub(_without_words, text) if _wallet_hint().search(low) else text


# --- recovery codes ----------------------------------------------------------------------------------------------

_KINDS: Final = r"recovery|backup|scratch|rescue|emergency|one[- ]time|2fa|mfa|wiederherstellungs|sicherungs"
_CODE: Final = (
    r"(?=[A-Za-z-]{0,16}\d)(?:[A-Za-z0-9]{6,16}(?![\w-])|[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,12}){1,5}(?![\w-]))"
)
_BULLET: Final = r"(?:[*•-]|\d{1,2}[.)])"
_GAP: Final = (
    r"(?:[ \t,;|/]{1,4}|[ \t,]{0,3}(?:and|und|y|et|e|и)[ \t]"
    rf"|[ \t]{{0,3}}\n[ \t]{{0,4}}{_BULLET}?[ \t]{{0,3}})"
)
_LIST: Final = rf"{_CODE}(?:{_GAP}{_CODE}){{0,30}}"


@cache
def _recovery_hint() -> re.Pattern[str]:
    return re.compile(r"code|códig|codig|код|コード|代码|代碼")


@cache
def _recovery() -> re.Pattern[str]:
    return re.compile(
        rf"((?:(?<!\w)(?:{_KINDS})[- ]?(?:codes?|kodes)|codes? de (?:secours|récupération)"
        r"|c[oó]digos? de (?:recupera(?:ci[oó]n|[cç][aã]o)|respaldo|seguridad)|резервн\w{1,3} код\w{0,2}"
        r"|(?:恢复|备用|備用)代[码碼]|(?:リカバリー?|バックアップ)コード)"
        r"[^\n:：=]{0,24}?(?:[ \t](?:are|is|sind|lauten|ist|son|es|sont|est|são|é|это)|[ \t]?[:：=-]|[は是])"
        rf"[\"'`*]{{0,2}}\s{{0,6}}(?:{_BULLET}[ \t])?)({_LIST})",
        re.IGNORECASE,
    )


def _without_codes(found: re.Match[str]) -> str:
    return f"{found[1]}[redacted:code]"


# --- second factors ----------------------------------------------------------------------------------------------


@cache
def _factor_hint() -> re.Pattern[str]:
    return re.compile(r"2fa|mfa|totp|otp|authenticator|two[- ]factor|zwei-?faktor|factor|фактор|认证|二要素")


@cache
def _seed() -> re.Pattern[str]:
    """Return what speaks of a second factor and, soon after, base32 as authenticators print it."""
    return re.compile(
        r"((?i:2fa|mfa|totp|\botp|authenticator|two[- ]factor|zwei-?faktor|doble factor|double facteur"
        r"|двухфактор\w*|二要素|两步)[^\n]{0,40}?(?<![A-Za-z0-9]))"
        r"((?=[A-Z]{0,30}[2-7])[A-Z2-7]{16,64}|[A-Z2-7]{24,64}"
        r"|(?=[A-Za-z ]{0,30}[2-7])[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}"
        r"|(?=[a-z ]{0,30}[2-7])[a-z2-7]{4}(?: [a-z2-7]{4}){3,15})(?![A-Za-z0-9])"
    )


# --- mnemonics ---------------------------------------------------------------------------------------------------

_WORD: Final = (
    r"(?!(?:the|and|for|with|are|not|but|our|your|has|was|its|from|should|which|here|than|each|via|per|been|were|their"
    r"|them|these|those|after)\b)[a-z]{3,8}"
)
"""A word as the lists of BIP 39 have them: none of them is one of these, which sentences can hardly do without."""
_COUNTS: Final = frozenset({12, 15, 18, 21, 24})
_FEWEST_WORDS: Final = 12


def _without_mnemonic(line: str) -> str:
    """Return a line without such words, if it is nothing but them."""
    if line.count(" ") < _FEWEST_WORDS - 1:
        return line
    found = _mnemonic_line().fullmatch(line)
    return _without_words(found) if found else line


@cache
def _mnemonic_line() -> re.Pattern[str]:
    return re.compile(rf"[\s\"'`>*-]{{0,40}}({_WORD}(?:[ ,]{{1,2}}{_WORD}){{11,23}})[\"'`.]?\s*")


@cache
def _wallet_hint() -> re.Pattern[str]:
    return re.compile(r"seed|mnemonic|wallet|recovery|phrase")


@cache
def _mnemonic_said() -> re.Pattern[str]:
    return re.compile(
        r"(?i:seed|mnemonic|wallet|recovery|backup|secret)(?i:[ -](?:phrase|words?|seed)){0,2}"
        rf"(?:[ \t](?:is|are|was|here)|[ \t]?[:=–—-])\s{{0,4}}[\"'`]?({_WORD}(?:[ ,]{{1,2}}{_WORD}){{11,23}})\b"
    )


def _without_words(found: re.Match[str]) -> str:
    words = found[1].replace(",", " ").split()
    if len(words) not in _COUNTS or len(set(words)) * 2 < len(words):
        return found[0]
    start = found.start(1) - found.start()
    return f"{found[0][:start]}[redacted:mnemonic]{found[0][start + len(found[1]) :]}"
