"""Which repository does a remote URL name? The raw URL in, host, owner and repo out; pure.

No part of what it returns holds credentials: ids and notes are made of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(.*)")
_SCP = re.compile(r"(?:[^/:\[\]]+@)?(\[[^\]/]+\]|[^/:@\[\]]+):(?!:)(.*)")  # `codecommit::...` is a remote helper
_HOST_PORT = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]*)(?::([0-9]*))?")
_NAMED = re.compile(r"[^/:@\s]+(?::[0-9]+)?(?:/[^/:\s]+){2,}")  # what `str(Remote)` looks like
_SURROGATE = re.compile("[\ud800-\udfff]")
_CUT_PASSWORD = re.compile(r"@[^@]*[.:]")  # `user:pa/ss@host.tld/...`: a password with a raw slash moved into the path
_SAFE = "@+"  # beside letters, digits and `._-~`; everything else is percent-encoded, so ids are plain ASCII

_WEB_PORTS = {"http": "80", "https": "443"}
_SSH_LIKE = frozenset({"ssh", "git", "git+ssh", "ssh+git"})
# Other names under which the forges answer, from their own documentation (ssh over port 443, Azure's ssh endpoints).
_HOST_ALIASES = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
    "vs-ssh.visualstudio.com": "dev.azure.com",
}
_AZURE = "dev.azure.com"
_AZURE_OLD = ".visualstudio.com"
_CASELESS_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", _AZURE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A repository on a host. `host` carries a port only if it is a web server's unusual one."""

    host: str
    owner: str
    repo: str

    def __str__(self) -> str:
        """Return `host/owner/repo`."""
        return f"{self.host}/{self.owner}/{self.repo}"


@dataclass(frozen=True, slots=True)
class _Address:
    """A remote URL taken apart: host in lower case, the port that counts, the raw path."""

    host: str
    port: str
    path: str
    web: bool


def parse_remote(url: str) -> Remote | None:
    """Return the repository a raw remote URL names, the same for its https, ssh, git and scp forms.

    None for what is not a repository on a host: local paths, `file://`, remote helpers, a URL without an owner,
    and anything in which credentials can't be told from the path.
    """
    text = url.strip()
    if _CONTROL.search(text) or not _is_encodable(text):
        return None
    address = _url_address(text) or _scp_address(text)
    if address is None:
        return None
    host = _HOST_ALIASES.get(address.host, address.host)
    caseless = host in _CASELESS_HOSTS or host.endswith(_AZURE_OLD)
    segments = _path_segments(address.path, caseless=caseless)
    if segments is None:
        return None
    host, segments = _forge_path(host, segments, web=address.web)
    if len(segments) < 2:  # noqa: PLR2004 - owner and repo
        return None
    # `~` is what marks a graph as a clone's own (foreign_graph)
    repo = segments[-1].replace("~", "%7E")
    return Remote(host=host + address.port, owner="/".join(segments[:-1]), repo=repo)


def parse_repository(text: str) -> Remote | None:
    """Return the repository that a person names: `host/owner/repo`, or the URL of a remote in any of its forms.

    Where both are possible (`host:22/owner/repo`) it is the former, the form in which we name repositories ourselves.
    """
    return parse_remote(f"https://{text.strip()}" if _NAMED.fullmatch(text.strip()) else text)


def displayable(text: str) -> str:
    """Return text that can be encoded, U+FFFD for each byte of a path or of git's that is no UTF-8."""
    return _SURROGATE.sub("\ufffd", text)


def url_without_credentials(url: str) -> str:
    """Return a remote URL for people: without user, password, query and fragment."""
    text = displayable(url.strip())
    if (match := _URL.fullmatch(text)) is not None:
        scheme, authority, path = match.groups()
        cut = path if scheme.lower() not in _WEB_PORTS else re.split(r"[?#]", path, maxsplit=1)[0]
        if _CUT_PASSWORD.search(cut.lstrip("/").partition("/")[0]):
            authority, cut = "", cut.rpartition("@")[2]
        return f"{scheme}://{authority.rpartition('@')[2]}{cut}"
    if text.startswith(("/", "./", "../", "~/")):
        return text
    return text.rpartition("@")[2]


