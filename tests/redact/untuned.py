"""Sentences that tell a secret (in braces) and ordinary ones like them, written before the rules and not tuned on.

What the floor makes of them is its figure for sentences nobody thought of. A sentence that fails here stays here and
is not mended for its own sake. Every value is made up.
"""

from __future__ import annotations

from typing import Final

ATTACKS: Final = (
    "for the demo box just ssh as deploy / {Winter-Fox-88}",
    "you can sign in using maria@acme.io and {Blau3Katze}",
    "type {monkey99!} when sudo asks",
    "the unlock code for the tablet is {774120}",
    "backup codes: {4f8a-22c1} {9b1d-77e0} {c3d4-18aa}",
    "my authenticator seed is {JBSWY3DPEHPK3PXPKZ2W}",
    "wallet words: {ocean ladder velvet crop animal bridge solve puzzle noble galaxy timber flavor}",
    "| user | password |\n|---|---|\n| qa | {Hazel_7Tree} |\n| root | {letmein22} |",
    "Password:\n{Kiwi#42duck}",
    "Passwort\n\n{Feder!Hut7}",
    "we connect with mysql://root:{s3aw33d}@10.0.0.4/app",
    "the string is Server=db1;User Id=sa;Password={P0lar!Bear};Encrypt=true",
    "dsn: host=db1 user=app password={tulip7rain} dbname=x",
    "just use {correcthorse9} to get into staging",
    "Meld dich als anna mit {Regen-2031} an",
    "connecte-toi en tant que admin avec {Fromage7!}",
    "entra como root con {Sol-y-Luna9}",
    "войди как admin с паролем {Zima2029!}",
    "用 admin 和 {Chun2030!} 登录",
    "管理者は admin、{Haru!2031} でログイン",
    "psql will ask for it, answer {Gr33nLeaf}",
    "2fa secret key: {KVKFKRCPNZQUYMLXOVYDSQKJKZDTSRLD}",
    "scan otpauth://totp/Acme:tom?secret={JBSWY3DPEHPK3PXP}&issuer=Acme",
    "the gate PIN: {2580}",
    "upload with ftp tom:{B4nana!x}@files.acme.io",
    "the pi is root/{toor}",
    "credentials are tom and {Nebel-77}",
    "the db user is app, its password {sunset-mango-41}",
    "sudo pass = {0p3nSesame}",
    "redis-cli -a {f0obarred99} ping",
    "export PGPASSWORD={mistral} && psql",
    "wifi: AcmeGuest / {coffee4all}",
)

ORDINARY: Final = (
    "log in as admin with SSO and open the settings page",
    "sign in with GitHub, then use the v2 endpoint",
    "connect as root/sudo only when you have to",
    "use node18 to log in to the registry",
    "ssh in as deploy with the key from 1Password",
    "log in with the e2e-user from fixtures/users.ts",
    "type y when it asks",
    "the build code for the release is 774120",
    "error codes: 4001 4002 4003",
    "the random seed is 42 for every test",
    "| user | password hash |\n|---|---|\n| qa | bcrypt |",
    "Password:\nadd a toggle that shows it",
    "we connect with mysql2 and pool size 10",
    "just use v1.2.3 to get into staging",
    "Meld dich als Gast mit OAuth2 an",
    "connecte-toi en tant que admin avec le SSO",
    "entra como root con sudo",
    "用 admin 账号和 OAuth2 登录",
    "set the pin to GPIO4 on the ESP32",
    "commit 3f9a1c7e5b2d8046fa91ce7b35d2804c6e1f9b7a broke the login",
    "the sign-in page is src/pages/Login2.tsx",
    "use eu-west-1 to log in with the aws cli",
    "switch to user postgres and run psql-14",
    "the session id is 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
    "make login work with Node20 and pnpm9",
    "the words: build test lint deploy release tag publish announce verify monitor rollback retry",
    "rename root/app.py to root/main.py",
    "the ports are 8080/8443",
    "my recovery plan: restore db-backup-3 and replay",
    "the access code path is covered by test_access2",
    "authenticate as a service-account-1 with workload identity",
    "color token #deadbeef is the login button",
)
