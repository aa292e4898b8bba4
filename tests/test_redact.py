from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.redact import FloorRedactor
from wisen.redact.forms import FORMS

redact = FloorRedactor().redact

LETTERS = "aZ3kQ9mB7xR2tY5wE8uI1oP4sD6fG0hJcVnLbNqTzXyKpWvMrSgUiOjHdFlA"
HEX = "3f9a1c7e5b2d8046fa91ce7b35d2804c6e1f9b7a"
DIGITS = "84719305628"


def part(length: int, alphabet: str = LETTERS) -> str:
    """Return made-up text with the variety of a real secret; no real one is in this file."""
    return (alphabet * (length // len(alphabet) + 1))[:length]


BY_FORM = [
    ("aws", "AKIA" + "QYZ7PLMN4VRT2XKW"),
    ("anthropic", "sk-ant-api03-" + part(93) + "AA"),
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
    ("jwt", "eyJ" + part(17) + ".eyJ" + part(11) + "." + part(26)),
    ("facebook", "1308742762612587|" + part(27)),
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


TOLD = [
    # the sentence says "is", however short or plain the secret
    "the staging password is {hunter2}",
    "the staging password is {banana}.",
    "the wifi password is now {Sommer2024!}",
    "the db password is {admin}",
    "the password is {48213377}",
    "the password for tom@acme.io on staging is {hunter2}",
    "the password (staging) is {hunter2}, the region is eu-west-1",
    "the password we use there is {hunter2} and nothing else",
    "the password is as follows: {hunter2}",
    "the jwt secret is {banana}",
    "the secret is {banana}",
    "the api key is {9f8e7d6c5b4a39281706f5e4d3c2b1a0}",
    "the access token is {9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d}",
    "our datadog key is {9f8e7d6c5b4a39281706f5e4d3c2b1a0}",
    "my pass is {hunter2}",
    "the admin password's {S3cr3t!}",
    "DB_PASSWORD is {hunter2}",
    "the PIN of the test phone is {4921}",
    'the password is "{banana}"',
    "the wifi password is {correct horse battery staple}",
    "the seed phrase is {legal winner thank year wave sausage worth useful}",
    # a sign says it
    "admin pw = {banana}",
    "remember tom's root password: {banana}",
    "remember my root password: '{banana}'",
    "password for staging: {Foo-bar-9}",
    "**password**: `{hunter2}`",
    "remember the pw:{hunter2}",
    "pw -> {hunter2}",
    # its place says it
    "use the password {S3cr3tPass99} for the staging db, never the prod one",
    "use the password '{banana}' for staging",
    "use api key {9f8e7d6c5b4a3928} for the staging api",
    "log in as user qa and password {Welcome-2024}",
    "user: tom, pass: {hunter2}",
    "ssh root@10.0.0.5 (pw {hunter2})",
    "set the password to {hunter2}",
    "password changed to {hunter2}",
    "use {hunter22} as the staging password",
    "{S3cr3tPass99} is the password for staging",
    # a login with its password
    "the admin login is admin / {Sommer2024!}",
    "the admin login is admin/{banana}",
    "creds: tom:{S3cr3tPass99}",
    "we log in with tom@acme.io:{S3cr3tPass99}",
    "the basic auth for staging is acme/{letmein42}",
    "user/pass is tom/{hunter2}",
    # other languages
    "merk dir, dass das Passwort {Sommer2024!} ist",
    "merk dir, dass das Passwort {Banane} ist",
    "das Datenbankpasswort für Staging lautet {Sommer2024!}",
    "Zugangsdaten: tom / {Sommer2024!}",
    "recuerda que la contraseña es {Verano2024!}",
    "recuerda: contraseña: {Verano2024!}",
    "le mot de passe de la base est {soleil}",
    "mdp : {Ete2024!!}",
    "a senha do banco é {Verao2024!}",
    "ricorda che la password è {Estate2024!}",
    "onthoud dat het wachtwoord {Zomer2024!} is",
    "zapamiętaj: hasło to {Lato2024!}",
    "heslo je {Leto2024!}",
    "lösenordet är {Sommar2024!}",
    "staging şifresi {Yaz2024!}",
    "nhớ rằng mật khẩu là {MuaHe2024!}",
    "запомни: пароль {Xk29!ppq1}",
    "пароль от базы — {Leto2024!}",
    "κωδικός: {Kalo2024!}",
    "كلمة المرور هي {Sayf2024!}",
    "पासवर्ड {hunter2} है",
    "รหัสผ่านคือ{hunter2}",
    "记住密码是 {Xk29!ppq}",
    "记住：密码：{Xk29!ppq1}",
    "账号密码：admin/{hunter2}",
    "パスワードは{Xk29!ppq1}だと覚えておいて",
    "비밀번호는 {hunter2}입니다",
]


@pytest.mark.parametrize("told", TOLD)
def test_what_a_sentence_tells_goes_and_the_sentence_stays(told: str) -> None:
    before, secret, after = re.split(r"[{}]", told)
    out = redact(f"remember that {before}{secret}{after}")
    assert secret not in out
    assert re.fullmatch(rf"remember that {re.escape(before)}\[redacted:\w+\]!?{re.escape(after)}", out)


@pytest.mark.parametrize(
    "told",
    [
        "creds: tom:{}, ann:{} and bob:{}",
        "the passwords are {} and {}",
        "the pw changed from {} to {}",
        "the pw was changed from {} to {}",
    ],
)
def test_every_value_of_a_list_goes(told: str) -> None:
    out = redact(told.format("hunter21", "hunter22", "hunter23"))
    assert out == told.replace("{}", "[redacted:password]")


@pytest.mark.parametrize(
    "text",
    [
        "the password is stored in the vault",
        "the token is refreshed hourly",
        "password must have 12 characters",
        "the api key is in 1Password",
        "token expired",
        "password reset flow",
        "set the password field",
        "the password is required",
        "the password is case-sensitive",
        "the password hash is SHA-256",
        "the password hint is in Vault at kv team",
        "the password is the same as the username",
        "the password is never logged anywhere else",
        "the password is $STAGING_PASSWORD",
        "the password is ${PW}",
        "the password is <your password>",
        "the password is ***",
        "the api key is STAGING_API_KEY",
        "the password for user tom42 is in 1Password under 'db-prod-2'",
        "the password is kept in vault2",
        "the password is rotated by terraform1.5",
        "the private key is at ~/.ssh/id_ed25519",
        "passwords are hashed with argon2, not bcrypt",
        "use argon2 as the password hasher",
        "Auth0 is the token issuer",
        "the token is base64 encoded",
        "the token is 32 bytes",
        "the token count is 5",
        "the token's expiry is 24h",
        "the access token is a JWT signed with RS256",
        "the token endpoint is auth2.acme.io/token",
        "rotate the token every 90 days",
        "token PROJ-123 is the ticket",
        "the secret is 32-byte",
        "the secret is org-wide",
        "the token is accessToken",
        "the cache key is v2:user:id",
        "pin the version to 1.2.3",
        "log in with SSO",
        "sign in with user test@acme.io",
        "log in with node18 and pnpm9",
        "login: POST /auth/login",
        "the login is email/password",
        "credentials: profile acme-dev2",
        "credentials are in config/prod.yml",
        "the basic auth for staging is in 1Password",
        "add a field password: string to the User type",
        "function f(user: string, password: string) {",
        "BasicAuth{Username: user, Password: pass}",
        "token := sha256.Sum256(data)",
        'expect(password).toBe("x")',
        "| token | string | JWT v2 |",
        "--password string   the password to use",
        'button "Sign in with Google" [disabled] [ref=e22]',
        "das Passwort ist im Vault",
        "das Passwort ist falsch",
        "la contraseña es obligatoria",
        "le mot de passe est dans le coffre",
        "пароль в хранилище",
        "密码保存在 vault 里",
        "パスワードは vault にある",
        "비밀번호는 vault에 있다",
    ],
)
def test_a_sentence_about_a_secret_that_tells_none_stays(text: str) -> None:
    assert redact(text) == text
    assert redact(f"remember that {text}.") == f"remember that {text}."


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
        ("remember that <private>x</private> prod is eu-west-1", "remember that [private] prod is eu-west-1"),
        ("we don't use `<private>` tags", "we don't use `<private>` tags"),
        ("end it with `</private>`", "end it with `</private>`"),
        ("```<private>``` and `x <private>` stay", "```<private>``` and `x <private>` stay"),
        ("`<private>` hides: <private>pw</private> b", "`<private>` hides: [private] b"),
        ("<private>a `</private>` b</private> c", "[private] c"),
        ("`<private>pw</private>` b", "`[private]` b"),
        ("a ` b <private>pw ` c</private> d", "a ` b [private] d"),
        ("`code` <private>one `two`", "`code` [private]"),
    ],
)
def test_private_spans_are_cut_out_whole(text: str, out: str) -> None:
    assert redact(text) == out


MARKS = [
    *"<private> </private> <PRIVATE > password token = : \" ' \\ //u: @h Authorization: Bearer [ ] Q~ $X x".split(),
    *("is", "the pw", "login", " tom/", "from", " to ", " and ", "пароль", "密码是", "hunter2", "`"),
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
    *("creds: a:b1c2d3e4, ", "password: a_b-", "password is abc-ab1-", "pw: sha2a-", "secret is Aa1", "пароль a "),
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
