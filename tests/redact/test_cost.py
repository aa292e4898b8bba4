from __future__ import annotations

import time

import pytest

from wisen.redact import FloorRedactor

redact = FloorRedactor().redact


UNITS = [
    *'a ey sk- xoxb- password= password=" ://a: <private> authorization: Q~ a. " - ghp_a'.split(),
    *(
        "-----BEGIN PRIVATE KEY-----",
        " -u a:",
        "eyJaaaaaaaaaaaaaaaaaaaa.",
        "`<private>` ",
        "a@b.c:",
        "token>a",
        " --token a",
    ),
    *("password ", "the password is ", "password for a b c ", "pw a as my ", "user: a pass ", "login a/", "密码是a"),
    *("log in as a/b1 ", "ssh with a", "recovery codes: a1b2-c3d4, ", "2fa AAAA2", "| a | password |\n", "password:\n"),
    *(
        "secret://seed@|2fa密码:=2fa2fa",
        "&lt;private&gt;",
        "https://hooks.",
        "a_b-c_live_",
        "host=a;password=",
        "able ",
    ),
    *("curl ", "curl -b a=", "zip ", "docker login ", "echo a|", "cookie: a=", "&key=a", "://a:b/", "://a:B1/a@"),
    *("machine a login a ", "a:5432:a:a:", "LS0tLS1CRUdJTiB", 'password: ["', "&lt;private ", "jdbc:oracle:a:a/"),
    *("DB_PASSWORD=", "A_PASS: a\n", "--password a ", "a.b.password=", "smtp_pass=", "pass: a1! ", "a_pass"),
    *("$2y$10$", "$6$a$", "$argon2id$m=1$", "{SSHA}a", "bot123456:", "hooks.zapier.com/hooks/catch/123/"),
    *("password is aaaa on ", "get secret a ", "sl.Ba", "1//0"),
    *("creds: a:b1c2d3e4, ", "password: a_b-", "password is abc-ab1-", "pw: sha2a-", "secret is Aa1", "пароль a "),
    *(
        'password="a1b2c3 ',
        "pw='a1b2c3",
        "cat a.key ",
        "cat key\n",
        "echo aaaaaaaaaaaaaaaaaaaa1 ",
        "htpasswd -b a b ",
        "*:5432:",
    ),
    *("smbget -U a%", "lftp -u a,", "net use \\\\a ", "gh secret set -b ", "az login -p", "fly secrets set a=", "a.Q~"),
    *("Private-Lines: 1\n", "net user a ", "secretsmanager --secret-string ", "aws ssm put-parameter --value "),
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
    short = min(seconds(15_000) for _ in range(3))
    long = min(seconds(60_000) for _ in range(3))
    assert long < 10 * short + 0.05


PROSE = """\
We use pnpm here, not npm. The token bucket in `src/limits.py` refills once a second; see test_limits.py for the cases.
    def refill(self, now: float) -> None:
        self._tokens = min(self._most, self._tokens + (now - self._then) * self._rate)
Log in with the staging account when the key of the cache is stale, and run `make check` before you push to main.
FAILED tests/test_limits.py::test_refill - assert 3 == 4 (commit 3f9a1c7e5b2d8046fa91ce7b35d2804c6e1f9b7a)
"""
MOST_TIMES_PLAIN = 15


def ms_a_kb(unit: str, *, chars: int = 8_000) -> float:
    """Return the CPU a kilobyte of a repeated unit costs, the best of three."""
    text = unit * (chars // len(unit) + 1)
    spent = []
    for _ in range(3):
        start = time.process_time()
        redact(text)
        spent.append(time.process_time() - start)
    return min(spent) * 1e6 / len(text.encode())


def test_hostile_repetition_costs_a_bounded_multiple_of_plain_text() -> None:
    redact(PROSE)
    plain = ms_a_kb(PROSE)
    worst, unit = max((ms_a_kb(unit, chars=2_000), unit) for unit in UNITS)
    print(f"\nCPU a KB: plain {plain:.2f} ms, worst {worst:.2f} ms ({unit!r}), {worst / plain:.1f} times")
    assert worst < MOST_TIMES_PLAIN * plain
