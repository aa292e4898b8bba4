"""Which secrets does a scanner that the user has installed know besides? Run on this machine, in bounded time.

gitleaks and kingfisher are told to read standard input and to ask no server. When the program is missing, slow or
answers something else, the floor alone decides, `problems` says so, and it is left alone for a while.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from wisen.ports import Redactor

TIMEOUT_S: Final = 2.0
REST_S: Final = 60.0
"""Seconds without a scan after one that failed: a scanner that hangs costs one timeout a minute, not one an event."""

_SHORTEST_SECRET: Final = 6
_CLEAN_TEXTS: Final = 512


def with_scanner(floor: Redactor, scanner: str, env: Mapping[str, str]) -> Redactor:
    """Return the floor, and the scanner the settings name on top of it, if they name one."""
    return ScannedRedactor(floor, scanner, search_path=env.get("PATH", os.defpath)) if scanner else floor


class ScannedRedactor:
    """A floor and a scanner's program on top. `ports.Redactor`."""

    def __init__(
        self,
        floor: Redactor,
        scanner: str,
        *,
        search_path: str,
        timeout_s: float = TIMEOUT_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._floor = floor
        self._scanner = scanner
        self._search_path = search_path
        self._timeout_s = timeout_s
        self._monotonic = monotonic
        self._rests_until = 0.0
        self._problem = ""
        self._clean: dict[bytes, None] = {}  # digests, oldest first, of texts in which nothing more is to be found

    def redact(self, text: str) -> str:
        """Return the floor's text with `[redacted:scanner]` for what the scanner reports in it. Idempotent."""
        text = self._floor.redact(text)
        if not _candidate().search(text) or _digest(text) in self._clean or self._monotonic() < self._rests_until:
            return text
        try:
            reported = _secrets(self._report(text))
        except (OSError, subprocess.SubprocessError, msgspec.DecodeError, ValueError) as error:
            self._rests_until = self._monotonic() + REST_S
            self._problem = (
                f"the secret scanner {self._scanner!r} failed ({type(error).__name__}): the floor alone redacts"
            )
            return text
        self._problem = ""
        return self._known_clean(self._floor.redact(_without(text, reported)))

    def problems(self) -> tuple[str, ...]:
        """Return what hindered the last scan, and what hinders the floor."""
        return (*self._floor.problems(), *((self._problem,) if self._problem else ()))

    def _known_clean(self, text: str) -> str:
        self._clean[_digest(text)] = None
        while len(self._clean) > _CLEAN_TEXTS:
            with suppress(KeyError, RuntimeError, StopIteration):  # another thread was quicker
                del self._clean[next(iter(self._clean))]
        return text

    def _report(self, text: str) -> bytes:
        """Return what the scanner prints. Raises OSError or SubprocessError."""
        program = shutil.which(self._scanner, path=self._search_path)
        if program is None:
            raise FileNotFoundError(self._scanner)
        flags, fine = _call(program)
        with subprocess.Popen(
            [program, *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",  # no project's configuration
            env={"PATH": self._search_path},
            start_new_session=True,
        ) as process:
            try:
                out, _ = process.communicate(text.encode("utf-8", "replace"), timeout=self._timeout_s)
            except subprocess.TimeoutExpired:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # and what it started: it may hold the pipe open
                raise
        if process.returncode not in fine:
            raise subprocess.CalledProcessError(process.returncode, program)
        return out


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


@cache
def _candidate() -> re.Pattern[str]:
    """Return what a scanner could know that the floor does not: a word of some length with letters and digits."""
    return re.compile(r"(?=\S{0,200}[A-Za-z])(?=\S{0,200}\d)[^\s\[\]]{16}")


def _call(program: str) -> tuple[Sequence[str], frozenset[int]]:
    """Return a scanner's flags and the exits that are none of a failure. Neither asks a server about a secret."""
    if "kingfisher" in Path(program).name:
        return ("scan", "-", "--no-validate", "--no-update-check", "--format", "json"), frozenset({0, 200})
    return ("stdin", "--no-banner", "--log-level=error", "--report-format=json", "--report-path=-"), frozenset({0, 1})


# --- what it reports ---------------------------------------------------------------------------------------------


class _Snippet(msgspec.Struct):
    snippet: str = ""


class _Finding(msgspec.Struct):
    """One finding: gitleaks says `Secret`, kingfisher `finding.snippet`."""

    secret: str = msgspec.field(name="Secret", default="")
    finding: _Snippet = msgspec.field(default_factory=_Snippet)


class _Report(msgspec.Struct):
    findings: list[_Finding] = msgspec.field(default_factory=list)


def _secrets(report: bytes) -> tuple[str, ...]:
    """Return the secrets of a report, longest first. Raises DecodeError when it is none."""
    if not report.strip():
        return ()
    found = msgspec.json.decode(report, type=list[_Finding] | _Report | None)
    findings = found.findings if isinstance(found, _Report) else found or []
    said = {one.secret or one.finding.snippet for one in findings}
    return tuple(sorted((s for s in said if len(s) >= _SHORTEST_SECRET), key=lambda s: (-len(s), s)))


def _without(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = "".join(_outside(text, secret))
    return text


def _outside(text: str, secret: str) -> Iterator[str]:
    """Yield a text without a secret, its placeholders untouched."""
    for piece in _placeholder().split(text):
        yield piece if _placeholder().fullmatch(piece) else piece.replace(secret, "[redacted:scanner]")


@cache
def _placeholder() -> re.Pattern[str]:
    return re.compile(r"(\[redacted:[\w-]{1,20}\]|\[private\])")
