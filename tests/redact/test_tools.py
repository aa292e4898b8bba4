"""Programs take a secret by their own grammar: joined to a name, as the last word, after a flag of one letter."""

from __future__ import annotations

import re

import pytest
from tests.redact.made_up import HEX, part

from wisen.redact import FloorRedactor
from wisen.redact.placed import without_placed

redact = FloorRedactor().redact

KEY = HEX[:32]
MARKED = re.compile(r"<(\w[\w ]*)>")
AZURE = "xY1" + "8Q~" + part(34)


@pytest.mark.parametrize(
    "told",
    [
        "az login --service-principal -u 1b9d6bcd -p <sommer> --tenant acme",
        "az login -u tom@acme.io -p '<sommer>'",
        'mongosh "db1/app" -u tom -p <sommer>',
        "plink -ssh tom@db1 -pw <sommer> uptime",
        "ssh-keygen -t ed25519 -N '<sommer>' -f id",
        "ssh-keygen -p -P <winter> -N <sommer> -f id",
        "smbclient //srv/x -U tom%<sommer>",
        "smbclient -L srv -U 'ACME\\tom%<sommer>'",
        "smbget --user=tom%<sommer> smb://srv/x",
        'rpcclient -U "tom%<sommer>" srv',
        "lftp -u tom,<sommer> ftp.acme.io",
        "lftp -e 'mirror a' --user 'tom,<sommer>' ftp.acme.io",
        r"net use Z: \\srv\x <sommer> /user:tom",
        r"net use * \\srv\x /user:ACME\tom <sommer> /persistent:no",
        r'NET USE \\srv\ipc$ "<sommer>" /user:tom',
        "net user tom <sommer> /add",
        "cmdkey /add:srv /user:tom /pass:<sommer>",
        "xfreerdp /v:srv /u:tom /p:<sommer>",
        "htpasswd -bc /etc/nginx/users tom <sommer>",
        "htpasswd -nbB tom <sommer>",
        "htpasswd -b -c users tom '<sommer>' && nginx -s reload",
        "htpasswd -B -C 10 -b users tom <sommer>",
        "docker run --rm httpd htpasswd -Bbn tom <sommer> > users",
        "mosquitto_passwd -b /etc/mosquitto/users tom <sommer>",
        "rabbitmqctl add_user tom <sommer>",
        "gh secret set DEPLOY --body <sommer>",
        "gh secret set DEPLOY --body=<sommer> --repo acme/app",
        'gh secret set DEPLOY -R acme/app -b "<two words>"',
        "aws secretsmanager create-secret --name x --secret-string '<sommer>'",
        "aws ssm put-parameter --name x --type SecureString --value <sommer>",
        "az keyvault secret set --vault-name v -n x --value <sommer>",
        "ansible-vault encrypt_string '<sommer>' --name x",
        "fly secrets set MAIL=<sommer> -a app",
        "db1.acme.io:5432:app:svc:<sommer>",
        "see db1.acme.io:5432:app:svc:<sommer>",
        'echo "db1:5433:*:svc:<sommer>" >> ~/.pgpass',
        "printf 'db1:*:app:svc:<sommer>\\n' > x",
        "printf '*:6432:app:svc:<sommer>' > ~/.pgpass",
        f"$ cat config/master.key\n<{KEY}>\n$ ls",
        f'{{"out": "$ cat config/master.key\\n<{KEY}>"}}',
        f"`cat config/credentials/production.key`:\n\n<{KEY}>",
        f"ssh srv cat /srv/app/secret_token.txt\n<{part(40)}>",
        f"git show HEAD~2:config/master.key\n<{KEY}>",
        f"echo <{KEY}> > config/master.key",
        f"printf '%s' '<{KEY}>' | sudo tee config/master.key",
    ],
)
def test_a_secret_goes_where_a_program_takes_or_shows_one(told: str) -> None:
    out = redact(MARKED.sub(r"\1", told))
    assert re.sub(r"\[redacted:(?:secret|password)\]", "[]", out) == MARKED.sub("[]", told)


@pytest.mark.parametrize(
    "text",
    [
        "az login --use-device-code",
        "az login --service-principal -u $ID -p $SECRET --tenant acme",
        "mongosh -u tom -p --authenticationDatabase admin",
        "ssh-keygen -t rsa -P '' -f ~/.ssh/id",
        "smbclient //srv/x -U tom",
        "smbclient //srv/x -U tom%$PASS",
        "lftp -u tom, sftp://srv",
        r"net use Z: \\srv\x * /user:tom",
        "net use Z: /delete",
        "net user tom *",
        "net user tom /delete",
        "htpasswd -c users tom",
        "htpasswd -cB users tom && cat users",
        'htpasswd -nb tom "$PASS"',
        "htpasswd -bc FILE USER PASSWORD",
        "gh secret set DEPLOY < key.pem",
        'gh secret set DEPLOY --body "$VALUE"',
        "gh secret set DEPLOY --body",
        "aws ssm put-parameter --name x --type String --value sommer",
        "the fly secrets set up last week",
        "docker build --secret id=npmrc,src=$HOME/.npmrc .",
        "docker build --secret id=npmrc,src=/home/tom/.npmrc2 .",
        "docker build --secret type=env,id=NPM_TOKEN2 .",
        "docker buildx build --secret 'id=aws2,env=AWS_KEY_2' .",
        "docker build --secret=id=npmrc2,src=.npmrc .",
        "docker service create --secret source=db_pw_2,target=pw app",
        "see lib/db.py:5432:class:Pool:open",
        f"git log --format=%H -- config/master.key\n{HEX}",
        f"git rev-parse HEAD:config/master.key\n{HEX}",
        f"cat package.json\n{HEX}",
        "cat config/master.key\nNo such file or directory",
        f"echo {HEX} > commit.txt",
    ],
)
def test_a_reference_a_prompt_or_a_mounted_file_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("call", ["lftp -u a,", "smbget -U a%", "plink -pw ", "gh secret set X -b "])
def test_of_calls_run_together_every_secret_goes_in_one_pass(call: str) -> None:
    """A value may swallow the name of the next program and leave its flag: each pass would then find one more."""
    once = without_placed(f"{call}wort1x" * 60)
    assert without_placed(once) == once


@pytest.mark.parametrize("value", [AZURE, "-_." + AZURE[3:], AZURE[:3] + "7" + AZURE[4:37], AZURE.replace("~", "%7E")])
@pytest.mark.parametrize("text", ["{}", "it is {}", "-p {} -t x", "x={}&y=1", "'{}'", "see.{}"])
def test_a_client_secret_of_azure_goes_by_its_form(text: str, value: str) -> None:
    assert redact(text.format(value)) in {text.format("[redacted:azure]"), "[redacted:azure]"}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\n     7→"])
@pytest.mark.parametrize("end", ["Private-MAC: 3f9a", "Private-Hash: 3f9a", ""])
def test_the_private_lines_of_putty_go_and_the_public_ones_stay(newline: str, end: str) -> None:
    lines = ["PuTTY-User-Key-File-3: ssh-rsa", "Public-Lines: 1", part(64), "Private-Lines: 2", part(64), part(30)]
    out = redact(newline.join([*lines, end]))
    assert out == newline.join([*lines[:3], "[redacted:private-key]"]) + end


def test_a_private_key_of_ssh_com_goes() -> None:
    begin, end = (f"---- {mark} SSH2 ENCRYPTED PRIVATE KEY ----" for mark in ("BEGIN", "END"))
    assert redact(f"a\n{begin}\n{part(70)}\n{end}\nb") == "a\n[redacted:private-key]\nb"
