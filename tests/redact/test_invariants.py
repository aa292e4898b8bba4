from __future__ import annotations

from base64 import b64encode

from hypothesis import example, given
from hypothesis import strategies as st
from tests.redact.made_up import BY_FORM, HEX, part

from wisen.redact import FloorRedactor

redact = FloorRedactor().redact


MARKS = [
    *"<private> </private> <PRIVATE > password token = : \" ' \\ //u: @h Authorization: Bearer [ ] Q~ $X x".split(),
    *("is", "the pw", "login", " tom/", "from", " to ", " and ", "пароль", "密码是", "hunter2", "`"),
    *(
        "log in as tom with ",
        "ssh ",
        "recovery codes: ",
        "8f3a1-bb920",
        "2fa ",
        "JBSWY3DPEHPK3PXP",
        "host=db1 ",
        "Node20",
    ),
    *(
        "| a | password |",
        "|---|---|",
        "| b | hunter2 |",
        "&lt;private&gt;",
        "sk_live_",
        "acme-token-",
        "hooks/a/",
        "@b.io",
    ),
    *("lftp -u a,", "smbget -U a%", "gh secret set X -b ", "htpasswd -nb a ", "cat a.key\n", 'pw="'),
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


def base64_of(raw: bytes) -> str:
    return b64encode(raw).decode()


HASHES = st.binary(min_size=4, max_size=64).map(bytes.hex)
UUIDS = st.uuids().map(str)
COLOURS = st.binary(min_size=3, max_size=4).map(lambda raw: f"#{raw.hex()}")
INTEGRITIES = st.binary(min_size=64, max_size=64).map(lambda raw: f"sha512-{base64_of(raw)}")
UNPADDED = st.binary(min_size=48, max_size=48).map(lambda raw: f"sha384-{base64_of(raw)}")
SUMS = st.binary(min_size=32, max_size=32).map(lambda raw: f"h1:{base64_of(raw)}=")
SMALL = st.text(st.characters(codec="ascii"), max_size=60).map(lambda text: base64_of(text.encode()))
HARMLESS = st.one_of(HASHES, UUIDS, COLOURS, INTEGRITIES, UNPADDED, SUMS, SMALL)
SURROUNDINGS = st.sampled_from(
    [
        "{}",
        "commit {}",
        "git show {}",
        "Merge: {} {}",
        "index {}..{} 100644",
        "fixed in {}, see the log",
        "color: {};",
        '"integrity": "{}",',
        "    integrity {}",
        "github.com/acme/app v1.2.3 {}",
        'checksum = "{}"',
        "sha256:{}",
        "image@sha256:{}",
        "etag: {}",
        "id={}",
        '{{"id": "{}", "parent": "{}"}}',
        "data:image/png;base64,{}",
        "log in as admin and look at {}",
        "https://host.example/a/{}/b?v={}",
        "app.{}.js",
    ]
)


@given(SURROUNDINGS, HARMLESS)
@example("{}", "sha384-aZ3kQ9mB7xR2tY5wE8uI1oP4sD6fG0hJcVnLbNqTzXyKpWvMrSgUiOjHdFlAaZ3k")
def test_no_hash_id_colour_or_checksum_is_taken_for_a_secret(around: str, harmless: str) -> None:
    text = around.replace("{{", "{").replace("}}", "}").replace("{}", harmless)
    assert redact(text) == text


@given(
    st.lists(st.sampled_from(["[redacted:secret]", "[redacted:aws]", "[private]", *MARKS]), max_size=10).map("".join)
)
def test_a_placeholder_of_ours_is_never_changed(text: str) -> None:
    out = redact(text)
    for placeholder in ("[redacted:aws]", "[redacted:secret]"):
        assert out.count(placeholder) >= text.count(placeholder) or "[private]" in out
