"""Every error wisen raises on purpose, as one tree.

    WisenError                    code                exit  HTTP
    ├── UsageError                usage                 2   400   the call does not make sense as written
    │   └── InvalidValue          invalid-value         2   422   a field holds something it may not hold
    ├── NotFound                  not-found             3   404   no memory, session or graph by that name
    ├── Conflict                  conflict              4   409   already there, or changed since
    ├── Refused                   refused               5   403   another user's socket, another harness's graph
    ├── PayloadError              bad-payload           6   400   a harness sent what we can't read
    ├── SettingsError             bad-settings          7   500   the user's settings file is wrong
    ├── InstallError              install               8   500   a harness's settings can't be edited safely
    ├── StoreError                store                 9   500   the database said no
    │   ├── StoreDamaged          store-damaged         9   500   a file is not what we wrote
    │   └── StoreTooNew           store-too-new         9   500   written by a newer wisen
    ├── DaemonUnavailable         daemon-unavailable   10   503   the daemon does not answer
    ├── EmbeddingFailed           embedding            12   502   a model gives no vector
    └── Unsupported               unsupported          11   501   not on this platform

A message says what happened, with the value. A hint says what to do next.
"""

from __future__ import annotations

from typing import ClassVar


class WisenError(Exception):
    """Something went wrong in wisen."""

    code: ClassVar[str] = "wisen"
    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.hint = hint or self.default_hint
        super().__init__(self.message)


class UsageError(WisenError):
    """The call does not make sense as written."""

    code = "usage"
    exit_code = 2
    http_status = 400
    default_hint = "see `wisen --help`"


class InvalidValue(UsageError):
    """A field holds something it may not hold."""

    code = "invalid-value"
    http_status = 422


class NotFound(WisenError):
    """There is no such memory, session or graph."""

    code = "not-found"
    exit_code = 3
    http_status = 404
    default_hint = "`wisen list --all` shows what there is"


class Conflict(WisenError):
    """The state does not allow it."""

    code = "conflict"
    exit_code = 4
    http_status = 409


class Refused(WisenError):
    """That is not yours to touch."""

    code = "refused"
    exit_code = 5
    http_status = 403


class PayloadError(WisenError):
    """A harness sent what wisen can't read."""

    code = "bad-payload"
    exit_code = 6
    http_status = 400


class SettingsError(WisenError):
    """The settings file is wrong."""

    code = "bad-settings"
    exit_code = 7
    default_hint = "`wisen config path` names the file; `wisen config show` lists every setting"


class InstallError(WisenError):
    """A harness's settings can't be edited safely."""

    code = "install"
    exit_code = 8


class StoreError(WisenError):
    """The database said no."""

    code = "store"
    exit_code = 9


class StoreDamaged(StoreError):
    """A database file is not what wisen wrote."""

    code = "store-damaged"


class StoreTooNew(StoreError):
    """A database file was written by a newer wisen."""

    code = "store-too-new"
    default_hint = "upgrade wisen, or point WISEN_HOME at another directory"


class DaemonUnavailable(WisenError):
    """The daemon does not answer."""

    code = "daemon-unavailable"
    exit_code = 10
    http_status = 503
    default_hint = "`wisen daemon log` says why; `wisen daemon restart` starts it afresh"


class EmbeddingFailed(WisenError):
    """An embedding model can't be loaded, or gives no vector."""

    code = "embedding"
    exit_code = 12
    http_status = 502
    default_hint = "recall goes on by words alone; `wisen status` says which model is in use"


class Unsupported(WisenError):
    """This platform is not supported."""

    code = "unsupported"
    exit_code = 11
    http_status = 501
