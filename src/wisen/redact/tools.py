"""Which secrets are handed to a program where no flag names them? `htpasswd -b FILE bob PASSWORD`, `-U bob%PASSWORD`.

Each place is of one program's own grammar, so even a plain word there is the secret.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.redact.places import Place, Replace, unless_referred
from wisen.redact.values import is_issued, is_random, is_reference, is_stand_in, is_withheld

_COMMAND: Final = r"\s(?:[^\n|;&\"']|\"[^\"\n]*\"|'[^'\n]*'|[\"'])*"
"""A program's arguments to the end of the command: taken as a whole, so that one pass sees every flag once."""
_WORD: Final = r"[^\s\"'\[\]|;&<>]"
_I_M: Final = re.IGNORECASE | re.MULTILINE
_WHOLE: Final = rf"(?:(?<=\")[^\"\n]{{3,2000}}|(?<=')[^'\n]{{3,2000}}|{_WORD}{{3,2000}})"
"""An argument, with its spaces where it is quoted."""
_ARGUMENT: Final = rf"(?:[\"']?{_WORD}{{1,200}}[\"']?\s{{1,3}})"


@cache
def tools() -> tuple[Place, ...]:
    """Return the places in calls of programs and in what key files print, the surest first."""
    return (*_logins(), *_accounts(), *_vaults(), _printed(), _written())


# --- who logs in -------------------------------------------------------------------------------------------------


def _of_command(hints: tuple[str, ...], program: str, inside: str, replace: Replace = unless_referred) -> Place:
    """Return the places inside the calls of a program: group 1 is what stands before the value, group 2 the value."""
    inner = re.compile(inside, re.IGNORECASE if "/" in inside else re.NOFLAG)
    return Place(
        hints,
        re.compile(rf"\b(?:{program}){_COMMAND}", re.IGNORECASE if "/" in inside else re.NOFLAG),
        lambda call: inner.sub(replace, call[0]),
    )


def _logins() -> tuple[Place, ...]:
    return (
        # az login --service-principal -u ID -p SECRET, mongosh -u bob -p PASSWORD, plink -pw PASSWORD
        _of_command(
            ("az login", "mongo", "cqlsh", "psexec", "ncftp"),
            r"az\slogin|mongo(?:sh|dump|restore|import|export)?|cqlsh|psexec(?:64)?(?:\.exe)?|ncftp\w{0,4}",
            rf"(\s-p[ \t]{{1,3}}[\"']?)({_WORD}{{4,200}})",
        ),
        _of_command(
            ("plink", "pscp", "psftp"),
            r"(?:plink|pscp|psftp)(?:\.exe)?",
            rf"(\s-pw[ \t]{{1,3}}[\"']?)({_WORD}{{4,200}})",
        ),
        _of_command(("ssh-keygen",), "ssh-keygen", rf"(\s-[NP][ \t]{{1,3}}[\"']?)({_WORD}{{4,200}})"),
        # smbclient -U DOMAIN/bob%PASSWORD
        _of_command(
            ("%",),
            r"smb\w{2,8}|rpcclient|winexe|wmic|net\s(?:rpc|ads)|samba-tool",
            rf"(\s(?:-U|--user(?:name)?)[ =]{{0,3}}[\"']?[^\s\"'%|;&]{{1,100}}%)({_WORD}{{3,200}})",
        ),
        # lftp -u bob,PASSWORD
        _of_command(("lftp",), "lftp", rf"(\s(?:-u|--user)[ =]{{0,3}}[\"']?[^\s\"',|;&]{{1,100}},)({_WORD}{{3,200}})"),
        # net use Z: \\server\share PASSWORD /user:bob, also behind the name
        Place(
            ("net use",),
            re.compile(
                rf"(\bnet\suse\s(?:[\"']?(?:[a-z]:|\*)[\"']?\s{{1,3}})?[\"']?\\\\[^\s\"']{{1,200}}[\"']?\s{{1,3}}"
                rf"(?:/\w{{1,10}}(?::[^\s]{{1,100}})?\s{{1,3}}){{0,4}}[\"']?)((?![/*]){_WORD}{{3,200}})",
                re.IGNORECASE,
            ),
            unless_referred,
        ),
        # cmdkey /pass:PASSWORD, xfreerdp /p:PASSWORD
        _of_command(
            ("/p", "/rp"),
            r"(?:cmdkey|[wx]?l?freerdp\d?|wmic|schtasks|sc|certutil)(?:\.exe)?",
            rf"(\s/(?:p(?:ass(?:word)?)?|rp)[: ][\"']?)({_WORD}{{3,200}})",
        ),
    )


# --- who gets an account -----------------------------------------------------------------------------------------


def _accounts() -> tuple[Place, ...]:
    return (
        # htpasswd -bc FILE bob PASSWORD; with -n there is no file
        Place(
            ("passwd",),
            re.compile(
                r"(\b(?:ht|mosquitto_)passwd(?:\s{1,3}-\w{1,9}(?:\s{1,3}\d{1,3}(?=\s))?){1,6})((?:\s{1,3}[\"']?[^\s|;&]{1,200}){2,3})"
            ),
            _in_batch,
        ),
        # rabbitmqctl add_user bob PASSWORD
        _of_command(
            ("add_user", "change_password"),
            "rabbitmqctl",
            rf"(\s(?:add_user|change_password)\s{{1,3}}{_ARGUMENT}[\"']?)({_WORD}{{3,200}})",
        ),
        # net user bob PASSWORD /add
        Place(
            ("net user",),
            re.compile(
                rf"(\bnet\suser\s{{1,3}}{_ARGUMENT}[\"']?)((?![/*]){_WORD}{{3,200}})(?=[\"']?\s{{1,3}}/|[\"']?\s*$)",
                _I_M,
            ),
            unless_referred,
        ),
    )


