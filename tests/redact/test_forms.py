from __future__ import annotations

import re
from base64 import b64encode

import pytest
from tests.redact.made_up import BY_FORM, HEX, part

from wisen.redact import FloorRedactor
from wisen.redact.providers import FORMS

redact = FloorRedactor().redact


@pytest.mark.parametrize(("kind", "secret"), BY_FORM)
def test_a_secret_known_by_its_form_leaves_only_its_kind(kind: str, secret: str) -> None:
    assert redact(f"the key: {secret}") == f"the key: [redacted:{kind}]"
    assert redact(secret) == f"[redacted:{kind}]"


def test_every_form_has_a_hint_that_is_in_every_text_it_finds() -> None:
    for form in FORMS:
        assert form.hints
        re.compile(form.pattern)
    for _, secret in BY_FORM:
        assert any(hint in secret for form in FORMS for hint in form.hints)


def test_a_private_key_in_base64_goes_and_a_certificate_stays() -> None:
    key, certificate = (
        b64encode(f"-----BEGIN {what}-----\n{part(90)}\n-----END {what}-----".encode()).decode()
        for what in ("EC PRIVATE KEY", "CERTIFICATE")
    )
    assert redact(f"tls.key: {key}") == "tls.key: [redacted:private-key]"
    assert redact(f"tls.crt: {certificate}") == f"tls.crt: {certificate}"


@pytest.mark.parametrize("filler", ["x" * 24, "A" * 24, "abcdefghijklmnopqrstuvwx", "1a2b3c..."])
def test_a_prefix_before_filler_is_an_example(filler: str) -> None:
    for prefix in ("sk_live_", "gsk_", "glpat-", "tskey-api-"):
        assert redact(prefix + filler) == prefix + filler


UNLISTED = "9fQ2mB7xR2tY5wE8uI1oP4sD6fG0hJ"


@pytest.mark.parametrize(
    "text",
    [
        "acme_live_{}",
        "x=acme_live_{}",
        "use acme-token-v1-{}.",
        "zz_{}",
        '"zz-{}"',
        "acme_eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9eyJhbGciOiJIUzI1Ni{}",
    ],
)
def test_a_token_of_a_provider_nobody_listed_goes_when_it_says_itself_what_it_is(text: str) -> None:
    out = redact(text.format(UNLISTED))
    assert UNLISTED not in out
    assert "[redacted:secret]" in out


@pytest.mark.parametrize(
    "text",
    [
        "req_011CVBxyzAbC123dEf456GhI",
        "toolu_01A2b3C4d5E6f7G8h9I0j1K2",
        "build_3f9a1c7e5b2d8046fa91ce7b35d2804c6e1f9b7a",
        "getUserAccessTokenFromSessionStorageOrThrow_v2",
        "TEST_live_reload_websocket_connection_manager_2",
        "npm_config_registry_and_other_long_settings_2024",
    ],
)
def test_an_id_or_a_long_name_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        'var acmeToken string = "{}"',
        'var acmeToken: string = "{}"',
        "acmeToken := `{}`",
        "acme_token: '{}'",
        '$acmeToken .= "{}"',
        'ACME_TOKEN ?= "{}"',
        '"acmeToken" => "{}"',
        "<acmeToken>\n    {}\n</acmeToken>",
        "acme_token: |\n  {}",
        '<add key="AcmeToken" value="{}" />',
        '{{"name": "ACME_TOKEN", "value": "{}"}}',
        "- name: ACME_TOKEN\n  value: {}",
        'os.getenv("ACME_TOKEN", "{}")',
        '{{\\"acme_token\\": \\"{}\\"}}',
        "https://acme.io/v1?access_token={}",
    ],
)
@pytest.mark.parametrize("value", ["x91mq7tr2lw8zk04bv", HEX, "12345678-abcd-4bcd-8bcd-1234567890ab"])
def test_an_assignment_is_known_in_whatever_language_it_is_written(text: str, value: str) -> None:
    assert redact(text.format(value)) == text.format("[redacted:secret]")
