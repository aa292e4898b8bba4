"""Which plain words are passwords because of where they are set? `POSTGRES_PASSWORD=swordfish`, `--password swordfish`.

Only settings and flags, where a word can be nothing else: in code `password = value` names a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from wisen.redact.grammar import grammatical
from wisen.redact.said import ordinary
from wisen.redact.shortened import is_shortened
from wisen.redact.spans import Span, without
from wisen.redact.values import is_stand_in, is_told_stand_in


def without_plain(text: str) -> str:
    """Return text with `[redacted:password]` for plain words that a setting or a flag makes a password."""
    return without(text, _set(text)) if _hint().search(text) else text


def _set(text: str) -> Iterator[Span]:
    for pattern in (_variable(), _entry(), _property(), _flag()):
        for found in pattern.finditer(text):
            if not _is_for_show(found["name"], found["value"]) and _is_password(found):
                yield Span(*found.span("value"), "password")


@cache
def _hint() -> re.Pattern[str]:
    return re.compile(r"(?i:pass|pwd|pw)\w{0,24}[\"']?(?:[=:]|[ ]{1,2}\S)")


# --- the places --------------------------------------------------------------------------------------------------

_VALUE: Final = r"(?P<value>[A-Za-z0-9][\w!@#%^*+~-]{3,63})"
_CLOSED: Final = r"(?:(?P=quote)|(?=\s*\Z|[ \t\r]*\n|\\{1,4}[rn]))"
"""The quote again, or the end of the line where that was cut off."""
_WHOSE: Final = r"(?:_(?:\d{1,3}|PROD|PRODUCTION|DEV|STAGING|STAGE|TEST|QA|CI|LIVE|LOCAL|ROOT|ADMIN|DB))?"
_NOUN: Final = r"PASS(?:WORD|WD|PHRASE)?|PWD|PW"


@cache
def _variable() -> re.Pattern[str]:
    """Return `DB_PASSWORD=word` of the environment: in capitals, no space around the sign."""
    return re.compile(
        rf"(?<![\w$%{{.])(?P<name>(?:[A-Z][A-Z0-9]{{0,30}}_){{0,6}}[A-Z]{{0,12}}(?:{_NOUN}){_WHOSE})=(?P<quote>[\"']?)"
        rf"{_VALUE}{_CLOSED}(?=[\s\"'`;&|)\\,]|\Z)"
    )


@cache
def _entry() -> re.Pattern[str]:
    """Return `MYSQL_ROOT_PASSWORD: word`, a line of its own: in capitals and told whose, or it were a label."""
    return re.compile(
        rf"^[ \t]*(?:-[ ])?[\"']?(?P<name>(?:[A-Z][A-Z0-9]{{0,30}}_){{1,6}}(?:{_NOUN}){_WHOSE})[\"']?:[ ]{{1,3}}"
        rf"(?P<quote>[\"']?){_VALUE}{_CLOSED},?[ \t]*(?=\r?\n|\Z|[ ]#)",
        re.MULTILINE,
    )


@cache
def _property() -> re.Pattern[str]:
    """Return `spring.datasource.password=word`: a line of its own, or given to a flag that sets one."""
    return re.compile(
        r"(?:^[ \t]*|(?:--set(?:-string|-literal)?|--from-literal|-D|-P|--[a-z-]{2,20})[ =]?[\"']?|(?<=\w),)"
        r"(?P<name>(?:[a-z][\w-]{0,40}\.){0,6}[\w-]{0,30}(?i:pass(?:word|wd|phrase)?|pwd))="
        rf"{_VALUE}(?=[\s\"',]|\Z)",
        re.MULTILINE,
    )


@cache
def _flag() -> re.Pattern[str]:
    """Return `--db-password word` and `--password=word`."""
    return re.compile(
        r"(?<!\S)(?P<name>--?(?:[a-z]{1,20}-){0,3}pass(?:word|wd|phrase)?)(?P<joint>=|[ \t]{1,3})(?P<quote>[\"']?)"
        rf"{_VALUE}{_CLOSED}(?P<after>(?=[ \t]*(?:\Z|\r?\n|[\"'`)\]|&;>\\]|[ ]-)))?(?=[\s\"'`;&|)\]]|\Z)"
    )


# --- the words ---------------------------------------------------------------------------------------------------


def _is_password(found: re.Match[str]) -> bool:
    name = found["name"].lower().lstrip("-")
    short = _short().search(name)
    if short and not is_shortened(name, *short.span()):
        return False
    if found.re is _property():
        return _is_property(found, name)
    if found.re is _flag() and found["joint"] != "=":
        return _is_given(found)
    return name not in _OF_OTHERS


_OF_OTHERS: Final = frozenset({"pwd", "oldpwd", "pass", "pw"})
"""Names of the working directory, and of what succeeds."""


@cache
def _short() -> re.Pattern[str]:
    return re.compile(r"(?:pass|pw)(?![a-z])")


def _is_property(found: re.Match[str], name: str) -> bool:
    """Tell whether it is no field of an object in a program."""
    text, line = found.string, found.string.rfind("\n", 0, found.start("name")) + 1
    is_line = not text[line : found.start("name")].strip()
    if is_line and not _end_of_line().match(text, found.end("value")):
        return False
    owner = name.partition(".")[0] if "." in name else ""
    return owner not in _OWNERS and name not in _OF_OTHERS


@cache
def _end_of_line() -> re.Pattern[str]:
    return re.compile(r"[ \t]*(?:\n|\Z)")


_OWNERS: Final = frozenset(
    """
    self this user users req request res body form data obj object args argv opts options params props state account
    credentials creds event e u payload values value input inputs model entity dto me it session ctx context kwargs
    """.split()
)


def _is_given(found: re.Match[str]) -> bool:
    """Tell whether a word after a flag is its value: a sentence about the flag goes on, a command ends or has flags."""
    before = found.string[max(0, found.start() - _COMMAND_CHARS) : found.start()].rpartition("\n")[2]
    if grammatical().fullmatch(found["value"]) or _of_sentence().search(before):
        return False
    return found["after"] is not None or bool(_other_flag().search(before))


_COMMAND_CHARS: Final = 300


@cache
def _other_flag() -> re.Pattern[str]:
    return re.compile(r"(?<!\S)-{1,2}[A-Za-z][\w-]*[ =]")


@cache
def _of_sentence() -> re.Pattern[str]:
    """Return the words before a flag that is only talked about."""
    return re.compile(
        r"(?:\A|\s)(?:and|or|the|both|either|an?|no|und|oder|der|das|die|y|o|et|ou)\s{1,3}\Z", re.IGNORECASE
    )


def _is_for_show(name: str, value: str) -> bool:
    """Tell whether a word is an example's, a fixture's or a type: `changeme`, `postgres`, `testpass`, `string`."""
    low = value.lower()
    if is_stand_in(low) or is_told_stand_in(value) or ordinary().fullmatch(low.rstrip("!")) or low in _ANYBODYS:
        return True
    is_named = low in name.lower() or _says_secret().search(low) or _capitals().fullmatch(value)
    return bool(is_named) or bool(_of_action().search(name.lower())) or _times().fullmatch(low) is not None


_ANYBODYS: Final = frozenset(
    """
    postgres postgresql mysql mariadb mongo mongodb redis rabbitmq guest minio minioadmin grafana elastic keycloak app
    dev demo docker local localhost development testing tests temp default public sa system oracle wordpress drupal
    nextcloud gitea jenkins sonar airflow superset metabase hasura supabase django rails laravel symfony homestead
    vagrant     foobar foobarbaz barbaz hello world helloworld lorem ipsum
    """.split()
)
"""What sample projects have for a password, so that it hides nothing."""


@cache
def _says_secret() -> re.Pattern[str]:
    return re.compile(r"pass|p(?:ass)?wd|secret|token|kennw|contrase|senha|wachtwoord|here\Z|test|x{3}")


@cache
def _capitals() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?:_[A-Z]+)+|[A-Z]{2,10}")


@cache
def _of_action() -> re.Pattern[str]:
    """Return the names of what is done with passwords, and of what is said about them."""
    return re.compile(
        r"(?:\A|[_.-])(?:forgot(?:ten)?|reset|change|confirm|invalid|wrong|show|hide|update|verify|incorrect|missing"
        r"|requires?|no|has|is|enter|check|validate|with|without|use|ask|min|max|label|error|msg|message|title|text"
        r"|placeholder|hashed|encrypted|type|field|enable|disable|allow)[_.-]"
    )


@cache
def _times() -> re.Pattern[str]:
    return re.compile(r"\d{1,6}[smhdw]?|\d+(?:\.\d+)+")
