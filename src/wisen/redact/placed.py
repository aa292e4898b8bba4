"""Which secrets are known by their place: a URL's password, an Authorization header, a flag, a connection string."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.redact.addresses import addresses
from wisen.redact.connections import without_connections
from wisen.redact.places import Place, if_strong, taken, unless_referred
from wisen.redact.tools import tools
from wisen.redact.values import is_filler, is_issued, is_mixed, is_random, is_reference, is_stand_in, is_withheld


def without_placed(text: str) -> str:
    """Return text with `[redacted:password]` or `[redacted:authorization]` where only a secret can stand."""
    low = text.lower()
    for place in _places():
        if any(hint in low for hint in place.hints):
            text = place.pattern.sub(place.replace, text)
    return without_connections(text)


@cache
def _places() -> tuple[Place, ...]:
    return (*addresses(), *_headers(), *_flags(), *tools(), *_files())


# --- headers -----------------------------------------------------------------------------------------------------


@cache
def _headers() -> tuple[Place, ...]:
    return (
        # Authorization: Bearer VALUE, also X-Api-Key and their like
        Place(
            ("authorization", "-key", "-token"),
            re.compile(
                r"\b((?:proxy-)?authorization|x-[a-z-]{0,30}(?:key|token)|private-token"
                r"|api-key)(\"?'?\s{0,3}[:=,]\s{0,3}[\"']?\s{0,3})"
                r"([a-z][a-z-]{2,20}\s{1,3})?([A-Za-z0-9+/=_.~:|-]{8,4000})",
                re.IGNORECASE,
            ),
            _in_header,
        ),
        Place(
            ("bearer",),
            re.compile(r"\b(bearer)(\s{1,3})()([A-Za-z0-9+/=_.~-]{20,4000})", re.IGNORECASE),
            _in_header,
        ),
        # Cookie: name=VALUE; other=VALUE, also Set-Cookie and what curl sends
        Place(
            ("cookie", "curl"),
            re.compile(
                r"(?:\bcookie[\"']?\s{0,3}[:=]|\bcurl(?=\s)[^\n]{0,300}?\s(?:-b|--cookie)\s)\s{0,3}[\"']?[^\n\"']{8,4000}",
                re.IGNORECASE,
            ),
            _in_cookies,
        ),
    )


def _in_cookies(found: re.Match[str]) -> str:
    return _cookie().sub(_in_cookie, found[0])


def _in_cookie(found: re.Match[str]) -> str:
    value = found[2].removeprefix("s%3A")
    is_made = (is_random(value) or is_issued(value)) and not is_withheld(value)
    return f"{found[1]}[redacted:cookie]" if is_made else found[0]


@cache
def _cookie() -> re.Pattern[str]:
    return re.compile(r"((?<=[\s;:\"'])[\w.-]{1,60}=)([^\s;,\"'=]{16,2000}={0,2})")


def _in_header(found: re.Match[str]) -> str:
    is_list = "," in found[2] and not found[3]  # of names, one of them this header's
    if is_list or is_withheld(found[4]) or not (is_mixed(found[4]) or is_random(found[4])):
        return found[0]
    return f"{found[1]}{found[2]}{found[3] or ''}[redacted:authorization]"


# --- flags and variables of commands -----------------------------------------------------------------------------


_PROGRAMS: Final = (
    r"\b(?:(?:docker|podman|buildah|skopeo|nerdctl|helm registry|az acr|oc)\slogin\s[^\n|;&]{0,120}?-p\s{1,3}"
    r"|(?:sqlcmd|bcp|zip|unzip|mosquitto_[ps]ub)\s[^\n|;&]{0,80}?-P\s{1,3}|7z\w?\s[^\n|;&]{0,80}?\s-p(?=\S)"
    r"|ldap\w{3,10}\s[^\n|;&]{0,120}?-w\s{1,3}|openssl\senc\s[^\n|;&]{0,80}?-k\s{1,3}"
    r"|(?:keytool|jarsigner)\s[^\n|;&]{0,120}?-(?:store|key)pass\s{1,3})"
)
"""Programs of the command line whose flag of one letter is a password, and not a port, a path or a pattern."""


_MOUNTED: Final = r"(?:id|type|src|source|target|dst|env|uid|gid|mode|required|readonly|name|file)="
"""What a secret that is mounted begins with: its parts are named, and its value is in a file or a variable."""


@cache
def _flags() -> tuple[Place, ...]:
    return (
        # curl -u user:PASSWORD, quoted as a whole or in parts
        Place(
            ("-u",),
            re.compile(
                r"(\s(?:-u|--user|--proxy-user)[ =]{1,2}[\"']?[^\s:\"'\[\]]{0,100}[\"']?:[\"']?)"
                r"([^\s\"'\[\]]{3,200})"
            ),
            _after_user,
        ),
        # curl -u TOKEN: has no password
        Place(
            ("-u",),
            re.compile(r"(\s(?:-u|--user)[ =]{1,2}[\"']?)([^\s:\"'\[\]]{8,200})(?=:[\"']?(?:\s|$))"),
            _in_flag,
        ),
        # --password VALUE, sshpass -p VALUE, mysql -pVALUE, openssl -passin pass:VALUE
        Place(
            ("--", "sshpass", "mysql", "-pass"),  # docker build --secret id=npmrc,src=FILE names a file
            re.compile(
                r"(\s--(?:[a-z]{1,20}-)?(?:pass(?:word|wd|phrase)?|token|api-key|secret(?:-key)?)\s{1,3}[\"']?"
                r"|\bsshpass\s{1,3}-p\s{0,3}[\"']?|\bmysql(?:dump|admin)?\s[^\n|;&]{0,80}?\s-p[\"']?"
                r"|\s-pass(?:in|out|word)?\s{1,3}[\"']?pass:)"
                rf"((?!{_MOUNTED})[^\s\"'`\[\]]{{4,200}})"
            ),
            _in_flag,
        ),
        # docker login -p PASSWORD and other programs that ask for one in a flag of one letter
        Place(
            (" -p", " -w ", " -k ", "-storepass"),
            re.compile(rf"({_PROGRAMS}[\"']?)([^\s\"'\[\];&|]{{4,200}})"),
            _in_letter_flag,
        ),
        # echo PASSWORD | sudo -S
        Place(
            ("-stdin", "--with-token", "sudo -s", "chpasswd", "--passphrase-fd"),
            re.compile(
                r"(\b(?:echo|printf)\s{1,3}(?:-n\s{1,3})?(?:%s\s{1,3})?[\"']?(?:[\w.-]{1,40}:)?)"
                r"([^\s\"'\[\]|;&]{4,200})(?=[\"']?\s{0,3}\|\s{0,3}[^\n|;&]{0,120}?"
                r"(?:--[a-z-]{0,20}-stdin|--with-token|sudo\s{1,3}-S|\bchpasswd|--passphrase-fd))"
            ),
            unless_referred,
        ),
        # IDENTIFIED BY 'PASSWORD', ConvertTo-SecureString "PASSWORD"
        Place(
            ("identified by", "convertto-securestring", "with password"),
            re.compile(
                r"(\b(?:identified\s(?:with\s[\w\"']{1,40}\s)?by|with\s(?:encrypted\s)?password)\s{1,3}[\"']"
                r"|\bconvertto-securestring\s{1,3}(?:-(?:string|asplaintext|force)\s{1,3}){0,3}[\"'])"
                r"([^\r\n\"'\[\]]{4,200})(?=[\"'\r\n]|\Z)",
                re.IGNORECASE,
            ),
            unless_referred,
        ),
        # redis-cli -a PASSWORD
        Place(
            ("redis-cli",),
            re.compile(r"(\bredis-cli\s[^\n|;&]{0,80}?-a\s{1,3}[\"']?)([^\s\"'\[\];&]{4,200})"),
            unless_referred,
        ),
        # PGPASSWORD=PASSWORD
        Place(
            ("pgpassword", "mysql_pwd", "rediscli_auth", "sshpass"),
            re.compile(r"(\b(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH|SSHPASS)=[\"']?)([^\s\"'\[\];&]{4,200})"),
            unless_referred,
        ),
        # BUNDLE_GEMS__ACME__COM=user:PASSWORD
        Place(
            ("bundle_",),
            re.compile(
                r"(\bBUNDLE_[A-Z0-9_]{1,80}__[A-Z0-9]{2,20}['\"]?\s{0,3}[:=]\s{0,3}['\"]?)"
                r"([\w.%+-]{1,100}:[\w.%+-]{4,100})"
            ),
            unless_referred,
        ),
    )


_COMMAND_CHARS: Final = 600
_LONGEST_CHOSEN: Final = 20


def _after_user(found: re.Match[str]) -> str:
    value = found[2].rstrip(".>)")
    core = value.strip("{}") if not value.startswith("{{") else value
    if is_reference(core) or is_stand_in(core) or (core != value and not is_mixed(core)):
        return found[0]
    # `docker run -u 1000:1000`: other programs take a user and a group.
    before = found.string[max(0, found.start() - _COMMAND_CHARS) : found.start()]
    if "curl" not in before and (is_filler(core) or not is_mixed(core)):
        return found[0]
    return f"{found[1]}[redacted:password]{found[2][len(value) :]}"


def _in_letter_flag(found: re.Match[str]) -> str:
    return found[0] if found[2].startswith("-") else unless_referred(found)


def _in_flag(found: re.Match[str]) -> str:
    value = found[2]
    if len(value) > _LONGEST_CHOSEN and is_filler(value):
        return found[0]
    return taken(found) if is_random(value) and not is_withheld(value) else if_strong(found)


# --- files of logins ---------------------------------------------------------------------------------------------


@cache
def _files() -> tuple[Place, ...]:
    return (
        # .netrc: machine HOST login NAME password PASSWORD
        Place(
            ("login",),
            re.compile(
                r"(\b(?:machine\s{1,9}[\w.-]{1,100}|default)\s{1,9}login\s{1,9}\S{1,100}\s{1,9}password\s{1,9})(\S{3,200})"
            ),
            unless_referred,
        ),
        # .pgpass: HOST:PORT:DATABASE:NAME:PASSWORD, on a line of its own or as a command writes it
        Place(
            (":543", ":*:"),
            re.compile(rf"({_HOST}:(?:543\d|\*):{_DATABASE_AND_NAME}:)({_ESCAPED}{{4,200}})(?=[\"'`\s]|\Z|\\[nrt])"),
            unless_referred,
        ),
        # the same with any port where the text speaks of the file
        Place(
            ("pgpass",),
            re.compile(rf"({_HOST}:\d{{2,5}}:{_DATABASE_AND_NAME}:)({_ESCAPED}{{4,200}})(?=[\"'`\s]|\Z|\\[nrt])"),
            unless_referred,
        ),
    )


_ESCAPED: Final = r"(?:[^\s\"'`\\]|\\(?![nrt]))"
_HOST: Final = r"(?<![\w.*/-])[\w.*-]{1,100}"
_DATABASE_AND_NAME: Final = r"(?:\*|[A-Za-z_][\w-]{0,60}):(?:\*|[A-Za-z_][\w.@-]{0,60})"
