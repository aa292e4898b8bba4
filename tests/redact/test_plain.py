from __future__ import annotations

import re

import pytest

from wisen.redact import FloorRedactor

redact = FloorRedactor().redact


@pytest.mark.parametrize(
    "told",
    [
        "POSTGRES_PASSWORD={correcthorse}",
        "docker run -e DB_PASSWORD={swordfish} mysql",
        'export MAIL_PASS="{swordfish}"',
        "DB_PASSWORD={hunter2}",
        "SMTP_PASS={letmein}",
        "ROOT_PW={banana} ./run.sh",
        "MYSQL_ROOT_PASSWORD: {swordfish}",
        '  "MYSQL_ROOT_PASSWORD": "{swordfish}",',
        "environment:\n  - DB_PASSWORD={swordfish}\n  - DB_HOST=db",
        "spring.datasource.password={swordfish}",
        "helm upgrade x --set auth.password={UXiAPyhzAnar}",
        "java -Dspring.datasource.password={swordfish} -jar app.jar",
        "kubectl create secret generic db --from-literal=password={swordfish}",
        "mycli --password {swordfish}",
        "mycli --password={swordfish} -v",
        "mycli -h db1 --db-password {swordfish} app",
        "`mycli --password {swordfish}`",
        "gpg --batch --passphrase {swordfish} -d x.gpg",
    ],
)
def test_a_plain_word_set_as_a_password_goes(told: str) -> None:
    out = redact(re.sub(r"[{}]", "", told))
    assert out == re.sub(r"\{\w+\}", "[redacted:password]", told)


@pytest.mark.parametrize(
    "text",
    [
        "POSTGRES_PASSWORD=changeme",
        "POSTGRES_PASSWORD=postgres",
        "DB_PASSWORD=password",
        "DB_PASSWORD=secret",
        "DB_PASSWORD=<password>",
        "DB_PASSWORD=$DB_PASSWORD",
        "DB_PASSWORD=${DB_PASSWORD}",
        "DB_PASSWORD=xxxxxx",
        "DB_PASSWORD=example",
        "DB_PASSWORD=your-password",
        "DB_PASSWORD=YOUR_PASSWORD",
        "DB_PASSWORD=testpass",
        "DB_PASSWORD=",
        "USE_PASSWORD=false",
        "RESET_PASSWORD=resetting",
        "FORGOT_PASSWORD: forgotten",
        "PWD=workspace",
        "OLDPWD=workspace",
        "PASS=lint",
        "MIN_PASSWORD=8",
        "password = getpass()",
        "password: str",
        "password=None",
        "password: string;",
        "login(user=user, password=hashed)",
        "self.password=hashed",
        "this.user.password=fresh",
        "PASSWORD: Kennwort",
        "mycli --password PASSWORD",
        "mycli --password <pw>",
        "mycli --password $PW",
        "use --password options",
        "the --username and --password options",
        "--password is deprecated",
        "--password prompts for it",
        "  --password string   the password to use",
        "pass --password to skip the prompt",
    ],
)
def test_a_stand_in_a_type_or_code_stays(text: str) -> None:
    assert redact(text) == text
