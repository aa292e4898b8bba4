"""Takes secrets and private spans out of text before it is stored, logged or sent.

A secret is known by its form (a provider's prefix), by its place (an Authorization header, the password of a URL) or
by its name (`DB_PASSWORD=...`). What only looks like one stays: hashes, UUIDs, colours, `$TOKEN`, `<your-key>`, `xxxx`.
Every pattern is linear: bounded repeats, or one open repeat over a set that the next character is not in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

_Replace: TypeAlias = Callable[[re.Match[str]], str]


class FloorRedactor:
    """The redactor that needs no model and no network. `ports.Redactor`."""

    def redact(self, text: str) -> str:
        """Return text with `[private]` for private spans and `[redacted:KIND]` for secrets. Idempotent."""
        for _ in range(_MOST_ROUNDS):
            before, text = text, _redacted(text)
            if text == before:
                break
        return text


_MOST_ROUNDS: Final = 8
"""Taking one secret out can bare another that stood against it; two rounds settle nearly every text."""


def _redacted(text: str) -> str:
    out = _without_private(text)
    for form in FORMS:
        if any(hint in out for hint in form.hints):
            out = _compiled(form).sub(_form_replacer(form.kind), out)
    for pattern, replace in _placed():
        out = pattern.sub(replace, out)
    return out


# --- private spans ----------------------------------------------------------------------------------------------

PRIVATE: Final = "[private]"


@cache
def _private_tags() -> re.Pattern[str]:
    return re.compile(r"<\s{0,9}(/?)\s{0,9}private\b[^<>]{0,200}>", re.IGNORECASE)


def _without_private(text: str) -> str:
    """Cut out `<private>` spans, nested ones whole, an unclosed one to the end of the text."""
    if "private" not in text.lower():
        return text
    kept: list[str] = []
    depth = at = 0
    for tag in _private_tags().finditer(text):
        if tag[1]:
            if depth == 1:
                at = tag.end()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                kept += (text[at : tag.start()], PRIVATE)
            depth += 1
    if depth == 0:
        kept.append(text[at:])
    return "".join(kept)


# --- known by form ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """A provider's way to write a secret. `hints` are literals one of which is in every text that holds one."""

    kind: str
    hints: tuple[str, ...]
    pattern: str
    is_word: bool = True  # does not begin or end in the middle of a longer word


_START: Final = r"(?<![A-Za-z0-9])"
_END: Final = r"(?![A-Za-z0-9])"

