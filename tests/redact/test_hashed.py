from __future__ import annotations

import pytest
from tests.redact.made_up import HEX, part

from wisen.redact import FloorRedactor

redact = FloorRedactor().redact

HASHES = [
    "$apr1$" + part(8) + "$" + part(22),
    "$1$" + part(8) + "$" + part(22),
    "$2b$12$" + part(53),
    "$$2y$$05$$" + part(53),
    "$5$" + part(16) + "$" + part(43),
    "$6$" + part(16) + "$" + part(86),
    "$6$rounds=5000$" + part(8) + "$" + part(86),
    "$y$j9T$" + part(22) + "$" + part(43),
    "$argon2id$v=19$m=65536,t=3,p=4$" + part(22) + "$" + part(43),
    "{SSHA}" + part(32),
    "pbkdf2_sha256$600000$" + part(22) + "$" + part(43) + "=",
    "scrypt:32768:8:1$" + part(16) + "$" + HEX * 3,
]


@pytest.mark.parametrize("hashed", HASHES)
@pytest.mark.parametrize("around", ["{}", "admin:{}", "root:{}:19000:0:99999:7:::", 'hash: "{}"'])
def test_the_hash_of_a_password_goes(around: str, hashed: str) -> None:
    assert redact(around.format(hashed)) == around.format("[redacted:password-hash]")


@pytest.mark.parametrize(
    "text",
    [
        "bcrypt hashes begin with $2b$ or $2y$",
        "awk '{print $1$2}' x",
        "$6$ is SHA-512, $5$ SHA-256",
        "$argon2id$v=19$m=65536,t=3,p=4",
        "cost $2$10",
        "{SHA} entries are refused",
    ],
)
def test_what_only_speaks_of_such_hashes_stays(text: str) -> None:
    assert redact(text) == text
