"""Which sentences hand over a login without the word "password"? "Log in as qa with ...", "ssh in as root/..."."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from wisen.redact.spans import Span, without
from wisen.redact.values import is_issued, is_reference, is_strong, is_vocabulary, lowered


def without_logins(text: str) -> str:
    """Return text with `[redacted:password]` for what a sentence about logging in hands over."""
    return without(text, _handed(text, lowered(text)))


# --- the sentence ------------------------------------------------------------------------------------------------

_DEEDS: Final = (
    r"log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed|ing)?[ -]?(?:in|on)(?!\w)|ssh(?!\w)|s?ftp(?!\w)|vnc(?!\w)|rdp(?!\w)"
    r"|connect|authenticate|unlock|sudo(?!\w)|su -|get into(?!\w)|anmeld|melde? dich|logge(?!\w)|einlogg|inicia"
    r"|acced[ae]|entr[ae]r?(?!\w)|con[ée]cta|identifie|inlogg|zalogu|войд|войти|зайд|залогин|подключ|登[录錄陆入]|ログイン|サインイン|로그인"
)
_LONGEST_SENTENCE: Final = 300


@cache
def _deed() -> re.Pattern[str]:
    return re.compile(_DEEDS)


def _handed(text: str, low: str) -> Iterator[Span]:
    """Yield what is handed over where a line speaks of logging in."""
    at = 0
    while deed := _deed().search(low, at):
        start, at = deed.start(), deed.end()
        if _in_name().match(low, at) or (start and low[start].isascii() and _of_name().match(low, start - 1)):
            continue
        begin = max(low.rfind("\n", 0, start) + 1, start - _LONGEST_SENTENCE)
        end = low.find("\n", at, at + _LONGEST_SENTENCE)
        at = end if end >= 0 else min(len(low), at + _LONGEST_SENTENCE)
        yield from _in_sentence(text, begin, at)


@cache
def _in_name() -> re.Pattern[str]:
    """Return what goes on with a name that only has such a word in it: `login-action`, `ssh_config`."""
    return re.compile(r"[-_/]\w|\.\w")


@cache
def _of_name() -> re.Pattern[str]:
    return re.compile(r"[\w/.-]")


def _in_sentence(text: str, begin: int, end: int) -> Iterator[Span]:
    if _code_marks().search(text, begin, end):
        return
    for found in _introduced().finditer(text, begin, end):
        value = found["value"].rstrip(_AFTER)
        if _is_handed(found["by"], value) and (found["by"] not in "/:" or _login().search(text, begin, found.start())):
            yield Span(found.start("value"), found.start("value") + len(value), "password")
    if pair := _pair().search(text, begin, end):
        yield Span(*pair.span("value"), "password")


@cache
def _login() -> re.Pattern[str]:
    """Return a name that stands alone: before a slash it is a login, and no directory."""
    return re.compile(r"(?<!\S)[\w.+-]{2,40}(?:@[\w.-]{3,60})?\Z")


_AFTER: Final = ".,;:)]}*_|"


@cache
def _code_marks() -> re.Pattern[str]:
    return re.compile(r"[{}()\[\]<>;=|\\]|//|--|::|->|\$\w")


@cache
def _introduced() -> re.Pattern[str]:
    """Return the words before what is handed over, in a group by how much they say, and it."""
    return re.compile(
        r"(?P<by>(?<!\w)(?:with|using|use|enter|type|answer|then|mit|con|avec|com|met|con|z|с|паролем|пароль)[ \t]"
        r"|(?<!\w)(?:and|und|y|et|e|en|и|i)[ \t]|[ \t]?[/:,、，][ \t]?|[用和はと][ \t]?)"
        r"(?=[\"'`*“„«]{0,3}(?P<value>[!#-&(-_a-~]{5,64})(?![!#-&(-_a-~]))",
        re.IGNORECASE,
    )


@cache
def _pair() -> re.Pattern[str]:
    """`as root/WORD` at the end of what is said: even a plain word can be nothing else."""
    return re.compile(
        r"(?<!\w)(?:as|als|como|comme|come|как)[ \t][\w.-]{2,30}[ \t]?[/:][ \t]?"
        r"(?P<value>(?!sudo\b|user\b|admin\b)[a-z]{4,20})"
        r"(?=[.!]?(?:\s*\Z|\n)|[.!,][ \t]|[ \t](?:on|at|in|for|auf|en|sur)[ \t])",
        re.IGNORECASE,
    )


# --- what is handed over -----------------------------------------------------------------------------------------


def _is_handed(by: str, value: str) -> bool:
    """Tell whether a word after such an introduction is a password: more than a name with a number."""
    core = value.rstrip("!?")
    if numbered := _numbered().fullmatch(core):
        # `hunter2`, `Summer-24` or `node18`, `Ubuntu-22`: only the word tells.
        is_told = bool(_says_with().match(by)) or by.strip() in {"/", ":"} or value != core
        is_build = "-" in core and core.islower()  # `chromium-1169`
        return is_told and not is_build and numbered[1].lower() not in _NUMBERED and not is_reference(core)
    if _unlikely().search(core) or is_issued(core) or is_vocabulary(core) or not is_strong(value):
        return False
    return bool(_mixed().search(core)) and not _name().fullmatch(core)


@cache
def _unlikely() -> re.Pattern[str]:
    """Return what paths, image names and versions have inside."""
    return re.compile(r"[/:]|@v?\d")


@cache
def _says_with() -> re.Pattern[str]:
    return re.compile(r"\w{2,}[ \t]", re.IGNORECASE)


@cache
def _numbered() -> re.Pattern[str]:
    return re.compile(r"([A-Za-z]{3,}?)(?:-[A-Za-z]+)*-?\d{1,4}")


_NUMBERED: Final = frozenset(
    """
    node python py php java jdk golang rust ruby pnpm npm yarn bun deno vue react angular next nuxt svelte postgres
    postgresql psql mysql mariadb redis mongo sqlite http https tls ssl ssh ftp oauth saml oidc ldap utf ipv es ecma
    windows win ubuntu debian alpine fedora centos rhel macos ios android chrome firefox safari edge claude opus
    sonnet haiku gpt gemini llama qwen mistral swift kotlin scala dotnet net qt gtk bootstrap tailwind vite webpack
    test tests user users admin account role group team tenant org client server host worker box machine port env dev
    prod staging stage qa uat demo local app api web db cache queue page tab step phase part level task job issue
    ticket pr case version release build branch key token login region zone cluster pod vm lab gate door room day
    """.split()
)
"""What developers number: tools, versions of languages, and the things of a test bed."""


@cache
def _name() -> re.Pattern[str]:
    """`e2e-user`, `i18n-key`, `k8s`: words with a short abbreviation among them, all small or all capitals."""
    return re.compile(
        r"(?:[a-z]{1,2}\d{1,3}[a-z]{1,3}|[a-z]+)(?:[-_.](?:[a-z]{1,3}\d{1,3}[a-z]{0,3}|[a-z]+\d{0,3}))*|[A-Z0-9_-]+"
    )


@cache
def _mixed() -> re.Pattern[str]:
    """Return a digit or sign inside a word, or a word that goes on after one."""
    return re.compile(
        r"[A-Za-z](?=[^A-Za-z]*[\d!#$%^])[\d!#$%&*+@^~]+[A-Za-z]|[!#$%&*+@^~].*\d|\d.*[!#$%&*+@^~]|[A-Z][a-z]+.*[-_]\d|[a-z]\d+\Z"
    )
