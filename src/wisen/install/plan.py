"""What will be changed in a harness's settings, how is it done, and how is it undone?

`InstallPlan` is the preview: making one writes nothing. `apply` does exactly what it shows, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from wisen.config import Paths
from wisen.errors import Conflict, WisenError
from wisen.install import files, made, manifest
from wisen.install.command import rows_of
from wisen.install.files import Snapshot
from wisen.install.jsonedit import Origin
from wisen.install.manifest import Entry, Manifest

# (a file's bytes, its name for errors, how its containers were, if that is known) -> the bytes without our part
Unregister: TypeAlias = Callable[[bytes, str, Sequence[Origin] | None], bytes]


class Standing(StrEnum):
    """How a harness stands."""

    ABSENT = "not installed"
    CURRENT = "installed"
    OUTDATED = "outdated"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessStatus:
    """What is registered with a harness. `reason` says in words why it is outdated or broken.

    `next_step` is what helps where installing again does not.
    """

    harness: str
    file: Path
    standing: Standing
    reason: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallPlan:
    """A change of one settings file, not made yet. `after` is the whole file; `changes` are sentences.

    `command` is the shell line that each new hook runs, '' where none is new.
    """

    harness: str
    paths: Paths
    before: Snapshot
    after: bytes
    entry: Entry
    backup: Path | None
    new_dirs: tuple[Path, ...]
    changes: tuple[str, ...]
    command: str = ""
    notes: tuple[str, ...] = ()
    is_recorded: bool = True
    also: tuple[InstallPlan, ...] = ()  # of other files
    what: str = "the hooks are"
    anew: Callable[[], InstallPlan | None] | None = None  # the same for the file as it is then

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to do: hooks that no manifest tells of are not heard."""
        return self.is_needed_here or any(one.is_needed for one in self.also)

    @property
    def is_needed_here(self) -> bool:
        """Whether there is anything to do in this file."""
        return self.after != self.before.data or not self.is_recorded

    def describe(self) -> tuple[str, ...]:
        """Return the preview, one line for each change and note."""
        return (*self._described(), *(line for one in self.also for line in one.describe()))

    def _described(self) -> tuple[str, ...]:
        if not self.is_needed_here:
            return (f"{self.before.path}: nothing to do, {self.what} in place", *self.notes)
        through = f" (a link to {self.before.target})" if self.before.path.is_symlink() else ""
        made = ("the file is made; there is none yet",) if self.before.data is None else ()
        backup = (f"a copy of it goes to {self.backup}",) if self.backup else made
        line = ("each of them runs this line:", *(f"  {row}" for row in rows_of(self.command))) if self.command else ()
        rows = (*self.changes, *line, *backup)
        return (f"{self.before.path}{through}:", *(f"  {row}" for row in rows), *self.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUndone:
    """One settings file without our part. `is_as_before`: byte for byte what it was before wisen."""

    file: Path
    is_as_before: bool
    is_deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UninstallReport:
    """What was undone, which directories of ours are still there, and what the user should know.

    `failures` are of the files in which our part still is; what is needed to undo them later is kept. `made_dirs` are
    the directories that were not there before wisen.
    """

    files: tuple[FileUndone, ...]
    left: tuple[Path, ...]
    notes: tuple[str, ...] = ()
    failures: tuple[WisenError, ...] = ()
    made_dirs: tuple[Path, ...] = ()


def planned(
    harness: str,
    paths: Paths,
    before: Snapshot,
    after: bytes,
    *,
    known: Manifest,
    was_made: bool,
    without: bytes,
    origins: Sequence[Origin],
    changes: Sequence[str],
    command: str,
    notes: Sequence[str],
    keeps_copy: bool = True,
) -> InstallPlan:
    """Return the plan to write `after`. `without` is the same file without our part, `was_made`: there was none."""
    old = known.entry(harness, before.path)
    backup = (
        None
        if before.data is None or not keeps_copy
        else paths.backups_dir / f"{harness}-{files.digest(before.data)[:16]}.json"
    )
    places = (paths.backups_dir if backup else paths.state_dir, before.target.parent)
    new_dirs = tuple(dict.fromkeys(one for place in places for one in files.missing_dirs(place)))
    entry = Entry(
        harness=harness,
        file=str(before.path),
        was_made=was_made,
        sha256_before="" if was_made and not without else files.digest(without),
        sha256_after=files.digest(after),
        origins=tuple(origins),
        made_dirs=_merged(old.made_dirs if old else (), (*new_dirs, *made.missing(paths))),
        backups=_merged(old.backups if old else (), (backup,) if backup else ()),
    )
    return InstallPlan(
        harness=harness,
        paths=paths,
        before=before,
        after=after,
        entry=entry,
        backup=backup,
        new_dirs=new_dirs,
        changes=tuple(changes),
        command=command,
        notes=tuple(notes),
        is_recorded=old is not None,
    )


def apply(plan: InstallPlan) -> None:
    """Make the change of one file: backup, manifest, settings, in this order. When they can't be written nothing stays.

    Raises Conflict when the file changed since the plan was made, InstallError when something can't be written.
    """
    if not plan.is_needed_here:
        return
    files.check_unchanged(plan.before)
    old, _ = manifest.load(plan.paths)
    has_copy = plan.backup is not None and plan.backup.exists()
    try:
        files.make_dirs(plan.new_dirs)
        if plan.backup and plan.before.data is not None:
            files.write(files.read(plan.backup), plan.before.data)
        manifest.save(plan.paths, old.with_entry(plan.entry))
        files.write(plan.before, plan.after)
    except WisenError:
        _take_back(plan, old, has_copy=has_copy)
        raise
    if files.read(plan.before.path).data != plan.after:
        raise Conflict(f"{plan.before.path} was changed by another program at once", hint="run the command again")


def _take_back(plan: InstallPlan, old: Manifest, *, has_copy: bool) -> None:
    if manifest.path(plan.paths).parent.is_dir():
        manifest.save(plan.paths, old)
    if plan.backup and not has_copy:
        plan.backup.unlink(missing_ok=True)
    files.remove_empty_dirs(plan.new_dirs)


def undo(
    harness: str,
    paths: Paths,
    file: Path,
    unregister: Unregister,
    *,
    also: Sequence[Path] = (),
) -> UninstallReport:
    """Take our part out of `file`, of the others named and of those in the manifest, then forget that it was there.

    A file that can't be read or written is not in the way of the others: the report has it, and it can be tried again.
    Raises InstallError for a manifest that can't be used.
    """
    known, problem = manifest.load(paths)
    places = dict.fromkeys((*(Path(entry.file) for entry in known.of(harness)), file, *also))
    undone: list[FileUndone] = []
    failures: dict[Path, WisenError] = {}
    for place in places:
        try:
            one = _undo_one(known.entry(harness, place), place, unregister)
        except WisenError as error:
            failures[place] = error
        else:
            undone += [one] if one else []
    _forget(paths, known, harness, failed=failures)
    return UninstallReport(
        files=tuple(undone),
        left=tuple(place for place in (paths.data_dir, paths.state_dir) if place.exists()),
        notes=(problem,) if problem else (),
        failures=tuple(failures.values()),
        made_dirs=tuple(dict.fromkeys(Path(one) for entry in known.of(harness) for one in entry.made_dirs)),
    )


def _undo_one(
    entry: Entry | None,
    file: Path,
    unregister: Unregister,
) -> FileUndone | None:
    before = files.read(file)
    if before.data is None:
        return None
    after = unregister(before.data, str(file), entry.origins if entry else None)
    if after == before.data:
        return None
    is_deleted = entry is not None and entry.was_made and not after
    if is_deleted:
        files.delete(before)
    else:
        files.write(before, after)
    is_as_before = entry is not None and entry.sha256_before == ("" if is_deleted else files.digest(after))
    return FileUndone(file=file, is_as_before=is_as_before, is_deleted=is_deleted)


def _forget(paths: Paths, known: Manifest, harness: str, *, failed: Collection[Path]) -> None:
    """Remove what only the undone registrations needed: their entries, backups, directories that were made for them.

    A directory that is still in use is left to the registration that failed.
    """
    entries = [entry for entry in known.of(harness) if Path(entry.file) not in failed]
    made = {one: None for entry in entries for one in entry.made_dirs}
    rest = known.without(entries)
    for entry in rest.of(harness)[:1]:
        rest = rest.with_entry(replace(entry, made_dirs=tuple({**made, **dict.fromkeys(entry.made_dirs)})))
    if manifest.path(paths).parent.is_dir():
        manifest.save(paths, rest)
    needed = {one for entry in rest.entries for one in entry.backups}
    for backup in {Path(one) for entry in entries for one in entry.backups if one not in needed}:
        if backup.parent == paths.backups_dir:
            backup.unlink(missing_ok=True)
    files.remove_empty_dirs({paths.backups_dir, *map(Path, made)})


def _merged(old: Sequence[str], new: Sequence[Path]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *map(str, new))))
