"""Vectors of a graph's passages: kept with the passage, and their signs side by side for a quick look at all of them.

What stands in `codes` is only for choosing: whoever is chosen is read again, so a slot that were wrong could cost a
hit and never show one. `check` makes wrong ones anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

from wisen.core.embeddings import PassageVector, SlotBlock, Space, marks, slot_bytes
from wisen.core.types import Memory
from wisen.store.codec import encode
from wisen.store.queries import load
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import Database, Row, Value
from wisen.store.sqlite.damage import DamagedRows

BLOCK: Final = 1024  # passages of a block
_BLOCKS: Final = 64  # that are read at once: 3.5 MB

_QUERIES: Final = Path(__file__).with_name("queries")
_SQL = load(_QUERIES / "vectors.sql", _QUERIES / "graph.sql")


def spaces(database: Database) -> Mapping[Space, int]:
    """Return how many vectors each space holds."""
    return {_space(row): rows.whole(row[4]) for row in database.all(_SQL["spaces"])}


def number_of(database: Database, space: Space) -> int | None:
    """Return the number of a space in the file, None where it has none."""
    return next((rows.whole(row[0]) for row in database.all(_SQL["spaces"]) if _space(row) == space), None)


def waiting(database: Database, space: Space, damaged: str, limit: int) -> Sequence[Row]:
    """Return the passages without a vector in a space, the newest first: their number, then the memory's columns."""
    number = number_of(database, space)
    if number is None:
        return database.all(_SQL["newest"], {"damaged": damaged, "limit": limit})
    return database.all(_SQL["waiting"], {"space": number, "damaged": damaged, "limit": limit})


def waiting_count(database: Database, space: Space) -> int:
    """Return how many passages have no vector in a space."""
    number = number_of(database, space)
    query = "passages_in_use" if number is None else "waiting_count"
    [(count,)] = database.all(_SQL[query], {} if number is None else {"space": number})
    return rows.whole(count)


def put(database: Database, space: Space, wanted: Sequence[PassageVector], damaged: DamagedRows) -> int:
    """Keep vectors in the open transaction, those whose passage still has the words they are of; return how many."""
    number = number_of(database, space)
    if number is None:
        database.run(_SQL["put_space"], {"model": space.model, "digest": space.digest, "dimension": space.dimension})
        number = number_of(database, space) or 0
        database.run(_SQL["all_wait"], {"space": number})
    kept = 0
    for one in wanted:
        words = database.first(_SQL["words_of"], {"passage": one.number})
        if words is None or rows.stamp(words[2:]) != one.stamp:
            continue
        key: dict[str, Value | bytes] = {"space": number, "passage": one.number}
        checksum = _seal(number, one.number, one.code, one.vector)
        database.run(_SQL["put_vector"], {**key, "code": one.code, "vector": one.vector, "checksum": checksum})
        database.run(_SQL["drop_tokens"], {"space": number, "passage": one.number})
        if one.tokens:
            database.run(_SQL["put_tokens"], {**key, "tokens": one.tokens})
        held = database.all(_SQL["every_member"], {"passages": encode([one.number]), "damaged": "[]"})
        for memory in damaged.memories([row[1:] for row in held]):
            _put_slot(database, number, space, one.number, marks(memory) + one.code)
        kept += 1
    return kept


def drop(database: Database, space: Space) -> int:
    """Delete a space in the open transaction; return how many vectors it held."""
    number = number_of(database, space)
    if number is None:
        return 0
    held = database.run(_SQL["drop_vectors"], {"space": number})
    for statement in filter(str.strip, _SQL["drop_space"].split(";")):
        database.run(statement, {"space": number})
    return held


def keep_in_step(database: Database, memory: Memory) -> None:
    """Let the slots of a memory's passages say what it is by now; those without a vector are emptied."""
    _set_slots(database, memory.memory_id, marks(memory))


def clear(database: Database, memory_id: str) -> None:
    """Empty the slots of a memory that is about to be deleted."""
    _set_slots(database, memory_id, b"")


def _set_slots(database: Database, memory_id: str, marked: bytes) -> None:
    known = database.all(_SQL["spaces"])
    passages = database.all(_SQL["passages_of"], {"memory_id": memory_id}) if known else ()
    for row in known:
        for (passage,) in passages:
            number = rows.whole(passage)
            found = database.blobs(_SQL["code_of"], {"space": row[0], "passage": number}) if marked else ()
            slot = b"".join(marked + code for _, code in found)
            _put_slot(database, rows.whole(row[0]), _space(row), number, slot)