def _in_batch(found: re.Match[str]) -> str:
    """Take the last of the arguments out: FILE, name and password, or without a file where the flags say so."""
    flags = "".join(re.findall(r"-(\w+)", found[1]))
    arguments = list(_argument().finditer(found[2]))
    of_password = 1 if "n" in flags else _AFTER_FILE
    if "b" not in flags or len(arguments) <= of_password:
        return found[0]
    start, end = arguments[of_password].span(1)
    value = found[2][start:end]
    is_none = is_withheld(value) if len(value) > _LONGEST_CHOSEN else is_reference(value) or is_stand_in(value)
    return found[0] if is_none else f"{found[1]}{found[2][:start]}[redacted:password]{found[2][end:]}"


_AFTER_FILE: Final = 2
_LONGEST_CHOSEN: Final = 20


@cache
def _argument() -> re.Pattern[str]:
    return re.compile(r"\s[\"']?([^\s\"']+)")


# --- what keeps secrets ------------------------------------------------------------------------------------------


_GIVEN: Final = r"(?:=|\s{1,3})[\"']?(?!-)"


def _vaults() -> tuple[Place, ...]:
    return (
        # gh secret set NAME --body VALUE
        _of_command(("secret set",), r"gh\ssecret\sset", rf"(\s(?:-b|--body){_GIVEN})({_WHOLE})", _kept),
        _of_command(("secretsmanager",), r"aws\ssecretsmanager", rf"(\s--secret-string{_GIVEN})({_WHOLE})", _kept),
        _of_command(
            ("put-parameter",),
            r"aws\sssm\sput-parameter(?=[^\n|;&]{0,160}SecureString)",
            rf"(\s--value{_GIVEN})({_WHOLE})",
            _kept,
        ),
        _of_command(("keyvault",), r"az\skeyvault\ssecret\sset", rf"(\s--value{_GIVEN})({_WHOLE})", _kept),
        Place(
            ("encrypt_string",),
            re.compile(rf"(\bansible-vault\sencrypt_string\s{{1,3}}[\"']?)((?!-){_WHOLE})"),
            _kept,
        ),
        # fly secrets set NAME=VALUE OTHER=VALUE
        Place(
            ("secrets set",),
            re.compile(r"(\b(?:fly(?:ctl)?|supabase|doppler|railway)\ssecrets\sset\s)([^\n|;&]{3,600})"),
            _all_kept,
        ),
    )


def _kept(found: re.Match[str]) -> str:
    is_none = is_reference(found[2]) or is_stand_in(found[2])
    return found[0] if is_none else f"{found[1]}[redacted:secret]"


def _all_kept(found: re.Match[str]) -> str:
    return found[1] + _assigned().sub(_kept, found[2])


@cache
def _assigned() -> re.Pattern[str]:
    return re.compile(rf"((?<![\w-])[A-Za-z_]\w{{0,80}}=[\"']?)({_WORD}{{3,400}})")


# --- files that hold a key and nothing else ----------------------------------------------------------------------

_MADE: Final = r"(?P<value>[A-Za-z0-9+/_-]{20,400}={0,2})"
_END_OF_LINE: Final = r"(?:\n|\\{1,2}(?:r\\{1,2})?n)"
"""The end of a line, also where JSON has escaped it."""


def _printed() -> Place:
    """Return what follows the call that shows a key file: `$ cat config/master.key` and the key on the next line."""
    return Place(
        ("key", "secret", "token", "passphrase"),
        re.compile(
            r"(\b(?:cat|less|more|head|tail|bat|type|gc|get-content|git\sshow)\s"
            rf"(?P<file>(?:[^\n|;&\\]|\\(?!\\?[rn])){{1,160}}){_END_OF_LINE}\s{{0,9}}"
            r"(?:\d{1,4}[ \t]?[→|:\t][ \t]?)?[`\"']{0,3})"
            rf"{_MADE}(?![\w+/.-])",
            re.IGNORECASE,
        ),
        _in_file,
    )


def _written() -> Place:
    """Return what is put into such a file: `echo KEY > config/master.key`."""
    return Place(
        ("key", "secret", "token", "passphrase"),
        re.compile(
            rf"(\b(?:echo|printf)\s(?:-\w{{1,3}}\s|[\"']?%s(?:\\n)?[\"']?\s){{0,2}}[\"']?){_MADE}"
            r"(?=[\"']?\s{0,3}(?:>{1,2}|\|\s{0,3}(?:sudo\s)?tee(?:\s-a)?\s)\s{0,3}(?P<file>[^\s|;&]{1,160}))",
            re.IGNORECASE,
        ),
        _in_file,
    )


def _in_file(found: re.Match[str]) -> str:
    value = found["value"]
    is_made = (is_random(value) or is_issued(value)) and not is_withheld(value)
    is_of_key = bool(_key_file().search(found["file"].rstrip(" \t\r\"'`):")))
    return f"{found[1]}[redacted:secret]" if is_made and is_of_key else found[0]


@cache
def _key_file() -> re.Pattern[str]:
    return re.compile(r"(?:key|secret|token|passphrase)(?:\.(?:txt|hex|b64|dat|enc))?\Z", re.IGNORECASE)
