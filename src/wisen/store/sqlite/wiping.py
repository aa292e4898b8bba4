"""How do words leave the control file for good? Row by row: keys stay, so that nothing is learned a second time."""

from __future__ import annotations

from pathlib import Path

from wisen.store.codec import encode
from wisen.store.erasing import Purged, event_without, receipt_without
from wisen.store.queries import load
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import Database, Row, Value
from wisen.store.sqlite.soundness import EVENTS, RECEIPTS, SESSIONS, SIGNALS, SoundRows

_SQL = load(Path(__file__).with_name("queries") / "control.sql")


def wipe(sound: SoundRows, database: Database, gone: Purged) -> int:
    """Blank or delete what holds the words, within an open transaction that knows `mentions`; return how many rows."""
    where: dict[str, Value] = {"refs": encode(sorted(gone.said_in))}
    changed = 0
    for row, event in sound.with_rows(EVENTS, "events_holding", where):
        if (blank := event_without(event, gone)) != event:
            changed += database.run(_SQL["blank_event"], rows.event_row(blank, rows.moment(row[5])))
    for receipt in sound.all(RECEIPTS, "receipts_holding", where):
        if (bare := receipt_without(receipt, gone)) != receipt:
            changed += database.run(_SQL["blank_receipt"], rows.receipt_row(bare))
    for row, signal in sound.with_rows(SIGNALS, "signals_holding", where):
        if gone.is_in(signal) or (gone.is_noticed_in(signal) and _is_promoted(sound, row)):
            changed += database.run(_SQL["drop_signal"], {"seq": row[0]})
    changed += database.run(_SQL["drop_lookups_holding"], where)
    return changed + database.run(_SQL["drop_damaged_holding"], where)


def _is_promoted(sound: SoundRows, signal: Row) -> bool:
    seq, harness, session_id, *_ = signal
    which: dict[str, Value] = {"harness": harness, "session_id": session_id}
    session = sound.first(SESSIONS, "session_by_id", which)
    return session is not None and rows.whole(seq) <= session.promoted_seq
