"""How does a file of the user's choosing come to be: private, whole or not at all, and never in another's place?"""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from wisen.errors import Conflict, NotFound, Refused
from wisen.ownfiles import draft_name, new_draft, publish, refusal

_NAME_CHARS: Final = 50  # of a draft's; with what is added, no longer than a name may be in any spelling
_HINT: Final = "--force replaces it, or name another file"


@contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """Lend a file to write to; it is at `path`, on disk and readable by its owner alone, when the block ends well.

    Raises Conflict when something is there (a regular file is replaced with `force`), Refused for a link or a
    directory, NotFound without its directory; nothing is left of it then.
    """
    check_free(path, force=force)
    draft = draft_name(path.with_name(path.name[:_NAME_CHARS]))
    try:
        with new_draft(draft) as file:
            yield file
        check_free(path, force=force)
        publish(draft, path, replace=force)
    except FileExistsError as error:
        raise Conflict(f"{path} exists already", hint=_HINT) from error
    except OSError as error:
        raise _said(error, path) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def check_free(path: Path, *, force: bool) -> None:
    """Raise what `new_file` raises where it can be told beforehand."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        if not path.parent.is_dir():
            raise NotFound(f"there is no directory {path.parent}", hint="make it first") from None
        return
    except OSError as error:
        raise _said(error, path) from error
    if not stat.S_ISREG(found.st_mode):
        what = "a link" if stat.S_ISLNK(found.st_mode) else "no regular file"
        raise Refused(f"{path} is {what}", hint="name a file of its own; nothing was written")
    if not force:
        raise Conflict(f"{path} exists already", hint=_HINT)


def _said(error: OSError, path: Path) -> Refused:
    found = refusal(error, f"{path} can't be written")
    is_full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    return Refused(found.message, hint=found.hint if is_full else "name a place that you may write to")
