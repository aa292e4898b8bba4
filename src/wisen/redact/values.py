"""Is this token a secret's value, or a reference, a placeholder, code or a word that only stands where one could?"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Final


def lowered(text: str) -> str:
    """Lower case of the same length: a few capitals become two characters, and offsets would no longer fit."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(one if len(one := char.lower()) == 1 else char for char in text)


_SHORTEST_SECRET: Final = 8
_FEWEST_CHARACTERS: Final = 6


def is_mixed(value: str) -> bool:
    """Secrets mix letters with digits or signs; words, numbers and names of variables don't."""
    if len(value) < _SHORTEST_SECRET or len(set(value)) < _FEWEST_CHARACTERS:
        return False
    return is_strong(value)


def is_strong(value: str) -> bool:
    """Tell whether letters stand with a digit or an unusual sign inside, however short the whole is."""
    core = value.rstrip(".,;:!?=")
    return bool(_letter().search(core)) and bool(_digit_or_sign().search(core))


@cache
def _letter() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]")


@cache
def _digit_or_sign() -> re.Pattern[str]:
    """Return digits and the signs that don't also stand inside ordinary words, names, paths and numbers."""
    return re.compile(r"[\d !\"#$%&*+,;<>?@\\^`~]")


def is_random(value: str) -> bool:
    """Tell whether a machine made it: an unbroken run of both cases and digits that keeps changing between them.

    Of two neighbours in a random run of the 62 letters and digits, .62 differ in class; in `Base64EncodedSha256` .4.
    """
    return any(_is_changing(piece) for piece in _pieces().findall(value))


def is_changing(value: str) -> bool:
    """Tell whether an unbroken run, however short, changes as often between cases and digits as a random one."""
    return value.isascii() and value.isalnum() and _is_changing(value)


def _is_changing(piece: str) -> bool:
    if piece.isdigit() or piece.islower() or piece.isupper():
        return False
    if piece.isalpha():
        # Names change case too, but capitals side by side begin no words: `HTTPServer` once, `QNqXrtFihRuy` often.
        fewest = _LETTERS_CHANGES * len(piece)
        is_long = len(piece) >= _LONG_LETTERS
        return is_long and len(_capitals().findall(piece)) > fewest and len(_beginnings().findall(piece)) > fewest
    return len(_changes().findall(piece)) > _RANDOM_CHANGES * len(piece)


_RANDOM_CHANGES: Final = 0.42
_LETTERS_CHANGES: Final = 0.12  # of random letters .25 are capitals before a capital, and .25 small before a capital
_LONG_LETTERS: Final = 20


@cache
def _changes() -> re.Pattern[str]:
    return re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|\d(?=[A-Za-z])")


@cache
def _capitals() -> re.Pattern[str]:
    return re.compile(r"[A-Z](?=[A-Z])")


@cache
def _beginnings() -> re.Pattern[str]:
    return re.compile(r"[a-z](?=[A-Z])")


def is_issued(value: str) -> bool:
    """Tell whether it has a shape that only machines give: a UUID, 32 or more hex digits, or such digits and capitals.

    Hashes have the same shape, so this says something only of what stands where a key stands.
    """
    return bool(_issued().fullmatch(value))


@cache
def _issued() -> re.Pattern[str]:
    return re.compile(
        r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{32,128}(?:-\w{1,8})?"
        r"|(?=[A-Z]*\d)(?=\d*[A-Z])[0-9A-Z]{32,128}"
    )


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
        r"|\[redacted:|\[private\]|!(?:vault|secret|env|ref|sub|include)\b",
        re.IGNORECASE,
    )


def is_filler(value: str) -> bool:
    """`xxxx`, `AKIAXXXXXXXX`, `abcdefghijklmnop`, `ghp_ab...`: too few characters, mostly runs, counted, or cut."""
    if len(set(value)) < _FEWEST_CHARACTERS or _elided().search(value) or _is_counted(value):
        return True
    return 2 * sum(len(run[0]) for run in _runs().finditer(value)) > len(value)


def _is_counted(value: str) -> bool:
    """`abcdefghijklmnop`, `aBcDeFgHiJkLmNoP`, `1234567890123456`: somebody ran a finger over the keyboard."""
    low = value.lower()
    if not any(
        low[at : at + _PROBE] in _COUNTS for at in range(0, len(low) - _PROBE + 1, _MOSTLY_COUNTED - _PROBE + 1)
    ):
        return False
    longest = run = 1
    for left, right in pairwise(low):
        run = run + 1 if left + right in _COUNTS else 1
        longest = max(longest, run)
    return longest >= _COUNTED or (longest >= _MOSTLY_COUNTED and len(low) < 2 * longest)


_COUNTS: Final = "abcdefghijklmnopqrstuvwxyz 0123456789012345678901234567890"
_COUNTED: Final = 16
_MOSTLY_COUNTED: Final = 10
_PROBE: Final = 8


@cache
def _elided() -> re.Pattern[str]:
    return re.compile(r"\.\.\.|…|\.\.$|x{5}|\*{4}|#{4}", re.IGNORECASE)


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(r"(.{1,4}?)\1{3,}")


def is_stand_in(value: str) -> bool:
    """`changeme`, `your-api-key-1`, `mypassword`: words that say where the secret would be."""
    return bool(_stand_in().search(value.lower()))


@cache
def _stand_in() -> re.Pattern[str]:
    says_so = (
        r"your|example|sample|placeholder|change[_-]?me|dummy|fake|insert|replace|todo|redacted|removed|hidden|masked"
        r"|not[-_]?an?[-_]?(?:real[-_]?)?(?:secret|key|token|password)"
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
    return bool(_told_stand_in().search(value.lower())) or _is_counted(value)


@cache
def _told_stand_in() -> re.Pattern[str]:
    return re.compile(
        r"^(?:your|placeholder|insert|replace|redacted|removed|hidden|masked)|^(?:change[_-]?me|dummy|fake|example|sample)$"
        r"|^(?:pass:)?not[-_]?an?[-_]?(?:real[-_]?)?(?:secret|key|token|password)|\w{12}example(?:key)?$|\[redacted:|\[private\]|x{4}|\*{3}|\.{3}|…|^(?:x{2,}|_+|-+|\?+)$"
    )


def is_pointer(value: str) -> bool:
    """A path, an address of the web, the name of a variable, a call: where the secret is, not what it is."""
    return bool(_pointer().match(value)) and not is_random(value)


@cache
def _pointer() -> re.Pattern[str]:
    return re.compile(
        r"[(\[{]|[~.]{0,2}/|\w{1,20}://|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[\w.:]{1,60}!?[(\[{]"
        r"|[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}$|\W{1,400}$|[\w-]{1,60}="
    )


def is_vocabulary(value: str) -> bool:
    """Tell whether a developer writes it every day: a reference, a stand-in, a pointer, code or a technical term."""
    is_name = is_reference(value) or is_told_stand_in(value) or is_pointer(value)
    return is_name or is_technical(value) or is_code(value)
