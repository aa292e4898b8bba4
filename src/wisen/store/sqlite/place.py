"""Is there a file under a name, and is it still the one that we have open?

SQLite goes on with a file that has been deleted, or renamed, as if nothing had happened: what it writes is lost.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from wisen.errors import StoreError
from wisen.steps import FROM_BACKUP

_GONE: Final = f"{FROM_BACKUP}; without one, what was in it is gone"
_LINK: Final = "bring back what it leads to, or delete the link"
_GRAPH_NAME: Final = re.compile(r"[0-9a-f]{24}\.db")
_NO_FILE: Final = "move it out of the way"


def inode_of(path: Path) -> int:
    """Return which file has a name. Raises StoreError, and says what is there instead."""
    if (inode := inode_or_none(path)) is None:
        raise StoreError(f"{path}: the file is gone", hint=_GONE)
    return inode


def inode_or_none(path: Path) -> int | None:
    """Return which file has a name, None for none. Raises StoreError for what is there and is no file."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        with suppress(OSError):  # no link, or gone as well
            raise StoreError(f"{path}: a link to {path.readlink()}, where nothing is", hint=_LINK) from error
        return None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    if not stat.S_ISREG(found.st_mode):
        what = "a directory" if stat.S_ISDIR(found.st_mode) else "no file"
        raise StoreError(f"{path}: this is {what}, and wisen keeps a file there", hint=_NO_FILE)
    return found.st_ino


def is_graph_name(path: Path) -> bool:
    """Whether a file is named as those of graphs are."""
    return bool(_GRAPH_NAME.fullmatch(path.name))


def is_taken(path: Path) -> bool:
    """Whether something has a name, if only a link that leads nowhere: it is no place for a new file then."""
    return os.path.lexists(path)


def is_in_place(path: Path, inode: int) -> bool:
    """Whether a name still leads to a file that is open: one that is not open may have left its number to another."""
    try:
        return path.stat().st_ino == inode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # out of reach: nobody can say
        return True


def verify_in_place(path: Path, inode: int) -> None:
    """Raise StoreError when what was just written to an open file is in none that others find."""
    if not is_in_place(path, inode):
        raise StoreError(
            f"{path}: the file was deleted or replaced while it was written to, and the change is lost", hint=_AGAIN
        )


_AGAIN: Final = "try again: it goes into the file that is there by then"
