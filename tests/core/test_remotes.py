from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.remotes import (
    Remote,
    displayable,
    parse_remote,
    parse_repository,
    remote_urls_without_credentials,
    url_without_credentials,
)

# https, ssh, git and scp spellings of one repository on a host that ignores case.
SPELLINGS_OF_ONE = [
    "git@github.com:Owner/Repo.git",
    "https://github.com/owner/repo",
    "https://github.com/owner/repo.git/",
    "ssh://git@github.com/owner/repo.git",
    "ssh://git@github.com:22/owner/repo",
    "https://x-access-token:ghs_FAKE@github.com/owner/repo.git",
    "git://github.com/owner/repo",
    "HTTPS://GitHub.com/owner/repo",
    "github.com:owner/repo",
    "  https://github.com//owner/repo//\n",
    "ssh://git@ssh.github.com:443/owner/repo.git",
    "git+ssh://git@github.com/owner/repo",
    "https://www.github.com/owner/repo?tab=readme#top",
    "https://github.com:443/owner/repo",
    "[git@github.com:22]:owner/repo",
    "https://github.com/owner/%72epo",
]


@pytest.mark.row("A2")
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@github.com:owner/repo.git", ("github.com", "owner", "repo")),
        ("https://github.com/owner/repo.git", ("github.com", "owner", "repo")),
        ("https://user:token@GitHub.com/owner/repo", ("github.com", "owner", "repo")),
        ("ssh://git@gitlab.example.com:2222/group/sub/repo.git", ("gitlab.example.com", "group/sub", "repo")),
        ("https://gitlab.com/group/sub/team/proj.git", ("gitlab.com", "group/sub/team", "proj")),
        ("", None),
        ("not-a-url", None),
        ("https://github.com/", None),
        ("https://github.com/owner", None),
    ],
)
def test_the_published_vectors_give_the_listed_parts(url: str, expected: tuple[str, str, str] | None) -> None:
    remote = parse_remote(url)
    assert (remote and (remote.host, remote.owner, remote.repo)) == expected


@pytest.mark.row("A3")
def test_nested_groups_stay_in_the_owner() -> None:
    remote = parse_remote("https://gitlab.com/group/sub/team/proj.git")
    assert remote == Remote(host="gitlab.com", owner="group/sub/team", repo="proj")


@pytest.mark.fault("B55")
@pytest.mark.parametrize("url", SPELLINGS_OF_ONE)
def test_every_spelling_of_a_repository_is_that_repository(url: str) -> None:
    assert parse_remote(url) == Remote(host="github.com", owner="owner", repo="repo")


@pytest.mark.fault("B55")
def test_what_only_looks_alike_is_told_apart() -> None:
    urls = [
        "https://github.com/owner/repo",
        "git@gitlab.com:owner/repo",
        "ssh://git@host:2222/grp/repo",
        "host:2222/grp/repo",
        "https://host:2222/grp/repo",
        "https://dev.azure.com/o/p/_git/r",
        "git@bitbucket.co:scm/team/repo",
        "git@bitbucket.co:team/repo",
        "https://host.example/a@b/repo",
        "https://host.example/b/repo",
    ]
    remotes = [parse_remote(url) for url in urls]
    assert None not in remotes
    assert len(set(remotes)) == len(urls)


@pytest.mark.parametrize(
    "url",
    [
        "file:///srv/r.git",
        "../relative.git",
        "./here/r.git",
        "/srv/git/owner/repo.git",
        "~/git/owner/repo",
        "host/2222/grp/repo",
        "C:/jobs/owner/repo",
        "C:\\work\\owner\\repo",
        "codecommit::us-east-1://owner/repo",
        "ext::sh -c whoami/x/y",
        "repo://claude-code/github.com/owner/repo",
        "https:/github.com/owner/repo",
        "https:///owner/repo",
        "https://../owner/repo",
        "https://host.example/owner/../repo",
        "https://host.example/owner/%2e%2e/repo",
        "https://host.example:port/owner/repo",
        "https://host.example/own\ner/repo",
        "https://host.example/own\udc00er\ud800/repo",
        "git@host:repo.git",
        "https://host.example/.git/.git",
    ],
)
def test_what_is_no_repository_on_a_host_has_no_remote(url: str) -> None:
    assert parse_remote(url) is None


