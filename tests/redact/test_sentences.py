from __future__ import annotations

import re

import pytest

from wisen.redact import FloorRedactor

redact = FloorRedactor().redact


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
    # and goes on after a plain word
    "the password is {swordfish} on staging",
    "the password is {swordfish} for staging",
    "the password is {correcthorse} btw",
    "the password is {correcthorse} by the way",
    "the password is {swordfish} and the host is db1",
    "the password is {swordfish} please log in",
    "the password is {HunterjxvWfC} - use it",
    "the password is {swordfish} again",
    "my wifi password is {swordfish} lol",
    "the password is {correct-horse-battery} just so you know",
    "my password: {swordfish} btw",
    "das Passwort ist {Schwertfisch} auf Staging",
    "das Passwort ist {Schwertfisch} bitte nicht weitersagen",
    "la contraseña es {girasol} en staging",
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
