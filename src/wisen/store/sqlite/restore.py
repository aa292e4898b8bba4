"""How does a backup take the place of what is there, so that neither is lost however it is interrupted?

Everything is verified and copied beside its place first; then a manifest appears, and from that moment on the restore
will happen: a process that is killed leaves it to the next one. Until then nothing has changed.
"""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import Final

from wisen.core.backups import BackupManifest
from wisen.errors import StoreDamaged
from wisen.ownfiles import make_dir, replace_file, sync_dir, sync_file
from wisen.store.codec import encode
from wisen.store.sqlite.backup import MANIFEST, backup_all, database_files, digest_of, read_manifest, verify_backup
from wisen.store.sqlite.files import os_errors, remove_database, sidecars
from wisen.store.sqlite.lost import LEDGER

_STAGE: Final = "restoring"  # below the data directory, so that a rename is enough


def restore_backup(backup: Path, data_dir: Path, *, keep: Path, at: datetime) -> BackupManifest:
    """Put a backup in the place of what is there, which is kept as a backup in `keep`; return what that one holds.

    Nobody else may use the files: the caller holds the data directory's lock. Raises what `verify_backup` and
    `backup_all` raise, and nothing has changed then.
    """
    finish_restore(data_dir)
    manifest = verify_backup(backup)
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
        is_decided = (stage / MANIFEST).exists()
        if is_decided:
            _swap(stage, read_manifest(stage), data_dir)
            (stage / MANIFEST).unlink()
            sync_dir(stage)
        shutil.rmtree(stage)
        sync_dir(data_dir)
        return is_decided


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
