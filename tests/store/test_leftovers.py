"""Where a text that was erased is still held."""

from __future__ import annotations

from pathlib import Path

import pytest

from wisen.store.leftovers import places_holding

TEXT = 'We use pnpm here, not npm: "pnpm install", überall.'


def written(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        b"x" * 5000 + TEXT.encode() + b"y" * 5000,
        b'{"text":"We use pnpm here, not npm: \\"pnpm install\\", \xc3\xbcberall."}',
        b"\0" * ((1 << 20) - 20) + TEXT.encode(),  # across the edge of what is read at once
    ],
)
def test_a_file_that_holds_it_is_found(tmp_path: Path, data: bytes) -> None:
    backup = written(tmp_path / "backups" / "b1" / "graphs" / "0a.db", data)
    written(tmp_path / "backups" / "b2" / "graphs" / "0a.db", b"something else")
    assert places_holding([TEXT], tmp_path) == (backup,)


def test_a_backup_is_named_as_a_whole(tmp_path: Path) -> None:
    backup = tmp_path / "state" / "backups" / "b1"
    for name in ("control.db", "graphs/0a.db"):
        written(backup / name, TEXT.encode())
    written(backup / "manifest.json", b"{}")
    written(tmp_path / "state" / "manifest.json", b"{}")  # of something else
    assert places_holding([TEXT], tmp_path / "state") == (backup,)


def test_of_a_long_text_one_end_is_enough(tmp_path: Path) -> None:
    long = "a rule of many words, " * 20 + "and its end is here"
    page = written(tmp_path / "set-aside.db.damaged", long[-60:].encode())
    assert places_holding([long], tmp_path) == (page,)


def test_the_live_databases_are_not_looked_at(tmp_path: Path) -> None:
    for name in ("control.db", "control.db-wal", "graphs/0a.db", "graphs/0a.db-wal", "graphs/0a.db-shm"):
        written(tmp_path / name, TEXT.encode())
    damaged = written(tmp_path / "graphs" / "0a.db.damaged-1", TEXT.encode())
    assert places_holding([TEXT], tmp_path) == (damaged,)


def test_links_short_texts_and_what_is_not_there_are_passed_over(tmp_path: Path) -> None:
    outside = written(tmp_path / "outside", TEXT.encode())
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(outside)
    written(inside / "short", b"npm")
    assert places_holding([TEXT, "npm"], inside, tmp_path / "gone") == ()
    assert places_holding([], tmp_path) == ()
