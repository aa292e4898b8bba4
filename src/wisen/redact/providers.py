"""Which providers write their secrets so that one is known by its looks? The table of prefixes, lengths and alphabets.

From the providers' own documentation of their tokens. A kind is named after who issued the secret.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Form:
    """A provider's way to write a secret. `hints` are literals one of which is in every text that holds one."""

    kind: str
    hints: tuple[str, ...]
    pattern: str
    is_word: bool = True  # does not begin or end in the middle of a longer word


FORMS: Final[Sequence[Form]] = (
    Form(
        "private-key",
        ("PRIVATE KEY",),
        r"-{4,5}[ ]?BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?[ ]?-{4,5}(?=[\s\S]{0,300}[A-Za-z0-9+/]{20})"
        r"[\s\S]*?(?:-{4,5}[ ]?END[ A-Z0-9_]{0,60}-{4,5}|\Z)",
        is_word=False,
    ),
    # PuTTY's file; what follows the key is a checksum
    Form(
        "private-key",
        ("Private-Lines:",),
        r"Private-Lines:[ \t]{0,3}\d{1,4}(?=[\s\S]{0,40}?[A-Za-z0-9+/]{20})[\s\S]*?(?=Private-(?:MAC|Hash):|\Z)",
        is_word=False,
    ),
    # The same in base64, as Kubernetes has it; certificates and public keys begin the same way.
    Form(
        "private-key",
        ("LS0tLS1CRUdJTiB",),
        r"LS0tLS1CRUdJTiB(?!DRVJU|QVUJMSUM)[A-Za-z0-9+/]{60,12000}={0,2}",
    ),
    Form(
        "aws",
        ("A3T", "AKIA", "ASIA", "ABIA", "ACCA"),
        # AKIAIOSFODNN7... is the documentation's own key.
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)(?!\w{9}EXAMPLE|IOSFODNN7)[A-Z2-7]{16}",
    ),
    Form("aws", ("ABSK",), r"ABSK[A-Za-z0-9+/]{109,269}={0,2}"),
    Form("anthropic", ("sk-ant-",), r"sk-ant-[a-z]+\d\d-[\w-]{78,128}AA"),
    Form("openai", ("sk-",), r"sk-(?!ant-)(?=[\w-]{0,200}\d)[\w-]{32,220}"),
    Form("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[\w.-]{36,500}"),
    Form("github", ("github_pat_",), r"github_pat_\w{60,120}"),
    Form(
        "gitlab",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glptt-",
            "glcbt-",
            "glft-",
            "glsoat-",
            "glagent-",
            "gloas-",
        ),
        r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|oas)-[\w.-]{20,300}",
    ),
    Form(
        "slack",
        ("xox",),
        r"xox[a-z](?:\.xox[a-z])?-(?!(?:\d{1,8}-){2})(?=[A-Za-z-]{0,40}\d[\d-]{3})[A-Za-z0-9-]{20,300}",
    ),
    Form("slack", ("xoxe",), r"xoxe(?:\.xox[a-z])?-\d-[A-Za-z0-9]{100,300}"),
    Form("slack", ("xapp-",), r"xapp-\d-[A-Za-z0-9-]{20,300}"),
    Form(
        "slack",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{18,200}",
    ),
    Form("google", ("AIza",), r"AIzaS[\w-]{34}"),
    Form("google", ("GOCSPX-",), r"GOCSPX-[\w-]{28}"),
    Form("google", ("ya29.",), r"ya29\.[\w-]{20,400}"),
    Form("google", ("1//0",), r"1//0[\w-]{40,200}"),
    Form(
        "stripe",
        ("k_live_", "k_test_", "k_prod_"),
        r"[rs]k_(?:live|test|prod)_[A-Za-z0-9]{20,200}",
    ),
    Form("stripe", ("whsec_",), r"whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    Form("npm", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    Form("pypi", ("pypi-AgE",), r"pypi-AgE[\w-]{50,1000}"),
    Form(
        "jwt",
        ("ey",),
        r"ey[A-Za-z0-9_-]{15,4000}\.ey[\w/\\-]{8,8000}(?:\.[\w/\\-]{0,8000}={0,2})?",
    ),
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
    Form(
        "1password",
        ("A3-",),
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    Form("vault", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{24,400}"),
    Form("terraform", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}"),
    Form("pulumi", ("pul-",), r"pul-[a-f0-9]{40}"),
    Form(
        "grafana",
        ("glc_", "glsa_"),
        r"glc_[A-Za-z0-9+/]{32,400}={0,3}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}",
    ),
    Form("sentry", ("sntry",), r"sntry[su]_[A-Za-z0-9+/=_]{40,500}"),
    Form("sendgrid", ("SG.",), r"SG\.[\w-]{16,40}\.[\w-]{30,60}"),
    Form("shopify", ("shp",), r"shp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,40}"),
    Form("square", ("EAAA", "sq0"), r"EAAA[\w-]{60}|sq0(?:atp|csp|idp)-[\w-]{22,60}"),
    Form("facebook", ("EAA",), r"EAA[A-Z][A-Za-z0-9]{100,300}"),
    Form("facebook", ("|",), r"\d{13,17}\|[\w-]{27}"),
    Form("mailchimp", ("-us",), r"[a-f0-9]{32}-us\d{1,2}"),
    Form(
        "tailscale",
        ("tskey-",),
        r"tskey-[a-z]+-[A-Za-z0-9]{8,20}(?:-[A-Za-z0-9]{16,60})?",
    ),
    Form(
        "vercel",
        ("vcp_", "vci_", "vca_", "vcr_", "vck_"),
        r"vc[piark]_[A-Za-z0-9]{24,80}",
    ),
    Form(
        "cloudflare",
        ("cfat_", "cfut_", "cfk_", "v1.0-"),
        r"cf(?:at|ut|k)_[A-Za-z0-9]{40}[a-f0-9]{8}|v1\.0-[a-f0-9]{24}-[a-f0-9]{146}",
    ),
    Form("heroku", ("HRKU-",), r"HRKU-[\w-]{58,70}"),
    Form(
        "fly",
        ("fo1_", "fm1", "fm2_"),
        r"fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,2000}={0,3}",
    ),
    Form("azure", ("Q~", "Q%7"), r"[\w~.-]{3}\dQ(?:~|%7[Ee])(?:[\w~.-]|%7[Ee]){31,34}(?![\w~])"),
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
    Form("adafruit", ("aio_",), r"aio_[A-Za-z0-9]{28}"),
    Form("airtable", ("pat",), r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    Form("alibaba", ("LTAI",), r"LTAI[A-Za-z0-9]{20}"),
    Form("artifactory", ("AKCp", "cmVmd"), r"AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59}"),
    Form("bitbucket", ("ATBB",), r"ATBB[A-Za-z0-9]{24,32}[A-F0-9]{0,8}"),
    Form("buildkite", ("bkua_",), r"bkua_[a-f0-9]{40}"),
    Form(
        "circleci",
        ("CCIPAT_", "CCIPRJ_"),
        r"CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,24}_[a-f0-9]{40}",
    ),
    Form("clojars", ("CLOJARS_",), r"CLOJARS_[a-z0-9]{60}"),
    Form("contentful", ("CFPAT-",), r"CFPAT-[\w-]{40,50}"),
    Form(
        "discord",
        (".",),
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
    ),
    Form(
        "doppler",
        ("dp.",),
        r"dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}",
    ),
    Form("dropbox", ("sl.",), r"sl\.(?:u\.)?[AB][\w-]{60,1800}"),
    Form("firecrawl", ("fc-",), r"(?<!-)fc-[a-f0-9]{32}"),
    Form("render", ("rnd_",), r"rnd_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{26,40}"),
    Form("duffel", ("duffel_",), r"duffel_(?:test|live)_[\w-]{43}"),
    Form("dynatrace", ("dt0",), r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    Form("easypost", ("EZAK", "EZTK"), r"EZ[AT]K[A-Za-z0-9]{54}"),
    Form("flutterwave", ("FLWSECK",), r"FLWSECK(?:_TEST)?-?[A-Za-z0-9]{12,40}(?:-X)?"),
    Form("frameio", ("fio-u-",), r"fio-u-[\w=-]{64}"),
    Form("gitlab", ("GR1348941",), r"GR1348941[\w-]{20}"),
    Form("intercom", ("dG9rO",), r"dG9rO[A-Za-z0-9+/=]{55,75}"),
    Form("langsmith", ("lsv2_",), r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    Form("lob", ("live_", "test_"), r"(?:live|test)_[a-f0-9]{35}"),
    Form("mailgun", ("key-",), r"(?<![\w-])key-[a-f0-9]{32}"),
    Form(
        "mapbox",
        ("pk.", "sk."),
        r"[ps]k\.eyJ[A-Za-z0-9_-]{40,120}\.[A-Za-z0-9_-]{20,24}",
    ),
    Form("netlify", ("nfp_",), r"nfp_[A-Za-z0-9]{36,40}"),
    Form("nuget", ("oy2",), r"oy2[a-z0-9]{43}"),
    Form("nvidia", ("nvapi-",), r"nvapi-[\w-]{60,70}"),
    Form(
        "paypal",
        ("access_token$",),
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    ),
    Form("planetscale", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}"),
    Form("posthog", ("ph",), r"ph[xs]_[A-Za-z0-9]{40,48}"),
    Form("prefect", ("pnu_",), r"pnu_[A-Za-z0-9]{36}"),
    Form("readme", ("rdme_",), r"rdme_[a-z0-9]{70}"),
    Form("rubygems", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    Form("scalingo", ("tk-us-",), r"tk-us-[\w-]{48}"),
    Form("sendinblue", ("xkeysib-",), r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    Form("shippo", ("shippo_",), r"shippo_(?:live|test)_[a-f0-9]{40}"),
    Form("supabase", ("sbp_", "sb_secret_"), r"sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,60}"),
    Form(
        "teams",
        ("webhook.office.com",),
        r"webhook\.office\.com/webhookb2/[\w@/-]{60,200}",
    ),
    Form(
        "discord",
        ("/api/webhooks/",),
        r"/api/webhooks/\d{17,20}/[\w-]{60,80}",
        is_word=False,
    ),
    Form("twilio", ("SK",), r"SK[a-f0-9]{32}"),
    Form("typeform", ("tfp_",), r"tfp_[\w.=-]{59}"),
    Form("xai", ("xai-",), r"xai-[A-Za-z0-9]{70,90}"),
    Form(
        "yandex",
        ("AQVN", "t1.", "YC"),
        r"AQVN[\w-]{35,38}|t1\.[A-Z0-9a-z_-]{1,200}={0,2}\.[A-Z0-9a-z_-]{86}={0,2}|YC[\w-]{38}",
    ),
)
