"""How does a backup take the place of what is there, so that neither is lost however it is interrupted?

Everything is verified and copied beside its place first; then a manifest appears, and from that moment on the restore
will happen: a process that is killed leaves it to the next one. Until then nothing has changed.
"""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import Final

from wisen import steps
from wisen.core.backups import BackupManifest
from wisen.errors import StoreDamaged, StoreError
from wisen.ownfiles import helps, make_dir, replace_file, sync_dir, sync_file
from wisen.store.codec import encode
from wisen.store.sqlite.backup import MANIFEST, backup_all, database_files, digest_of, read_manifest, verify_backup
from wisen.store.sqlite.files import os_errors, remove_database, sidecars
from wisen.store.sqlite.lost import LEDGER
from wisen.store.sqlite.place import is_taken

_STAGE: Final = "restoring"  # below the data directory, so that a rename is enough


def restore_backup(backup: Path, data_dir: Path, *, keep: Path, at: datetime) -> BackupManifest:
    """Put a backup in the place of what is there, which is kept as a backup in `keep`; return what that one holds.

    Nobody else may use the files: the caller holds the data directory's lock. Raises what `verify_backup` and
    `backup_all` raise, and StoreError for what is in the way; nothing has changed then. When the system says no in the
    middle of the last step, the StoreError says that the next start goes on with it.
    """
    finish_restore(data_dir)
    manifest = verify_backup(backup)
    _verify_way(manifest, data_dir)
    kept = backup_all(data_dir, keep, at=at)
    _stage(backup, manifest, data_dir)
    finish_restore(data_dir)
    return kept


def finish_restore(data_dir: Path) -> bool:
    """End a restore that a killed process left, before anything is opened; return whether there was one to be done."""
    stage = data_dir / _STAGE
    with os_errors(stage):
        if not stage.exists():
            return False
        if not stage.is_dir():
            raise _in_the_way(stage, "a directory")
        is_decided = (stage / MANIFEST).exists()
        if is_decided:
            _go_through(stage, read_manifest(stage), data_dir)
        shutil.rmtree(stage)
        sync_dir(data_dir)
        return is_decided


def _go_through(stage: Path, manifest: BackupManifest, data_dir: Path) -> None:
    try:
        _verify_way(manifest, data_dir)
        _swap(stage, manifest, data_dir)
        (stage / MANIFEST).unlink()
        sync_dir(stage)
    except OSError as error:
        name = error.filename2 or error.filename or data_dir
        raise StoreError(f"{name}: {error.strerror or error}", hint=_then(helps(error))) from error
    except StoreError as error:
        raise StoreError(error.message, hint=_then(error.hint)) from error


def _then(help_: str) -> str:
    return f"{help_ or 'give yourself the right to change it'}; then `wisen daemon start` goes on with the restore"


def _verify_way(manifest: BackupManifest, data_dir: Path) -> None:
    """Raise StoreError for what is no file, or no directory, where one is to come or to go: it would stop the swap."""
    graphs, stage = data_dir / "graphs", data_dir / _STAGE
    for place in (graphs, stage):
        if is_taken(place) and not place.is_dir():
            raise _in_the_way(place, "a directory")
    databases = {*database_files(data_dir), *(data_dir / file.name for file in manifest.files)}
    for place in sorted({part for path in databases for part in sidecars(path)} | {graphs / LEDGER}):
        if place.is_dir():
            raise _in_the_way(place, "a file")


def _in_the_way(place: Path, wanted: str) -> StoreError:
    there = "a directory" if place.is_dir() else "no directory"
    return StoreError(f"{place}: this is {there}, and wisen keeps {wanted} there", hint=steps.move_aside(place))


def _stage(backup: Path, manifest: BackupManifest, data_dir: Path) -> None:
    stage = data_dir / _STAGE
    try:
        with os_errors(stage):
            make_dir(stage)
            for file in manifest.files:
                _stage_file(backup / file.name, stage / file.name, file.sha256)
            sync_dir(data_dir)
            replace_file(stage / MANIFEST, encode(manifest).encode())
    except BaseException:
        if not (stage / MANIFEST).exists():
            shutil.rmtree(stage, ignore_errors=True)
        raise


def _stage_file(source: Path, copy: Path, sha256: str) -> None:
    make_dir(copy.parent)
    copy.touch(mode=0o600)
    shutil.copyfile(source, copy)
    if digest_of(copy) != sha256:
        raise StoreDamaged(f"{source}: it changed while it was read", hint="nothing was changed; try again")
    sync_file(copy)
    sync_dir(copy.parent)


def _swap(stage: Path, manifest: BackupManifest, data_dir: Path) -> None:
    """Make the data directory hold the files of the manifest and no others. Repeating it changes nothing."""
    wanted = {data_dir / file.name for file in manifest.files}
    for path in database_files(data_dir):
        if path not in wanted:
            remove_database(path)
    (data_dir / "graphs" / LEDGER).unlink(missing_ok=True)  # no graph is missed that the backup does not have
    for file in manifest.files:
        staged, path = stage / file.name, data_dir / file.name
        if staged.exists():  # else it is in its place already
            make_dir(path.parent)
            for part in sidecars(path)[1:]:  # a log that stayed would be taken for that of the file that comes
                part.unlink(missing_ok=True)
            sync_dir(path.parent)
            staged.rename(path)
            sync_dir(path.parent)
