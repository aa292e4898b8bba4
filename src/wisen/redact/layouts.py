"""Which secrets are known by how the text is laid out? A password column of a table, a label above its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from wisen.redact.said import ordinary
from wisen.redact.tongues import TONGUES
from wisen.redact.values import is_strong, is_vocabulary, lowered


def without_laid_out(text: str) -> str:
    """Return text with `[redacted:password]` for cells below, and lines after, what says "password"."""
    if "\n" not in text or not _stem().search(text.lower()):
        return text
    lines = text.split("\n")
    columns: tuple[int, ...] = ()
    is_label = False
    for at, line in enumerate(lines):
        cells = line.split("|")
        if len(cells) < _FEWEST_CELLS:
            columns = ()
        elif columns:
            lines[at] = "|".join(_hidden(cell) if at in columns else cell for at, cell in enumerate(cells))
        elif at + 1 < len(lines) and _ruler().fullmatch(lines[at + 1]):
            columns = tuple(_columns(cells))
        if is_label and line.strip():
            lines[at] = _hidden(line, must_be_strong=True)
        is_label = bool(_label().fullmatch(lowered(line))) or (is_label and not line.strip())
    return "\n".join(lines)


_FEWEST_CELLS: Final = 3


def _columns(cells: list[str]) -> Iterator[int]:
    for at, cell in enumerate(cells):
        if _label().fullmatch(lowered(cell)):
            yield at


def _hidden(cell: str, *, must_be_strong: bool = False) -> str:
    """Return a cell without its value, if it is one."""
    found = _single().fullmatch(cell)
    if not found:
        return cell
    value = found[2]
    if is_vocabulary(value):
        return cell
    is_plain = len(value) >= _SHORTEST_PLAIN and value.isalnum() and not must_be_strong
    is_value = is_strong(value) or (is_plain and not ordinary().fullmatch(value))
    return f"{found[1]}[redacted:password]{found[3]}" if is_value else cell


_SHORTEST_PLAIN: Final = 4


@cache
def _single() -> re.Pattern[str]:
    return re.compile(r"([\s\"'`*]*)([^\s|\"'`*]{4,64})([\s\"'`*]*)")


@cache
def _ruler() -> re.Pattern[str]:
    return re.compile(r"[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|?)+[ \t]*")


@cache
def _stem() -> re.Pattern[str]:
    """Return the beginnings of the nouns; searching for them is quick."""
    return re.compile(
        "passw|passcode|pass[ -]?phrase|pwd|kennw|contrase|mots? de p|mdp|senha|palavra|wachtwoord|has[łl]o|hesl"
        "|lösenord|kodeord|passord|adgangskode|salasan|jelsz|[şs]ifre|m[ậa]t kh|sandi|parol"
        "|парол|κωδικ|كلمة|الرقم|رمز|گذرواژه|סיסמ|पासवर्ड|कूटशब्द|รหัสผ่าน|密[码碼]|口令|パス|合言葉|暗証|비밀번호|비번|패스워드|암호"
    )


@cache
def _label() -> re.Pattern[str]:
    """Return a line or cell that says nothing but "password", perhaps whose."""
    return re.compile(rf"[\s#>*_`-]*(?:[^\W\d_]{{1,15}}[ '’s]{{1,3}}){{0,3}}(?:{_NOUNS})[\s*_`]*[:：]?[\s*_`]*")


_NOUNS: Final = "|".join(f"(?:{tongue.chosen})" for tongue in TONGUES if tongue.chosen != "(?!)")
