"""Is this token a secret's value, or a reference, a placeholder, code or a word that only stands where one could?"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Final

_SHORTEST_SECRET: Final = 8
_FEWEST_CHARACTERS: Final = 6
_WORD_SIGNS: Final = "-_./:'’|=()[]{}"
"""Signs that also stand inside ordinary words, names, paths and numbers."""


def is_mixed(value: str) -> bool:
    """Secrets mix letters with digits or signs; words, numbers and names of variables don't."""
    if len(value) < _SHORTEST_SECRET or len(set(value)) < _FEWEST_CHARACTERS:
        return False
    return is_strong(value)


def is_strong(value: str) -> bool:
    """Tell whether letters stand with a digit or an unusual sign inside, however short the whole is."""
    core = value.rstrip(".,;:!?=")
    has_letter = any(char.isalpha() for char in core)
    has_other = any(char.isdigit() or (char.isascii() and _is_sign(char)) for char in core)
    return has_letter and has_other


def _is_sign(char: str) -> bool:
    return char.isprintable() and not char.isalnum() and char not in _WORD_SIGNS


def is_random(value: str) -> bool:
    """Tell whether a machine made it: an unbroken run of both cases and digits that keeps changing between them.

    Of two neighbours in a random run of the 62 letters and digits, .62 differ in class; in `Base64EncodedSha256` .4.
    """
    for piece in _pieces().findall(value):
        classes = [_class_of(char) for char in piece]
        changes = sum(left != right for left, right in pairwise(classes))
        if len(set(classes)) == _CLASSES and changes > _RANDOM_CHANGES * len(piece):
            return True
    return False


_CLASSES: Final = 3
_RANDOM_CHANGES: Final = 0.42


def _class_of(char: str) -> str:
    return "digit" if char.isdigit() else "upper" if char.isupper() else "lower"


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9]{14,400}")


def is_withheld(value: str) -> bool:
    """`$TOKEN`, `<your-key>`, `xxxx`, `changeme`, `[redacted:aws]`: a reference, filler or a stand-in."""
    return is_reference(value) or is_filler(value) or is_stand_in(value)


def is_reference(value: str) -> bool:
    """`$TOKEN`, `${TOKEN}`, `{{ token }}`, `%TOKEN%`, `process.env.X`, `<your-key>`: the name of a secret, not one."""
    return bool(_reference().match(value))


@cache
def _reference() -> re.Pattern[str]:
    return re.compile(
        r"[^$]{0,40}\$[({]|\$[A-Za-z_\d]|\{|-|%[A-Za-z_(]|<|@|&|\*|#\{|\\?\$|process\.|os\.|env[.(\[:]|import\.meta"
        r"|secrets?[./]|vars?\.|config\.|settings\.|self\.|this\.|arn:|ref[+:]|op://|file:|\.\.\."
        r"|\[redacted:|\[private\]",
        re.IGNORECASE,
    )


def is_filler(value: str) -> bool:
    """`xxxx`, `AKIAXXXXXXXX`, `ghp_ab...`: too few different characters, mostly runs, or cut short."""
    if len(set(value)) < _FEWEST_CHARACTERS or _elided().search(value):
        return True
    return 2 * sum(len(run[0]) for run in _runs().finditer(value)) > len(value)


@cache
def _elided() -> re.Pattern[str]:
    return re.compile(r"\.\.\.|…|\.\.$|x{5}|\*{4}|#{4}", re.IGNORECASE)


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(r"(.)\1{3,}")


def is_stand_in(value: str) -> bool:
    """`changeme`, `your-api-key-1`, `mypassword`: words that say where the secret would be."""
    return bool(_stand_in().search(value.lower()))


@cache
def _stand_in() -> re.Pattern[str]:
    says_so = (
        r"your|example|sample|placeholder|change[_-]?me|dummy|fake|insert|replace|todo|redacted|removed|hidden|masked"
    )
    names = r"user|admin|root|test|pass|passwd|password|secret|token|foo|bar|abc|none|null|true|false"
    return re.compile(rf"(?:{says_so})|^(.)\1*$|^(?:{names})\d{{0,3}}$|^(?:my|the)[_-]?(?:{names})$")


_SHORT: Final = r"(?:[a-z]+|(?=[a-z]{0,2}\d)[a-z0-9]{1,3})"
_SLUG: Final = rf"{_SHORT}(?:[-_]{_SHORT})+"
"""`eu-west-1`, `k8s-secret-1`: words, and numbers too short to be chosen at random."""


def is_code(value: str) -> bool:
    """`a.b.c`, `call(x)`, a path, a URL, `NAME_OF_IT`, `nameOfIt`: what programs write where a value could stand."""
    return bool(_code().match(value)) and not is_random(value)


@cache
def _code() -> re.Pattern[str]:
    return re.compile(
        r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+[(\[:]?|[\w.:]+[(\[]|[/~.]{1,2}/|[a-z]+://"
        r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[a-z]+(?: [a-z]+)*$|[a-z]+(?:_[a-z]+)+\d{0,5}$"
        rf"|{_SLUG}$|[a-z]+(?:[A-Z][a-z]+)*$|(?:[A-Z][a-z]+\d{{1,2}}|[a-z]+\d{{1,5}})[A-Z][a-z]+$"
    )


def is_technical(value: str) -> bool:
    """`v1.2`, `3600s`, `sha256`, `eu-west-1`, `RFC7519`, `a1.ts`: digits that belong to a developer's vocabulary."""
    return bool(_technical().fullmatch(value))


@cache
def _technical() -> re.Pattern[str]:
    return re.compile(
        r"v?\d+(?:[.:/_-]\d+)*[A-Za-z%+']{0,4}"  # versions, dates, times, quantities
        r"|\d+-?[A-Za-z]+(?:'s)?|[A-Za-z]\d{1,3}"  # 2FA, 12-character, 1Password, p12
        rf"|{_SLUG}|(?:[a-z]+\d{{0,3}}[-_])+[a-z]+\d{{0,3}}|[A-Z]{{2,9}}[-_]?\d{{1,5}}"  # eu-west-1, acme-dev2, RFC7519
        r"|(?i:base|sha|md|utf|[here]s|argon|oauth|aes|rsa|ed|x|pbkdf|ipv|node|python|http|auth|web)-?\d+[-_/.\w]*"
        r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}"  # addresses, hosts, files
        r"|#?\d+|[0-9a-f]{7}"
    )


def is_told_stand_in(value: str) -> bool:
    """Tell a stand-in where a sentence tells the value: there `test` and `admin` are what somebody really chose."""
    return bool(_told_stand_in().search(value.lower()))


@cache
def _told_stand_in() -> re.Pattern[str]:
    return re.compile(
        r"^(?:your|placeholder|insert|replace|redacted|removed|hidden|masked)|^(?:change[_-]?me|dummy|fake|example|sample)$"
        r"|\w{12}example(?:key)?$|\[redacted:|\[private\]|x{4}|\*{3}|\.{3}|…|^(?:x{2,}|_+|-+|\?+)$"
    )