def test_ssh_ports_are_dropped_and_unusual_web_ports_kept() -> None:
    assert str(parse_remote("ssh://git@host.example:2222/o/r")) == "host.example/o/r"
    assert str(parse_remote("git://host.example:9418/o/r")) == "host.example/o/r"
    assert str(parse_remote("https://host.example:443/o/r")) == "host.example/o/r"
    assert str(parse_remote("http://host.example:80/o/r")) == "host.example/o/r"
    assert str(parse_remote("https://host.example:8443/o/r")) == "host.example:8443/o/r"
    assert str(parse_remote("http://host.example:08080/o/r")) == "host.example:8080/o/r"
    assert str(parse_remote("ssh://git@[2001:db8::1]:22/o/r")) == "[2001:db8::1]/o/r"
    assert parse_remote("[2001:db8::1]:o/r") == parse_remote("ssh://[2001:db8::1]/o/r")


@pytest.mark.parametrize("host", ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com"])
def test_case_is_folded_on_hosts_known_to_ignore_it(host: str) -> None:
    assert parse_remote(f"https://{host}/Owner/Sub/Repo.GIT") == parse_remote(f"git@{host}:owner/sub/repo.git")


def test_case_is_kept_on_other_hosts() -> None:
    assert parse_remote("https://git.example.org/Owner/Repo") != parse_remote("https://git.example.org/owner/repo")
    assert parse_remote("https://GIT.example.org/Owner/Repo") == parse_remote("https://git.example.org/Owner/Repo")


@pytest.mark.parametrize(
    "url",
    [
        "https://dev.azure.com/Org/My%20Project/_git/repo",
        "https://me@dev.azure.com/org/My Project/_git/repo",
        "git@ssh.dev.azure.com:v3/org/My%20Project/repo",
        "https://org.visualstudio.com/DefaultCollection/My%20Project/_git/repo",
        "https://org.visualstudio.com/My%20Project/_git/_full/repo",
        "org@vs-ssh.visualstudio.com:v3/org/My%20Project/repo",
    ],
)
def test_the_azure_spellings_are_one_repository(url: str) -> None:
    assert str(parse_remote(url)) == "dev.azure.com/org/my%20project/repo"


def test_a_short_azure_url_names_project_and_repository_at_once() -> None:
    assert parse_remote("https://dev.azure.com/org/_git/repo") == parse_remote("git@ssh.dev.azure.com:v3/org/repo/repo")


def test_bitbucket_server_is_the_same_by_https_and_ssh() -> None:
    https = parse_remote("https://bitbucket.example.com/scm/team/repo.git")
    assert https == parse_remote("ssh://git@bitbucket.example.com:7999/team/repo.git")
    assert str(parse_remote("https://gitlab.com/scm/team/repo")) == "gitlab.com/scm/team/repo"


@pytest.mark.parametrize(
    "url",
    [
        "user:ghs_FAKE@github.com/owner/repo",
        "user:ghs_FAKE@github.com:owner/repo",
        "user:ghs_FAKE@localhost/owner/repo",
        "https:ghs_FAKE@github.com/owner/repo",
        "https://user:pa/ghs_FAKE@github.com/owner/repo",
        "https://pa/ghs_FAKE@github.com/owner/repo",
        "[user:ghs_FAKE@host:22]:owner/repo",
    ],
)
def test_a_url_whose_credentials_cannot_be_told_from_the_path_has_no_remote(url: str) -> None:
    assert parse_remote(url) is None
    assert "ghs_FAKE" not in url_without_credentials(url)


def test_urls_for_people_show_where_but_not_as_whom() -> None:
    remotes = {
        "origin": "https://user:ghs_FAKE@github.com/owner/repo.git?access_token=ghs_FAKE",
        "ssh": "ssh://git:ghs_FAKE@host.example:2222/o/r",
        "scp": "git@github.com:owner/repo.git",
        "local": "/srv/me@home/r.git",
    }
    assert remote_urls_without_credentials(remotes) == {
        "origin": "https://github.com/owner/repo.git",
        "ssh": "ssh://host.example:2222/o/r",
        "scp": "github.com:owner/repo.git",
        "local": "/srv/me@home/r.git",
    }


def test_bytes_that_are_no_utf_8_tell_remotes_apart_and_are_shown_as_such() -> None:
    urls = {"caf\udce9": "https://h.example/o/caf\udce9", "other": "https://h.example/o/caf\udcea"}
    assert [str(parse_remote(url)) for url in urls.values()] == ["h.example/o/caf%E9", "h.example/o/caf%EA"]
    shown = "https://h.example/o/caf\ufffd"
    assert remote_urls_without_credentials(urls) == {"caf\ufffd": shown, "other": shown}


@given(st.text(st.characters(categories=["Cs", "L"])))
def test_what_is_for_people_can_be_encoded_and_is_otherwise_unchanged(text: str) -> None:
    assert len(displayable(text).encode()) >= len(text)
    assert [new for old, new in zip(text, displayable(text), strict=True) if new not in (old, "\ufffd")] == []


@pytest.mark.parametrize("url", SPELLINGS_OF_ONE)
def test_a_person_names_a_repository_as_git_does_or_by_its_host_and_path(url: str) -> None:
    assert parse_repository(url) == parse_repository(" github.com/Owner/Repo\n") == parse_remote(url)


def test_a_port_in_a_name_is_a_web_servers() -> None:
    assert str(parse_repository("host.example:8443/o/r")) == "host.example:8443/o/r"
    assert str(parse_repository("host.example:o/r")) == "host.example/o/r"


@pytest.mark.parametrize(
    "text",
    ["", "acme", "acme/widgets", "/srv/o/r", "./here/o/r", "../o/r", "~/o/r", "u@host/o/r", "host/o/../r", "h/o r/x"],
)
def test_what_names_no_repository_is_none(text: str) -> None:
    assert parse_repository(text) is None


HOSTS = st.from_regex(r"[a-z][a-z0-9]{1,8}(-[a-z0-9]{1,4})?\.[a-z]{2,4}", fullmatch=True)
NAMES = st.text(string.ascii_letters + string.digits + "-_.", min_size=1, max_size=12).filter(
    lambda name: name not in (".", "..", ".git") and not name.lower().endswith(".git")
)
PATHS = st.lists(NAMES, min_size=2, max_size=5).filter(lambda names: not {"scm", "v3", "_git"} & set(names))


@given(host=HOSTS, names=PATHS, port=st.integers(1, 65535))
def test_all_forms_of_any_repository_are_equal(host: str, names: list[str], port: int) -> None:
    path = "/".join(names)
    forms = [
        f"https://{host}/{path}",
        f"http://{host}/{path}.git",
        f"ssh://git@{host}:{port}/{path}.git/",
        f"git://{host}/{path}",
        f"git@{host}:{path}.git",
        f"{host.upper()}:/{path}",
    ]
    assert len({parse_remote(form) for form in forms}) == 1
    assert parse_remote(forms[0]) is not None


@given(host=HOSTS, names=PATHS, port=st.integers(1, 65535))
def test_the_name_we_give_a_repository_is_one_it_can_be_named_by(host: str, names: list[str], port: int) -> None:
    remote = parse_remote(f"http://{host}:{port}/{'/'.join(names)}")
    assert parse_repository(str(remote)) == (remote if port != 443 else parse_repository(f"{host}/{'/'.join(names)}"))


# What a token may look like, the characters that break a careless parser among them.
SECRETS = st.text(string.ascii_letters + string.digits + "@:%+-_.~!$&'()*,;=", max_size=12).map("ghs_FAKE{}".format)


@pytest.mark.fault("B55")
@given(host=HOSTS, names=PATHS, user=NAMES, secret=SECRETS, form=st.integers(0, 6))
def test_credentials_are_in_no_remote_and_in_no_displayed_url(
    host: str, names: list[str], user: str, secret: str, form: int
) -> None:
    path = "/".join(names)
    url = [
        f"https://{user}:{secret}@{host}/{path}",
        f"https://{secret}@{host}/{path}",
        f"ssh://{user}:{secret}@{host}:22/{path}",
        f"{user}:{secret}@{host}:{path}",
        f"{user}:{secret}@{host}/{path}",
        f"{secret}@{host}:{path}",
        f"https://{host}/{path}?private_token={secret}",
    ][form]
    assert "ghs_FAKE" not in str(parse_remote(url))
    assert "ghs_FAKE" not in url_without_credentials(url)


@given(st.text(max_size=60))
def test_any_text_is_a_remote_or_not_but_never_an_error(text: str) -> None:
    remote = parse_remote(text)
    assert remote is None or (remote.host and remote.owner and remote.repo and str(remote).isascii())
    url_without_credentials(text)