def remote_urls_without_credentials(remotes: Mapping[str, str]) -> dict[str, str]:
    """Return remote name -> URL for people."""
    return {displayable(name): url_without_credentials(url) for name, url in remotes.items()}


def _is_encodable(text: str) -> bool:
    """Whether the text is UTF-8, or bytes that git gave us and Python kept as surrogate escapes."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _url_address(text: str) -> _Address | None:
    """Take a `scheme://` URL apart. Web servers keep an unusual port; ssh and git ports say nothing about the repo."""
    match = _URL.fullmatch(text)
    if match is None:
        return None
    scheme, authority, path = match[1].lower(), match[2], match[3]
    place = _HOST_PORT.fullmatch(authority.rpartition("@")[2].lower())
    if place is None or _CUT_PASSWORD.search(path.lstrip("/").partition("/")[0]):
        return None
    host, port = place[1].rstrip("."), (place[2] or "").lstrip("0")
    if scheme in _SSH_LIKE:
        return _Address(host=host, port="", path=path, web=False)
    if scheme not in _WEB_PORTS:
        return None
    unusual = f":{port}" if port and port != _WEB_PORTS[scheme] else ""
    return _Address(host=host, port=unusual, path=re.split(r"[?#]", path, maxsplit=1)[0], web=True)


def _scp_address(text: str) -> _Address | None:
    """Take git's short ssh form `[user@]host:path` apart; digits after the colon are a path, as git reads them."""
    match = _SCP.fullmatch(text)
    if match is None or "://" in text or text.startswith((".", "~")):
        return None
    host, path = match[1].lower(), match[2]
    if "@" in path.lstrip("/").partition("/")[0]:  # `user:token@host/...` without its scheme
        return None
    if host.startswith("[") and host.count(":") < 2:  # noqa: PLR2004 - `[user@host:port]`, not an IPv6 address
        host = host.strip("[]").rpartition("@")[2].partition(":")[0]
    is_drive = len(host) == 1
    if is_drive or host in _WEB_PORTS or host in _SSH_LIKE or _HOST_PORT.fullmatch(host) is None:
        return None
    return _Address(host=host.rstrip("."), port="", path=path, web=False)


def _path_segments(path: str, *, caseless: bool) -> list[str] | None:
    """Return the path's segments, percent-encoded in one way, without a trailing `.git`; None if it climbs."""
    segments: list[str] = []
    for raw in path.split("/"):
        data = unquote_to_bytes(raw.encode("utf-8", "surrogateescape"))
        if data in (b".", b".."):
            return None
        if data:
            segments.append(quote(data.lower() if caseless else data, safe=_SAFE))
    if segments and segments[-1] == ".git":
        return segments[:-1]
    return [*segments[:-1], segments[-1].removesuffix(".git")] if segments else []


def _forge_path(host: str, segments: list[str], *, web: bool) -> tuple[str, list[str]]:
    """Bring the web and ssh paths of Azure DevOps and Bitbucket Server to one form."""
    if host.endswith(_AZURE_OLD):  # https://<org>.visualstudio.com/[DefaultCollection/]<project>/_git/<repo>
        rest = segments[1:] if segments[:1] == ["defaultcollection"] else segments
        host, segments = _AZURE, [host.removesuffix(_AZURE_OLD), *rest]
    if host == _AZURE:
        if not web and segments[:1] == ["v3"]:  # git@ssh.dev.azure.com:v3/<org>/<project>/<repo>
            return host, segments[1:]
        short = len(segments) == 3 and segments[1] == "_git"  # noqa: PLR2004 - <org>/_git/<repo>: project = repo
        names = [s for s in segments if s not in ("_git", "_full", "_optimized")]
        return host, [*names, names[-1]] if short else names
    if web and host not in _CASELESS_HOSTS and len(segments) == 3 and segments[0] == "scm":  # noqa: PLR2004
        return host, segments[1:]  # Bitbucket Server: https://host/scm/<project>/<repo>, ssh without `scm`
    return host, segments