def _put_slot(database: Database, number: int, space: Space, passage: int, slot: bytes) -> None:
    """Write a slot; an empty one is zeros, and needs no block."""
    width = slot_bytes(space)
    where: dict[str, Value] = {"space": number, "block": passage // BLOCK}
    found = database.first(_SQL["block"], where)
    if found is None and not slot:
        return
    if found is None:
        database.run(_SQL["put_block"], {**where, "bytes": BLOCK * width})
        [found] = database.all(_SQL["block"], where)
    data = slot if len(slot) == width else bytes(width)
    database.patch("codes", "slots", rows.whole(found[0]), passage % BLOCK * width, data)


def blocks(database: Database, space: Space, after: int) -> Sequence[SlotBlock]:
    """Return the next blocks of a space beyond the block `after`; those of another length are left out."""
    number = number_of(database, space)
    found = database.blobs(_SQL["blocks"], {"space": number, "after": after, "limit": _BLOCKS})
    return [SlotBlock(first=block * BLOCK, slots=slots) for block, slots in found]


def is_whole(block: SlotBlock, space: Space) -> bool:
    """Whether a block has the length that it was made with."""
    return len(block.slots) == BLOCK * slot_bytes(space)


def vectors_of(database: Database, space: Space, passages: Sequence[int] | None) -> Mapping[int, bytes]:
    """Return the packed vectors of some passages, or of all."""
    key: dict[str, Value] = {"space": number_of(database, space)}
    if passages is None:
        return dict(database.blobs(_SQL["all_vectors"], key))
    return dict(database.blobs(_SQL["vectors_of"], {**key, "passages": encode(list(passages))}))


def tokens_of(database: Database, space: Space, passages: Sequence[int]) -> Mapping[int, bytes]:
    """Return the packed token states of those passages that have some."""
    key: dict[str, Value] = {"space": number_of(database, space), "passages": encode(list(passages))}
    return dict(database.blobs(_SQL["tokens_of"], key))


def mend(database: Database, damaged: DamagedRows) -> bool:
    """Drop vectors that are not what was written, and bring what is derived in step; return whether it was not.

    What lost its vector waits for another.
    """
    spaces_held = database.all(_SQL["spaces"])
    is_mended = database.run(_SQL["drop_vectors_of_nothing"]) > 0
    for row in spaces_held:
        is_mended |= _drop_unsound(database, rows.whole(row[0]))
    for query in ("wait_again", "wait_no_more", "count_held"):
        is_mended |= database.run(_SQL[query]) > 0
    return _mend_slots(database, spaces_held, damaged) or is_mended


def _drop_unsound(database: Database, space: int) -> bool:
    """Delete the vectors of a space whose checksum does not match; return whether there was one."""
    is_dropped = False
    for (block,) in database.all(_SQL["block_numbers"], {"space": space, "size": BLOCK}):
        first = rows.whole(block) * BLOCK
        which: dict[str, Value] = {"space": space, "first": first, "end": first + BLOCK}
        checksums = {row[0]: row[1] for row in database.all(_SQL["checksums_between"], which)}
        codes = dict(database.blobs(_SQL["codes_between"], which))
        for passage, vector in database.blobs(_SQL["vectors_between"], which):
            if _seal(space, passage, codes[passage], vector) != checksums[passage]:
                is_dropped |= database.run(_SQL["drop_vector"], {"space": space, "passage": passage}) > 0
                database.run(_SQL["drop_tokens"], {"space": space, "passage": passage})
    return is_dropped


def _seal(space: int, passage: int, code: bytes, vector: bytes) -> int:
    """Return the checksum of a vector, its key among what it covers."""
    return crc32(b"%d %d %d " % (space, passage, len(code)) + code + vector)


def _mend_slots(database: Database, spaces_held: Sequence[Row], damaged: DamagedRows) -> bool:
    """Make every slot say what its vector and its memory say; return whether one did not."""
    is_mended = False
    for row in spaces_held:
        number, width = rows.whole(row[0]), slot_bytes(_space(row))
        for (block,) in database.all(_SQL["block_numbers"], {"space": number, "size": BLOCK}):
            expected = _expected(database, number, rows.whole(block), width, damaged)
            where: dict[str, Value] = {"space": number, "block": block}
            if database.blobs(_SQL["slots_of"], where) != [(rows.whole(block), expected)]:
                database.run(_SQL["put_slots"], {**where, "slots": expected})
                is_mended = True
    return is_mended


def _expected(database: Database, space: int, block: int, width: int, damaged: DamagedRows) -> bytes:
    """Return what a block of slots ought to be."""
    first = block * BLOCK
    slots = bytearray(BLOCK * width)
    codes = dict(database.blobs(_SQL["codes_between"], {"space": space, "first": first, "end": first + BLOCK}))
    which: dict[str, Value] = {"passages": encode(list(codes)), "damaged": "[]"}
    for passage, *columns in database.all(_SQL["every_member"], which):
        at = rows.whole(passage) - first
        slot = b"".join(marks(memory) + codes[at + first] for memory in damaged.memories([tuple(columns)]))
        if len(slot) == width:
            slots[at * width : (at + 1) * width] = slot
    return bytes(slots)


def _space(row: Row) -> Space:
    return Space(model=str(row[1]), digest=str(row[2]), dimension=rows.whole(row[3]))
