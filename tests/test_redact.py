from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.redact import FORMS, FloorRedactor

redact = FloorRedactor().redact

LETTERS = "aZ3kQ9mB7xR2tY5wE8uI1oP4sD6fG0hJcVnLbNqTzXyKpWvMrSgUiOjHdFlA"
HEX = "3f9a1c7e5b2d8046fa91ce7b35d2804c6e1f9b7a"
DIGITS = "84719305628"


def part(length: int, alphabet: str = LETTERS) -> str:
    """Return made-up text with the variety of a real secret; no real one is in this file."""
    return (alphabet * (length // len(alphabet) + 1))[:length]


BY_FORM = [
    ("aws", "AKIA" + "QYZ7PLMN4VRT2XKW"),
    ("anthropic", "sk-ant-api03-" + part(93)),
    ("openai", "sk-proj-" + part(80)),
    ("github", "ghp_" + part(36)),
    ("github", "github_pat_" + part(82)),
    ("github", "ghs_" + part(36)),
    ("gitlab", "glpat-" + part(20)),
    ("slack", "xoxb-" + DIGITS + "-" + part(24)),
    ("google", "AIza" + part(35)),
    ("stripe", "sk_live_" + part(24)),
    ("npm", "npm_" + part(36)),
    ("pypi", "pypi-AgE" + part(80)),
    ("jwt", "eyJ" + part(20) + ".eyJ" + part(40) + "." + part(40)),
    ("huggingface", "hf_" + part(34, "aZkQmBxRtYwEuIoPsDfGhJcVnLbNqTzXyK")),
    ("sendgrid", "SG." + part(22) + "." + part(43)),
    ("vault", "hvs." + part(90)),
    ("telegram", DIGITS[:9] + ":AA" + part(33)),
    ("private-key", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + part(70) + "\n-----END OPENSSH PRIVATE KEY-----"),
    ("private-key", "-----BEGIN RSA PRIVATE KEY-----\n" + part(70) + "\n(cut)"),
]


@pytest.mark.parametrize(("kind", "secret"), BY_FORM)
def test_a_secret_known_by_its_form_leaves_only_its_kind(kind: str, secret: str) -> None:
    assert redact(f"the key: {secret}") == f"the key: [redacted:{kind}]"
    assert redact(secret) == f"[redacted:{kind}]"


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("https://bob:hunter22x@host/x", "https://bob:[redacted:password]@host/x"),
        ("postgres://app:s3cr3tP4ss@db:5432/a", "postgres://app:[redacted:password]@db:5432/a"),
        ("redis://:p4ssw0rdX1@cache", "redis://:[redacted:password]@cache"),
        (f"Authorization: Bearer {HEX}", "Authorization: Bearer [redacted:authorization]"),
        (f"curl -H 'X-Api-Key: {HEX}' x", "curl -H 'X-Api-Key: [redacted:authorization]' x"),
        ("curl -u bob:Tr0ub4dor x", "curl -u bob:[redacted:password] x"),
        ("DB_PASSWORD=Tr0ub4dor&3", "DB_PASSWORD=[redacted:secret]"),
        ('api_key: "a1b2c3d4e5f6"', 'api_key: "[redacted:secret]"'),
        ("export SNYK_TOKEN='9f8e7d6c-1234'", "export SNYK_TOKEN='[redacted:secret]'"),
        ('{\\"client_secret\\": \\"Zx81-Qw92-Er\\"}', '{\\"client_secret\\": \\"[redacted:secret]\\"}'),
        ("the password is Tr0ub4dor&3.", "the password is [redacted:password]."),
    ],
)
def test_a_secret_known_by_its_place_or_name_goes_and_its_surroundings_stay(text: str, out: str) -> None:
    assert redact(text) == out


@pytest.mark.parametrize(
    "text",
    [
        f"commit {HEX}",
        "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
        "color: #deadbeef",
        "sha256:" + part(64, HEX),
        "git show 3f9a1c7e5b2d",
        "API_KEY=$API_KEY",
        "API_KEY=${API_KEY:-none1234}",
        'token = os.environ["TOKEN_V2"]',
        "apiKey: process.env.API_KEY_2",
        "password: <your-password-1>",
        "password={{ db_password_1 }}",
        "TOKEN=xxxxxxxxxxxxxxxxxxxx1",
        "ghp_" + "x" * 36,
        "AKIA" + "X" * 16,
        "AKIAIOSFODNN7EXAMPLE",
        "https://user:password@example.com",
        "https://${USER}:${PASS}@example.com",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "password = get_password(user1)",
        "privateKey: Uint8Array,",
        "max_tokens = 40000a",
        "the token budget is 2000 characters",
        "the secret: always run the tests first",
        "sk-learn-style-estimators-and-pipelines",
        "http://localhost:8080/path@v1",
        "remember that we use pnpm here, not npm",
        "",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("a <private>pw</private> b", "a [private] b"),
        ("a <PRIVATE>pw</Private> b", "a [private] b"),
        ("a <private>x <private>y</private> z</private> b", "a [private] b"),
        ("a <private>one\ntwo", "a [private]"),
        ("a <private reason='x'>one</private>", "a [private]"),
        ("a < private >one< / private > b", "a [private] b"),
        ("<private>a</private><private>b</private>", "[private][private]"),
        ("stray </private> stays", "stray </private> stays"),
        ("a <privateer> stays", "a <privateer> stays"),
        ("private stays", "private stays"),
    ],
)
def test_private_spans_are_cut_out_whole(text: str, out: str) -> None:
    assert redact(text) == out


MARKS = [
    *"<private> </private> <PRIVATE > password token = : \" ' \\ //u: @h Authorization: Bearer [ ] Q~ $X x".split(),
    *(" ", "\n", "-u a:", "[redacted:secret]", "[private]", HEX, part(12)),
]
PIECES = st.sampled_from([*MARKS, *(secret for _, secret in BY_FORM)])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(st.lists(st.sampled_from(MARKS), max_size=8).map("".join), st.sampled_from(BY_FORM))
def test_no_surroundings_save_a_secret_that_stands_alone(text: str, secret: tuple[str, str]) -> None:
    assert secret[1] not in redact(f"{text} {secret[1]} {text}")


def test_every_form_has_a_hint_that_is_in_every_text_it_finds() -> None:
    for form in FORMS:
        assert form.hints
        re.compile(form.pattern)
    for _, secret in BY_FORM:
        assert any(hint in secret for form in FORMS for hint in form.hints)


UNITS = [
    *'a ey sk- xoxb- password= password=" ://a: <private> authorization: Q~ a. " - ghp_a'.split(),
    *("-----BEGIN PRIVATE KEY-----", " -u a:", "eyJaaaaaaaaaaaaaaaaaaaa."),
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_the_work_grows_with_the_length_and_no_faster(unit: str) -> None:
    def seconds(chars: int) -> float:
        text = unit * (chars // len(unit))
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    # Quadratic work would take 16 times as long for 4 times the text; the best of three keeps noise out.
    short = min(seconds(50_000) for _ in range(3))
    long = min(seconds(200_000) for _ in range(3))
    assert long < 10 * short + 0.05
