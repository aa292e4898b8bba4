"""What did we change on this machine, and what must be remembered to undo it?

One JSON file in the state directory. It is written before the change it speaks of, so that a crash in between leaves
an entry too many and never one too few.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from wisen.config import Paths
from wisen.errors import InstallError
from wisen.install import files
from wisen.install.jsonedit import Origin

VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file that holds something of ours.

    `sha256_before` is that of the file without our part ("" when there was no file), `sha256_after` of the file as
    we left it. `made_dirs` are directories that were not there before, ours and the harness's.
    """

    harness: str
    file: str
    was_made: bool
    sha256_before: str
    sha256_after: str
    origins: tuple[Origin, ...] = ()
    made_dirs: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All entries."""

    version: int = VERSION
    entries: tuple[Entry, ...] = ()

    def entry(self, harness: str, file: Path) -> Entry | None:
        """Return the entry of a file, or None."""
        return next((one for one in self.entries if (one.harness, one.file) == (harness, str(file))), None)

    def of(self, harness: str) -> tuple[Entry, ...]:
        """Return the entries of a harness."""
        return tuple(one for one in self.entries if one.harness == harness)

    def with_entry(self, entry: Entry) -> Manifest:
        """Return the manifest with an entry added, or put in the place of the one for the same file."""
        others = [one for one in self.entries if (one.harness, one.file) != (entry.harness, entry.file)]
        return replace(self, entries=(*others, entry))

    def without(self, entries: Collection[Entry]) -> Manifest:
        """Return the manifest without some of its entries."""
        return replace(self, entries=tuple(one for one in self.entries if one not in entries))


def path(paths: Paths) -> Path:
    """Return where the manifest is."""
    return paths.state_dir / "installed.json"


def load(paths: Paths) -> tuple[Manifest, str]:
    """Return the manifest and what is wrong with its file, in words. An absent or damaged one is empty.

    Raises InstallError when it can't be read or a newer wisen wrote it.
    """
    file = path(paths)
    data = files.read(file).data
    if data is None:
        return Manifest(), ""
    try:
        version = msgspec.json.decode(data, type=_Versioned).version
        if version > VERSION:
            raise InstallError(f"{file} was written by a newer wisen (version {version})", hint="upgrade wisen")
        return msgspec.json.decode(data, type=Manifest), ""
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return Manifest(), f"{file} is damaged ({error}); hooks are found by their command all the same"


def names(paths: Paths, harness: str = "") -> bool:
    """Return whether wisen is registered with a harness, or with any.

    A manifest that can't be read counts as one that does: uninstalling leaves none, so somebody is registered.
    """
    try:
        known, problem = load(paths)
    except InstallError:
        return True
    return bool(problem or (known.of(harness) if harness else known.entries))


def save(paths: Paths, manifest: Manifest) -> None:
    """Write the manifest, or delete it when it is empty. Its directory must be there unless it is empty."""
    before = files.read(path(paths))
    if manifest.entries:
        files.write(before, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    elif before.data is not None:
        files.delete(before)


class _Versioned(msgspec.Struct):
    """The part of a manifest that every version has."""

    version: int
