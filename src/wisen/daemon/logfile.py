"""Where does what the daemon and its libraries say go? Into one private file of bounded size."""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, TypeAlias

from wisen.errors import WisenError
from wisen.redact import FloorRedactor

MAX_BYTES: Final = 1 << 20  # of the file, and of the one before it
VALUE_MAX: Final = 300  # characters of one value in a log line


class LogFile:
    """Standard output and error of this process, sent to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._redirect()
        log_strays()

    def keep_small(self) -> None:
        """Set the file aside when it has grown too large, in place of the one set aside before."""
        with suppress(FileNotFoundError):
            if self._path.stat().st_size <= MAX_BYTES:
                return
        self._redirect()

    def _redirect(self) -> None:
        with suppress(FileNotFoundError):
            if self._path.stat().st_size > MAX_BYTES:
                self._path.replace(self._path.with_name(self._path.name + ".1"))
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(fd, 1)
        os.dup2(fd, 2)
        os.close(fd)


def is_told(error: BaseException) -> bool:
    """Whether an error's message may be shown: it is our own, or the operating system's.

    What a library's exception says may quote what it was given: a prompt, a memory.
    """
    return isinstance(error, WisenError | OSError)


def told(error: BaseException) -> str:
    """Return an error in words that hold nothing of what the user said."""
    return f"{type(error).__name__}: {error}" if is_told(error) else type(error).__name__


def in_words(error: BaseException) -> str:
    """Return an error as a person is told of it: what happened, and not what it is called inside."""
    if isinstance(error, WisenError):
        return error.message
    if isinstance(error, OSError):
        said = error.strerror or str(error)
        return f"{os.fsdecode(error.filename)}: {said}" if error.filename else said
    return "wisen failed inside, and `wisen daemon log` says where"


class Lines(logging.Formatter):
    """An event a line: time, level, module, its name, ` key=value` for each `extra`; then the frames of an error.

    An error is told as `told` does it, with `tells_all` whatever it says.
    """

    def __init__(self, *, tells_all: bool = False) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._tells_all = tells_all

    def format(self, record: logging.LogRecord) -> str:
        """Return the event's text without secrets, wherever in it they stand: libraries log what they are given."""
        return _redact(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the line."""
        extras = {name: value for name, value in vars(record).items() if name not in _OF_EVERY_RECORD}
        line = super().formatMessage(record) + "".join(f" {name}={_word(value)}" for name, value in extras.items())
        return _one_line(line)

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 - logging's name
        """Return the frames and the error."""
        _, error, trace = ei
        if self._tells_all or error is None:
            return super().formatException(ei)
        return "".join(traceback.format_tb(trace)) + _one_line(told(error))


def log_strays() -> None:
    """Send what Python itself would print as it is through the log: errors that nobody caught, and warnings."""
    logging.captureWarnings(capture=True)
    logging.raiseExceptions = False  # a record that can't be formatted would be printed with all that is in it
    sys.excepthook = lambda kind, error, trace: _log.critical("uncaught", exc_info=(kind, error, trace))
    threading.excepthook = lambda stray: _log_stray(stray.exc_value)
    sys.unraisablehook = lambda stray: _log_stray(stray.exc_value)


def _log_stray(error: BaseException | None) -> None:
    _log.error("uncaught", exc_info=error)


def log_to_stderr(level: int) -> None:
    """Send log records to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines(tells_all=level <= logging.DEBUG))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


_redact: Final = FloorRedactor().redact
_log: Final = logging.getLogger(__name__)
_OF_EVERY_RECORD: Final = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"})
_ExcInfo: TypeAlias = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def _word(value: object) -> str:
    """Return a value as one word: of bounded length, quoted when it holds a space, a quote or nothing."""
    text = str(value)
    text = text if len(text) <= VALUE_MAX else f"{_redact(text)[:VALUE_MAX]}..."  # half a secret has no form
    if text and not any(character in ' "=' for character in text):
        return text
    return '"' + text.replace("\\", r"\\").replace('"', r"\"") + '"'


def _one_line(text: str) -> str:
    """Return a text with nothing in it that moves the cursor, ends the line or hides."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
