"""Which secrets are known by their form: a provider's prefix, length and alphabet."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from wisen.redact.values import is_filler

_Replace: TypeAlias = Callable[[re.Match[str]], str]


def without_forms(text: str) -> str:
    """Return text with `[redacted:PROVIDER]` for what a provider's form gives away."""
    for form in FORMS:
        if any(hint in text for hint in form.hints):
            text = _compiled(form).sub(_replacer(form), text)
    return text


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
        r"-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,300}[A-Za-z0-9+/]{20})"
        r"[\s\S]*?(?:-----END[ A-Z0-9_]{0,60}-{4,5}|\Z)",
        is_word=False,
    ),
    Form(
        "aws",
        ("A3T", "AKIA", "ASIA", "ABIA", "ACCA"),
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)(?!\w{9}EXAMPLE)[A-Z2-7]{16}",
    ),
    Form("aws", ("ABSK",), r"ABSK[A-Za-z0-9+/]{109,269}={0,2}"),
    Form("anthropic", ("sk-ant-",), r"sk-ant-[a-z]+\d\d-[\w-]{78,128}AA"),
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
    Form("jwt", ("ey",), r"ey[A-Za-z0-9_-]{15,4000}\.ey[\w/\\-]{8,8000}(?:\.[\w/\\-]{0,8000}={0,2})?"),
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
    Form("facebook", ("|",), r"\d{13,17}\|[\w-]{27}"),
    Form("mailchimp", ("-us",), r"[a-f0-9]{32}-us\d{1,2}"),
    Form("tailscale", ("tskey-",), r"tskey-[a-z]+-[A-Za-z0-9]{8,20}(?:-[A-Za-z0-9]{16,60})?"),
    Form("vercel", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), r"vc[piark]_[A-Za-z0-9]{24,80}"),
    Form(
        "cloudflare",
        ("cfat_", "cfut_", "cfk_", "v1.0-"),
        r"cf(?:at|ut|k)_[A-Za-z0-9]{40}[a-f0-9]{8}|v1\.0-[a-f0-9]{24}-[a-f0-9]{146}",
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
def _replacer(form: Form) -> _Replace:
    def replace(found: re.Match[str]) -> str:
        # A key of many lines may hold a run of anything, and a cut one reaches to the end of the text.
        return found[0] if form.is_word and is_filler(found[0]) else f"[redacted:{form.kind}]"

    return replace
