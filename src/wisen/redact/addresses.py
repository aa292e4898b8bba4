"""Which secrets stand in an address? The password of a URL, a login before a host, a webhook, a signed query."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.redact.places import Place, if_strong, unless_referred
from wisen.redact.samples import is_published
from wisen.redact.values import is_filler, is_issued, is_random, is_stand_in


@cache
def addresses() -> tuple[Place, ...]:
    """Return the places in addresses, the surest first."""
    return (
        # scheme://user:PASSWORD@host, also where JSON escaped the slashes
        Place(
            (":/", ":\\/"),
            re.compile(
                r"(?<=:)((?:\\?/){2}[^\s/:@\"'<>\[\]\\]{0,100}(?:@[\w.-]{1,100})?:)"
                r"([^\s/\"'<>\[\]\\]{1,200})(?=@([\w.$-]{1,100}|[\[<{%]))"
            ),
            _in_url,
        ),
        # the same with a slash in the password, which makes it no proper URL
        Place(
            ("://",),
            re.compile(r"(?<=:)(//[^\s/:@\"'<>\[\]]{0,100}:)([^\s\"'<>\[\]@:?]{8,200})(?=@([\w.-]{1,100}))"),
            _in_torn_url,
        ),
        # jdbc:oracle:thin:user/PASSWORD@host
        Place(
            ("jdbc:",),
            re.compile(r"(\bjdbc:oracle:\w{1,10}:[\w.$-]{1,60}/)([^\s\"'<>@]{3,100})(?=@([\w./-]{1,100}))"),
            _in_url,
        ),
        # name@host.tld:PASSWORD, but not git@host.tld:path
        Place(
            ("@",),
            re.compile(
                r"((?<=\w)(?<!git)@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}:)([^\s/.:@\"'`<>\[\]]{8,100})(?![/:@\"'`\w]|\.\w)"
            ),
            _after_address,
        ),
        # name:PASSWORD@host.tld, where nobody wrote a scheme
        Place(
            ("@",),
            re.compile(r"((?<=[\w.+-]):)([^\s/:@\"'`<>()\[\]]{5,100})(?=@[\w-]{1,60}\.[A-Za-z0-9])"),
            if_strong,
        ),
        # https://hooks.host.tld/services/T024BE7LD/B0DD08H5G/SECRET
        Place(
            ("hook",),
            re.compile(r"(hooks?\b[^\s\"'<>?#]{0,200}/)([\w-]{16,200})(?![\w/-])", re.IGNORECASE),
            _in_hook,
        ),
        # https://hooks.zapier.com/hooks/catch/123456/SECRET: shorter than others, so known by its host
        Place(
            ("hooks.zapier.com",),
            re.compile(
                r"(hooks\.zapier\.com/hooks/(?:catch|standard)/\d{3,12}/)(?:(?:v\d/)?(\w{5,40}))", re.IGNORECASE
            ),
            _in_short_hook,
        ),
        # https://api.telegram.org/bot123456:KEY/sendMessage
        Place(
            ("bot",),
            re.compile(r"((?<![a-z0-9])bot\d{6,12}:)([\w-]{30,60})(?![\w-])", re.IGNORECASE),
            _of_bot,
        ),
        # otpauth://totp/...?secret=SEED
        Place(
            ("otpauth:",),
            re.compile(r"(otpauth://[^\s\"'<>]{1,300}?[?&]secret=)([A-Za-z2-7]{8,128})"),
            unless_referred,
        ),
        # ?password=PASSWORD in what connects to a database
        Place(
            ("password=", "passwd=", "pwd="),
            re.compile(r"([?&;](?:password|passwd|pwd)=)([^\s\"'<>\[\]&;]{3,200})", re.IGNORECASE),
            _in_query,
        ),
        # ?sig=SIGNATURE, ?key=KEY
        Place(
            ("key=", "sig=", "signature=", "code=", "auth="),
            re.compile(
                r"([?&](?:[\w-]{1,20}-)?(?:api_?key|key|sig|signature|code|auth)=)([\w%+/.~-]{20,600}={0,2})",
                re.IGNORECASE,
            ),
            _signed,
        ),
    )


def _in_url(found: re.Match[str]) -> str:
    is_none = _is_blotted(found[2]) or (_is_for_show(found[2], _login(found)) and _is_nobodys(found[3]))
    return found[0] if is_none else f"{found[1]}[redacted:password]"


def _in_torn_url(found: re.Match[str]) -> str:
    """A slash after the colon begins a path as often as it stands in a password that a machine made."""
    value = found[2]
    is_password = "/" in value and _machine_made().match(value) and not _is_blotted(value)
    return f"{found[1]}[redacted:password]" if is_password else found[0]


@cache
def _machine_made() -> re.Pattern[str]:
    return re.compile(r"(?!\d{1,5}/)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)[\w/+=!~$%&*-]*\Z")


def _login(found: re.Match[str]) -> str:
    return found[1].rstrip(":/").rpartition("/")[2].rpartition(":")[2]


def _is_blotted(password: str) -> bool:
    """Tell whether it only says where the password would be: `$PASS`, `{pass}`, `****`, `YOUR_PASSWORD`."""
    return bool(_referred().match(password) or _to_be_replaced().fullmatch(password) or _rubbed_out().search(password))


@cache
def _referred() -> re.Pattern[str]:
    """Return what refers to a password: stricter than elsewhere, because a password may begin with any sign."""
    return re.compile(
        r"[^$]{0,40}\$[({]|\$(?:[A-Za-z_]\w{0,60}|\d)\Z|\{|#\{|%(?:[A-Za-z_]\w{0,60}%|\(|[sdv]\Z)|(?:process|os)\.env"
    )


@cache
def _to_be_replaced() -> re.Pattern[str]:
    return re.compile(
        r"(?i:(?:your|replace|insert|enter|put)(?:[_-]?\w{0,20})?(?:pass\w{0,5}|pwd|pw|secret|token|key|here)"
        r"|(?:pass\w{0,5}|pwd|secret)[_-](?:goes[_-])?here|redacted|hidden|removed)|PASS(?:WORD|WD)?|PWD|[xX_?#-]{1,200}"
    )


@cache
def _rubbed_out() -> re.Pattern[str]:
    return re.compile(r"\*{3}|•{3}|\.{3}|…|x{4}", re.IGNORECASE)


def _is_for_show(password: str, login: str) -> bool:
    """Tell whether it is the very word for a password, or the login once more."""
    return password == login or bool(_for_show().fullmatch(password))


@cache
def _for_show() -> re.Pattern[str]:
    return re.compile(r"(?:my)?(?:pass(?:word|wd)?|pwd)", re.IGNORECASE)


def _is_nobodys(host: str) -> bool:
    """Tell whether a host is this machine or one that is kept for examples. RFC 2606, RFC 6761."""
    return bool(_nobodys().fullmatch(host.lower().rstrip(".")))


@cache
def _nobodys() -> re.Pattern[str]:
    return re.compile(
        r"localhost|127\.[\d.]+|0\.0\.0\.0|\[|(?:[\w-]+\.)*(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)"
    )


def _after_address(found: re.Match[str]) -> str:
    value = found[2].rstrip(",;)!?")
    cases = {char.isupper() for char in value if char.isalpha()}
    is_chosen = len(cases) > 1 and any(char.isdigit() for char in value)
    return f"{found[1]}[redacted:password]{found[2][len(value) :]}" if is_chosen else found[0]


def _in_hook(found: re.Match[str]) -> str:
    return f"{found[1]}[redacted:webhook]" if is_random(found[2]) else found[0]


def _in_short_hook(found: re.Match[str]) -> str:
    is_none = is_filler(found[2]) or is_stand_in(found[2])
    return found[0] if is_none else f"{found[1]}[redacted:webhook]"


def _of_bot(found: re.Match[str]) -> str:
    is_none = is_filler(found[2]) or is_stand_in(found[2])
    return found[0] if is_none else f"{found[1]}[redacted:telegram]"


_ADDRESS_CHARS: Final = 300


def _in_query(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - _ADDRESS_CHARS) : found.start()]
    is_address = bool(_address().search(before))
    is_none = not is_address or _is_blotted(found[2]) or _is_for_show(found[2], "") or _is_path(found[2])
    return found[0] if is_none else f"{found[1]}[redacted:password]"


@cache
def _address() -> re.Pattern[str]:
    return re.compile(r"(?:://|jdbc:)[^\s\"'<>]{0,300}\Z")


def _is_path(value: str) -> bool:
    return value.startswith(("/", "~", "."))


def _signed(found: re.Match[str]) -> str:
    value = found[2]
    is_made = is_random(value) or ("sig" in found[1].lower() and is_issued(value))
    return f"{found[1]}[redacted:secret]" if is_made and not is_filler(value) and not is_published(value) else found[0]
