"""Which directories around wisen's own were not there before it? They go with it, if nothing else is in them by then.

`~/.local/state` on a fresh account is one. The manifest tells of those that were missing at an installation; a line a
directory in the state directory tells of the others, which a daemon made that was started without one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from wisen.config import Paths
from wisen.install import files
from wisen.ownfiles import refusal, replace_file

NAME: Final = "made-dirs"


def missing(paths: Paths) -> tuple[Path, ...]:
    """Return the directories above wisen's own that are not there, outermost first."""
    roots = (paths.config_file.parent, paths.data_dir, paths.state_dir)
    return tuple(dict.fromkeys(one for root in roots for one in files.missing_dirs(root.parent)))


def note(paths: Paths, directories: Iterable[Path]) -> None:
    """Put directories on record. The state directory must be there. Raises Refused when that can't be written."""
    known = noted(paths)
    if fresh := [one for one in directories if one not in known]:
        lines = "".join(f"{one}\n" for one in (*known, *fresh))
        try:
            replace_file(paths.state_dir / NAME, lines.encode(errors="surrogateescape"))
        except OSError as error:
            raise refusal(error) from error


def noted(paths: Paths) -> tuple[Path, ...]:
    """Return the directories on record; none where that can't be read."""
    try:
        data = (paths.state_dir / NAME).read_bytes()
    except OSError:
        return ()
    lines = data.decode(errors="surrogateescape").splitlines()
    return tuple(Path(line) for line in lines if line.startswith("/"))
