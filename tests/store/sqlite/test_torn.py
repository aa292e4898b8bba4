"""What a power cut left of the last transaction is told from what was changed in it later, on logs of many shapes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import apsw
import pytest

from wisen.store.sqlite.torn import SECTOR_BYTES
from wisen.store.sqlite.wal import read_log

PAGE, FRAME, HEADER = 4096, 24, 32
FEW_BYTES = 8  # of two words, which a change of may look like
STEP = FRAME + PAGE
SHAPES = range(12)
WORDS = "which of the many things that were said on that day is worth to be kept by whom and for how long".split()


class Written:
    """A database with rows of all sizes, and its log before and after the last transaction."""

    def __init__(self, path: Path, chance: random.Random, *, is_reused: bool) -> None:
        self._chance = chance
        self._rows = apsw.Connection(str(path))
        self._rows.execute(
            "PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 0;"
            " CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b BLOB); CREATE TABLE u (k TEXT PRIMARY KEY, v TEXT)"
            " WITHOUT ROWID; CREATE INDEX i ON t (a)"
        ).fetchall()
        for _ in range(chance.randint(1, 20)):
            self._change()
        if is_reused:
            self._rows.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
        for _ in range(chance.randint(1, 6)):
            self._change()
        log = path.with_name(f"{path.name}-wal")
        self.before = log.read_bytes()
        self._change()
        self.after = log.read_bytes()
        self._rows.close()
        self.before += bytes(len(self.after) - len(self.before))

    def frames(self) -> list[int]:
        """Return where the frames of the last transaction begin; the last of them commits."""
        starts = range(HEADER, len(self.after), STEP)
        return [at for at in starts if self.after[at : at + STEP] != self.before[at : at + STEP]]

    def _change(self) -> None:
        chance = self._chance
        with self._rows:
            for _ in range(chance.randint(1, 5)):
                self._rows.execute(
                    "INSERT INTO t (a, b) VALUES (?, ?)",
                    (
                        " ".join(chance.choices(WORDS, k=chance.randint(1, 90))),
                        chance.randbytes(chance.choice([9, 800])),
                    ),
                )
                self._rows.execute(
                    "INSERT OR REPLACE INTO u VALUES (?, ?)",
                    (str(chance.randint(0, 300)), " ".join(chance.choices(WORDS, k=chance.randint(0, 400)))),
                )
            self._rows.execute("DELETE FROM t WHERE id = ?", (chance.randint(1, 50),))


def pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what a write has of each sector."""
    borders = [start, *range((start // SECTOR_BYTES + 1) * SECTOR_BYTES, end, SECTOR_BYTES), end]
    return pairwise(borders)


def torn(written: Written, chance: random.Random, kept: float) -> bytes:
    """Return a log of which each sector of each write of the last transaction is there, or as it was before."""
    log = bytearray(written.before)
    for at in written.frames():
        for start, end in (*pieces(at, at + FRAME), *pieces(at + FRAME, at + STEP)):
            if chance.random() < kept:
                log[start:end] = written.after[start:end]
    return bytes(log)


@pytest.fixture(params=SHAPES)
def chance(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(int(request.param))


@pytest.mark.parametrize("kept", [0.5, 0.93, 0.99])
def test_the_sectors_that_a_power_cut_left_are_no_damage(tmp_path: Path, chance: random.Random, kept: float) -> None:
    written = Written(tmp_path / "x.db", chance, is_reused=False)
    for _ in range(20):
        assert read_log(torn(written, chance, kept), PAGE).damage == ""


def test_what_an_earlier_round_of_the_log_left_is_no_damage_but_where_it_differs_in_a_word(tmp_path: Path) -> None:
    told, tried = 0, 0
    for shape in SHAPES:
        chance = random.Random(shape)
        written = Written(tmp_path / f"{shape}.db", chance, is_reused=True)
        told += sum(read_log(torn(written, chance, 0.93), PAGE).damage != "" for _ in range(20))
        tried += 20
    assert told <= tried // 50


@pytest.mark.slow
def test_any_one_sector_that_an_earlier_round_left_is_no_damage_if_it_differs_in_more_than_four_bytes(
    tmp_path: Path, chance: random.Random
) -> None:
    """Above all on the first page and on those of trees, where what was there before makes as much sense."""
    written = Written(tmp_path / "x.db", chance, is_reused=True)
    for at in written.frames()[:-1][:3]:
        for start, end in pieces(at + FRAME, at + STEP):
            log = bytearray(written.after)
            log[start:end] = written.before[start:end]
            changed = [n for n in range(start, end) if written.before[n] != written.after[n]]
            if changed and changed[-1] - changed[0] > FEW_BYTES:
                assert read_log(bytes(log), PAGE).damage == "", (at, start)


def test_a_round_that_grew_over_the_whole_of_the_one_before_is_known_for_a_later_one(tmp_path: Path) -> None:
    """Nothing of the earlier round is behind it then; the header counts the rounds."""
    written = Written(tmp_path / "x.db", random.Random(3), is_reused=True)
    [*_, last] = written.frames()
    log = bytearray(written.after[: last + STEP])
    inner = written.frames()[0] + FRAME
    log[inner + 600 : inner + 700] = bytes(random.Random(1).randbytes(100))
    assert read_log(bytes(log), PAGE).damage == ""


@pytest.mark.parametrize("is_reused", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_few_bytes_in_a_row_are_damage_wherever_they_lie(tmp_path: Path, count: int, *, is_reused: bool) -> None:
    told, tried = 0, 0
    for shape in SHAPES:
        chance = random.Random(shape)
        written = Written(tmp_path / f"{shape}.db", chance, is_reused=is_reused)
        for _ in range(8 if len(written.frames()) > 1 else 0):
            log = bytearray(written.after)
            at = chance.choice(written.frames()[:-1]) + FRAME + chance.randrange(PAGE - count)
            for n in range(at, at + count):
                log[n] ^= chance.randint(1, 255)
            told, tried = told + ("not as it was written" in read_log(bytes(log), PAGE).damage), tried + 1
    assert told > tried * 9 // 10  # the rest may be the beginning of a cell in a sector that was lost


@pytest.mark.parametrize("is_reused", [False, True])
@pytest.mark.parametrize("bits", [1, 8, 0xFF])
def test_one_changed_byte_of_a_transaction_that_was_written_is_damage(
    tmp_path: Path, chance: random.Random, *, is_reused: bool, bits: int
) -> None:
    written = Written(tmp_path / "x.db", chance, is_reused=is_reused)
    *inner, _ = written.frames()
    for _ in range(20):
        log = bytearray(written.after)
        log[chance.choice(inner) + FRAME + chance.randrange(PAGE)] ^= bits
        assert read_log(bytes(log), PAGE).damage


@pytest.mark.parametrize("at", [0, 8, 16, 20])
def test_a_changed_header_of_a_frame_is_damage(tmp_path: Path, chance: random.Random, at: int) -> None:
    written = Written(tmp_path / "x.db", chance, is_reused=False)
    first, *_ = written.frames()
    log = bytearray(written.after)
    log[first + at] ^= 4
    is_salt = 8 <= at < 16  # then it is taken for one of an earlier round, as SQLite does
    assert bool(read_log(bytes(log), PAGE).damage) is not is_salt


def test_many_changed_bytes_on_a_page_that_makes_sense_are_damage(tmp_path: Path) -> None:
    told, tried = 0, 0
    for shape in SHAPES:
        chance = random.Random(shape)
        written = Written(tmp_path / f"{shape}.db", chance, is_reused=False)
        *inner, _ = written.frames()
        for _ in range(20):
            log = bytearray(written.after)
            at = chance.choice(inner) + FRAME + chance.randrange(PAGE - 8)
            log[at : at + 8] = chance.randbytes(8)
            told, tried = told + (read_log(bytes(log), PAGE).damage != ""), tried + 1
    assert told > tried * 8 // 10