FORMS: Final[Sequence[Form]] = (
    Form(
        "private-key",
        ("PRIVATE KEY",),
        r"-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END[ A-Z0-9_-]{0,60}-----|\Z)",
        is_word=False,
    ),
    Form(
        "aws",
        ("A3T", "AKIA", "ASIA", "ABIA", "ACCA"),
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)(?!\w{9}EXAMPLE)[A-Z2-7]{16}",
    ),
    Form("aws", ("ABSK",), r"ABSK[A-Za-z0-9+/]{109,269}={0,2}"),
    Form("anthropic", ("sk-ant-",), r"sk-ant-[a-z]+\d\d-[\w-]{80,130}"),
    Form("openai", ("sk-",), r"sk-(?!ant-)(?=[\w-]{0,200}\d)[\w-]{32,220}"),
    Form("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[\w.-]{36,500}"),
    Form("github", ("github_pat_",), r"github_pat_\w{60,120}"),
    Form(
        "gitlab",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glsoat-", "glagent-", "gloas-"),
        r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|oas)-[\w.-]{20,300}",
    ),
    Form("slack", ("xox",), r"xox[a-z](?:\.xox[a-z])?-(?=[A-Za-z-]{0,40}\d[\d-]{3})[A-Za-z0-9-]{20,300}"),
    Form("slack", ("xapp-",), r"xapp-\d-[A-Za-z0-9-]{20,300}"),
    Form("slack", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{18,200}"),
    Form("google", ("AIza",), r"AIza[\w-]{35}"),
    Form("google", ("GOCSPX-",), r"GOCSPX-[\w-]{28}"),
    Form("google", ("ya29.",), r"ya29\.[\w-]{20,400}"),
    Form("stripe", ("k_live_", "k_test_", "k_prod_"), r"[rs]k_(?:live|test|prod)_[A-Za-z0-9]{20,200}"),
    Form("stripe", ("whsec_",), r"whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    Form("npm", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    Form("pypi", ("pypi-AgE",), r"pypi-AgE[\w-]{50,1000}"),
    Form("jwt", ("ey",), r"ey[A-Za-z0-9_-]{15,4000}\.ey[\w/\\-]{15,8000}(?:\.[\w/\\-]{0,8000}={0,2})?"),
    Form("jwt", ("ZXlK",), r"ZXlK[A-Za-z0-9+/]{100,9000}={0,2}"),
    Form("huggingface", ("hf_", "api_org_"), r"(?:hf|api_org)_[A-Za-z]{34}"),
    Form("groq", ("gsk_",), r"gsk_[A-Za-z0-9]{50,60}"),
    Form("perplexity", ("pplx-",), r"pplx-[A-Za-z0-9]{48}"),
    Form("replicate", ("r8_",), r"r8_[A-Za-z0-9]{37}"),
    Form("notion", ("ntn_",), r"ntn_\d{11}[A-Za-z0-9]{35}"),
    Form("linear", ("lin_",), r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}"),
    Form("figma", ("fig",), r"fig[dour]_[\w-]{40,80}"),
    Form("databricks", ("dapi",), r"dapi[a-fA-F0-9]{32}(?:-\d)?"),
    Form("digitalocean", ("_v1_",), r"do[opr]_v1_[a-f0-9]{64}"),
    Form("docker", ("dckr_",), r"dckr_(?:pat|oat)_[\w-]{24,60}"),
    Form("1password", ("ops_eyJ",), r"ops_eyJ[A-Za-z0-9+/]{200,2000}={0,3}"),
    Form("1password", ("A3-",), r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    Form("vault", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{24,400}"),
    Form("terraform", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}"),
    Form("pulumi", ("pul-",), r"pul-[a-f0-9]{40}"),
    Form("grafana", ("glc_", "glsa_"), r"glc_[A-Za-z0-9+/]{32,400}={0,3}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    Form("sentry", ("sntry",), r"sntry[su]_[A-Za-z0-9+/=_]{40,500}"),
    Form("sendgrid", ("SG.",), r"SG\.[\w-]{16,40}\.[\w-]{30,60}"),
    Form("shopify", ("shp",), r"shp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,40}"),
    Form("square", ("EAAA", "sq0"), r"EAAA[\w-]{60}|sq0(?:atp|csp|idp)-[\w-]{22,60}"),
    Form("facebook", ("EAA",), r"EAA[MC][A-Za-z0-9]{100,300}"),
    Form("mailchimp", ("-us",), r"[a-f0-9]{32}-us\d{1,2}"),
    Form("tailscale", ("tskey-",), r"tskey-[a-z]+-[A-Za-z0-9]{8,20}(?:-[A-Za-z0-9]{16,60})?"),
    Form("vercel", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), r"vc[piark]_[A-Za-z0-9]{24,80}"),
    Form(
        "cloudflare",
        ("cfat_", "cfut_", "cfk_", "v1.0-"),
        r"cf(?:at|ut|k)_[A-Za-z0-9]{40,60}|v1\.0-[a-f0-9]{24}-[a-f0-9]{146}",
    ),
    Form("heroku", ("HRKU-",), r"HRKU-[\w-]{58,70}"),
    Form("fly", ("fo1_", "fm1", "fm2_"), r"fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,2000}={0,3}"),
    Form("azure", ("Q~",), r"(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~])"),
    Form("atlassian", ("ATATT3", "ATCTT3"), r"AT[AC]TT3[\w=-]{100,300}"),
    Form("sonar", ("squ_", "sqp_", "sqa_"), r"sq[upa]_[a-f0-9]{40}"),
    Form("sourcegraph", ("sgp_",), r"sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}"),
    Form("openshift", ("sha256~",), r"sha256~[\w-]{43}"),
    Form("infracost", ("ico-",), r"(?<![\w.])ico-[A-Za-z0-9]{32}"),
    Form("octopus", ("API-",), r"API-[A-Z0-9]{26}"),
    Form("postman", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    Form("newrelic", ("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    Form("telegram", (":AA",), r"\d{8,10}:AA[\w-]{33}"),
    Form("age", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    Form("42", ("s-s4t2",), r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
)


@cache
def _compiled(form: Form) -> re.Pattern[str]:
    return re.compile(f"{_START}(?:{form.pattern}){_END}" if form.is_word else form.pattern)


@cache
def _form_replacer(kind: str) -> _Replace:
    def replace(found: re.Match[str]) -> str:
        return found[0] if _is_filler(found[0]) else f"[redacted:{kind}]"

    return replace


# --- known by place or name -------------------------------------------------------------------------------------

_NAMES: Final = (
    r"pass(?:word|wd|phrase)|passwd|pwd|secret|token|api[_ -]?key|apikey|access[_ -]?key|private[_ -]?key"
    r"|signing[_ -]?key"
    r"|encryption[_ -]?key|account[_ -]?key|auth[_-]?key|license[_ -]?key|credentials?|client[_ -]?secret"
    r"|(?<=[a-z0-9]_)key|connection[_ -]?string"
)
_QUOTED: Final = (
    r"\\{0,3}(?:\"([^\"\n\\\[\]]{6,400})(?=\\{0,3}\")|'([^'\n\\\[\]]{6,400})(?=\\{0,3}')|`([^`\n\\\[\]]{6,400})(?=`))"
)


@cache
def _placed() -> tuple[tuple[re.Pattern[str], _Replace], ...]:
    return (
        # scheme://user:PASSWORD@host
        (re.compile(r"(?<=:)(//[^\s/:@\"'<>\[\]]{0,100}:)([^\s/\"'<>\[\]]{1,200})(?=@[\w\[.$-])"), _url_password),
        # Authorization: Bearer VALUE, also X-Api-Key and their like
        (
            re.compile(
                r"\b((?:proxy-)?authorization|x-[a-z-]{0,30}(?:key|token)|private-token"
                r"|api-key)(\"?'?\s{0,3}[:=]\s{0,3}[\"']?\s{0,3})"
                r"([a-z][a-z-]{2,20}\s{1,3})?([A-Za-z0-9+/=_.~:|-]{8,4000})",
                re.IGNORECASE,
            ),
            _header,
        ),
        (re.compile(r"\b(bearer)(\s{1,3})()([A-Za-z0-9+/=_.~-]{20,4000})", re.IGNORECASE), _header),
        # curl -u user:PASSWORD
        (
            re.compile(r"(\s(?:-u|--user|--proxy-user)[ =]{1,2}[\"']?[^\s:\"'\[\]]{0,100}:)([^\s\"'\[\]]{3,200})"),
            _user_password,
        ),
        # the password is VALUE
        (
            re.compile(
                r"(\b(?:password|passphrase|passwd|pwd)\s{1,3}is\s{1,3}[\"'`]?)([^\s\"'`,;<>\[\]]{6,100})",
                re.IGNORECASE,
            ),
            _user_password,
        ),
        # NAME = VALUE
        (
            re.compile(
                rf"(?<!redacted:)(?:{_NAMES})(?:\d{{1,2}}"
                rf"|[_-]\w{{1,20}})?[\\\"'\]]{{0,4}}\s{{0,3}}(?:[:?]{{0,3}}=|=>|==?|:|,(?=\s?[\"']))\s{{0,3}}"
                rf"(?:{_QUOTED}|([^\s\"'`,;(){{}}<>\[\]\\]{{6,400}}))",
                re.IGNORECASE,
            ),
            _assignment,
        ),
    )


def _url_password(found: re.Match[str]) -> str:
    return found[0] if _is_reference(found[2]) or _is_stand_in(found[2]) else f"{found[1]}[redacted:password]"


def _header(found: re.Match[str]) -> str:
    value = found[4]
    if _is_reference(value) or _is_filler(value) or _is_stand_in(value) or not _is_mixed(value):
        return found[0]
    return f"{found[1]}{found[2]}{found[3] or ''}[redacted:authorization]"


def _user_password(found: re.Match[str]) -> str:
    value = found[2].rstrip(".>)")
    if _is_reference(value) or _is_filler(value) or _is_stand_in(value) or not _is_mixed(value):
        return found[0]
    return f"{found[1]}[redacted:password]{found[2][len(value) :]}"


def _assignment(found: re.Match[str]) -> str:
    quoted = found[1] or found[2] or found[3]
    value = quoted or found[4]
    if not _is_secret_value(value, quoted=bool(quoted)):
        return found[0]
    start = found[0].rindex(value)
    return f"{found[0][:start]}[redacted:secret]{found[0][start + len(value) :]}"


_CODE: Final = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+[(\[]?|[\w.]+[(\[]|[/~.]{1,2}/|[a-z]+://|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$"
    r"|[a-z]+(?:[-_ ][a-z]+)*$|[a-z]+(?:[A-Z][a-z]+)*$|[A-Z][a-z]+\d{1,2}[A-Z][a-z]+$"
)


def _is_secret_value(value: str, *, quoted: bool) -> bool:
    if _is_reference(value) or _is_filler(value) or _is_stand_in(value) or " " in value.strip():
        return False
    return _is_mixed(value) and (quoted or not _CODE.match(value))


def _is_mixed(value: str) -> bool:
    """Secrets mix letters with digits or signs; words, numbers and names of variables don't."""
    if len(value) < _SHORTEST_SECRET:
        return False
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    has_sign = any(not char.isalnum() and char not in "-_./:" for char in value)
    return has_letter and (has_digit or has_sign) and len(set(value)) >= _FEWEST_CHARACTERS


_SHORTEST_SECRET: Final = 8
_FEWEST_CHARACTERS: Final = 6


def _is_reference(value: str) -> bool:
    """`$TOKEN`, `${TOKEN}`, `{{ token }}`, `%TOKEN%`, `process.env.X`, `<your-key>`: the name of a secret, not one."""
    return bool(_reference().match(value))


@cache
def _reference() -> re.Pattern[str]:
    return re.compile(
        (
            r"\$[({A-Za-z_\d]|\{|-|%[A-Za-z_(]|<|@|&|\*|#\{|\\?\$|process\.|os\.|env[.(\[:]|import\.meta"
            r"|secrets?[./]|vars?\.|config\.|settings\.|self\.|this\.|arn:|ref[+:]|op://|file:|\.\.\."
        ),
        re.IGNORECASE,
    )


def _is_filler(value: str) -> bool:
    """`xxxx`, `1234567890`, `AKIAXXXXXXXX`: too few different characters, or a run that says "put yours here"."""
    return len(set(value)) < _FEWEST_CHARACTERS or bool(_filler().search(value))


@cache
def _filler() -> re.Pattern[str]:
    return re.compile(r"([xX*.0A1-])\1{7}|\.\.\.|…|x{5}", re.IGNORECASE)


def _is_stand_in(value: str) -> bool:
    return bool(_stand_in().search(value.lower()))


@cache
def _stand_in() -> re.Pattern[str]:
    words = (
        r"your|example|sample|placeholder|change[_-]?me|dummy|fake|insert|replace|todo|redacted|removed|hidden|masked"
    )
    return re.compile(
        rf"(?:{words})|^(?:user|admin|root|test|pass|passwd|password|secret|token|foo|bar|none|null|true"
        rf"|false)\d{{0,3}}$"
    )
