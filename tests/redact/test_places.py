from __future__ import annotations

import pytest
from tests.redact.made_up import HEX, part

from wisen.redact import FloorRedactor

redact = FloorRedactor().redact


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("https://bob:hunter22x@host/x", "https://bob:[redacted:password]@host/x"),
        ("postgres://app:s3cr3tP4ss@db:5432/a", "postgres://app:[redacted:password]@db:5432/a"),
        ("redis://:p4ssw0rdX1@cache", "redis://:[redacted:password]@cache"),
        (f"Authorization: Bearer {HEX}", "Authorization: Bearer [redacted:authorization]"),
        (f"curl -H 'X-Api-Key: {HEX}' x", "curl -H 'X-Api-Key: [redacted:authorization]' x"),
        ("curl -u bob:Tr0ub4dor x", "curl -u bob:[redacted:password] x"),
        ("curl -u bob:letmein x", "curl -u bob:[redacted:password] x"),
        ("curl --user bob:'Tr0ub4dor' x", "curl --user bob:'[redacted:password]' x"),
        ('curl -u "bob:Tr0ub4dor" x', 'curl -u "bob:[redacted:password]" x'),
        ('curl --user "{bob}":"{Tr0ub4dor}" x', 'curl --user "{bob}":"[redacted:password]" x'),
        ('curl -u "Tr0ub4dor!t:" x', 'curl -u "[redacted:password]:" x'),
        ("mycli --db-password hunter2 x", "mycli --db-password [redacted:password] x"),
        ("sshpass -p hunter2 ssh x", "sshpass -p [redacted:password] ssh x"),
        ("mysql -u root -phunter2 app", "mysql -u root -p[redacted:password] app"),
        ("qa is tom@acme.io:S3cr3tPass99", "qa is tom@acme.io:[redacted:password]"),
        ("DB_PASSWORD=Tr0ub4dor&3", "DB_PASSWORD=[redacted:secret]"),
        ('api_key: "a1b2c3d4e5f6"', 'api_key: "[redacted:secret]"'),
        ("export SNYK_TOKEN='9f8e7d6c-1234'", "export SNYK_TOKEN='[redacted:secret]'"),
        ("<password>hunter22</password>", "<password>[redacted:secret]</password>"),
        ("token: s." + part(24), "token: [redacted:secret]"),
        (f"sourcegraph: {part(40)}", "sourcegraph: [redacted:secret]"),
        ('SUMO_ACCESS_ID = "su9OL59biWiJu7"', 'SUMO_ACCESS_ID = "[redacted:secret]"'),
        ('"user_auth": "' + part(36) + '="', '"user_auth": "[redacted:secret]"'),
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
        "docker run -u 1000:1000 node",
        "git clone git@github.com:owner/Repo2Name",
        "mongodb://mongodb:mongodb@localhost/db",
        "https://user:1111@host/x",
        "SOME_PUBLIC_KEY=037cfbfc90234cfdab7e",
        'CALLBACK_TOKEN = "https://host.example/a1b2"',
        "if token == expected_token1:",
        "while token>=limit12345",
        "let private_key = ed25519_dalek::SigningKey::generate(&mut rng);",
        "report_access_id: e8e4df51-2054-49b0-ab1c-516ac95c691d",
        "login: oauth2_callback_url_handler",
        "-----BEGIN PRIVATE KEY-----\nanything\n-----END PRIVATE KEY-----",
        "",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text
