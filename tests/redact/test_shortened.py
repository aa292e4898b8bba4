from __future__ import annotations

import pytest

from wisen.redact import FloorRedactor

redact = FloorRedactor().redact

NAMES = [
    *"SMTP_PASS smtpPass smtp-pass mail.pass user_pass keystorePass storepass PGPASS dbpass DBPASS DB_PASS".split(),
    *"redis_pass bindpw rootpw ansible_become_pass LDAP_BIND_PW adminPw wp_pass DB_PASS_PROD zabbixpass".split(),
    *"pass PASS".split(),
]
VALUES = ["2OXtPAtLpByQ", "kJ8s9dQm2ZxP4rT7", "g7!kQ2?xPz9"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    ["{}={}", "{}: {}", "{}: '{}'", 'export {}="{}"', '{} = "{}"', "'{}' => '{}'", '{{"user": "bob", "{}": "{}"}}'],
)
@pytest.mark.parametrize("value", VALUES)
def test_what_is_assigned_to_a_short_name_of_a_password_goes(name: str, text: str, value: str) -> None:
    assert redact(text.format(name, value)) == text.format(name, "[redacted:secret]")


def test_what_a_constant_is_defined_as_goes() -> None:
    assert redact('define("DB_PASS", "kJ8s9dQm2ZxP")') == 'define("DB_PASS", "[redacted:secret]")'


@pytest.mark.parametrize(
    "name", "bypass compass forward_pass first_pass num_pass renderPass TESTS_PASS spf_pass".split()
)
@pytest.mark.parametrize("value", ["kJ8s9dQm2ZxP4rT", "'v2-depth24!x'", "12", "1/2", "true"])
def test_a_pass_that_is_no_password_keeps_its_value(name: str, value: str) -> None:
    assert redact(f"{name} = {value}") == f"{name} = {value}"


@pytest.mark.parametrize(
    "text",
    [
        "tests pass: 12",
        "pass: true",
        "pass=1/2",
        "run it with --pass 3",
        "pass: 100%",
        "--- PASS: TestParse_V2/utf8&lf#00 (0.00s)",
        "PASS: tests/check2.sh",
        "PASS: TestLoginV2",
        '["pass", "fail2ban-v1!x"]',
        "pass: 2024-03-01T10:22:33Z",
        "auth: { user: account.user, pass: account.pass }",
        'pass_fds = "a1b2c3d4!e"',
        "passes: 12a34b56!c",
        "sha256-47DEQpj8HBSaTImW5JCeuQeRkm5NMpJWZG3hSuFUpw= k1b2c3d4e5",
    ],
)
def test_a_report_or_another_pass_stays(text: str) -> None:
    assert redact(text) == text
