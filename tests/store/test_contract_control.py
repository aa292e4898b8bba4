"""What every control store does, whatever holds the data."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.builders import (
    T0,
    a_call,
    a_graph,
    a_job,
    a_prompt,
    a_receipt,
    a_session,
    a_signal,
    a_user_graph,
    an_event,
)
from tests.store.conftest import Controls
from wisen.core.recalls import LeftOut
from wisen.core.records import LONGEST_WAIT, JobState, Lookup, RootClaim, ShownItem
from wisen.core.types import (
    Event,
    EventBody,
    EventRef,
    Outcome,
    PostTool,
    PreCompact,
    PreTool,
    PromptChannel,
    SessionEnd,
    SessionStart,
    ShellSegment,
    Source,
    StartSource,
    UserPrompt,
)
from wisen.errors import InvalidValue, NotFound
from wisen.ports import ControlStore
from wisen.store import contract

HARNESS, SESSION = "claude-code", "session-1"
SEGMENT = ShellSegment(program="pytest", flags=("-q",), words=("tests",))

BODIES: list[EventBody] = [
    SessionStart(source=StartSource.COMPACT),
    UserPrompt(text="use pnpm ✓ \0 <b>", channel=PromptChannel.REFUSAL, prompt_id="p"),
    PreTool(call=a_call(segments=(SEGMENT,))),
    PostTool(call=a_call(family="read", path="/repo/a.py"), outcome=Outcome.FAILURE, excerpt="E  boom"),
    PreCompact(automatic=True),
    SessionEnd(reason="logout"),
]


def day(n: int) -> datetime:
    return T0 + timedelta(days=n)


def minute(n: int) -> datetime:
    return T0 + timedelta(minutes=n)


# --- events -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", BODIES, ids=lambda body: type(body).__name__)
def test_an_event_of_any_kind_reads_back_unchanged_after_a_restart(controls: Controls, body: EventBody) -> None:
    event = an_event(body, transcript="/t.jsonl", agent_id="a1")
    assert controls.store.record(event, seen_at=T0)
    assert controls.restart().events(HARNESS, SESSION) == (event,)


def test_an_event_told_twice_is_kept_once(controls: Controls) -> None:
    event = an_event()
    assert controls.store.record(event, seen_at=T0)
    assert not controls.store.record(replace(event, delivery_id="other"), seen_at=day(1))
    assert not controls.restart().record(event, seen_at=day(1))
    assert controls.store.events(HARNESS, SESSION) == (event,)


def test_the_same_event_id_of_two_harnesses_is_two_events(control: ControlStore) -> None:
    event = an_event()
    assert control.record(event, seen_at=T0)
    assert control.record(replace(event, harness="codex"), seen_at=T0)
    assert len(control.events("codex", SESSION)) == 1


def test_the_newest_events_come_oldest_first_in_whatever_order_they_arrived(control: ControlStore) -> None:
    events = [an_event(at=T0 + timedelta(seconds=n, microseconds=n % 2)) for n in range(5)]
    for event in (events[3], events[0], events[4], events[1], events[2]):
        control.record(event, seen_at=T0)
    control.record(an_event(session_id="other"), seen_at=T0)
    assert control.events(HARNESS, SESSION) == tuple(events)
    assert control.events(HARNESS, SESSION, limit=2) == tuple(events[3:])
    assert control.events(HARNESS, SESSION, limit=0) == ()


def test_what_happened_around_a_moment_is_found_without_the_rest(control: ControlStore) -> None:
    events = [an_event(at=T0 + timedelta(seconds=n)) for n in range(9)]
    for event in (*reversed(events), an_event(session_id="other", at=T0), an_event(harness="codex", at=T0)):
        control.record(event, seen_at=T0)
    near = control.events_near(HARNESS, SESSION, T0 + timedelta(seconds=4), within=timedelta(seconds=2))
    assert list(near) == events[2:7]
    for far in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        assert not control.events_near(HARNESS, SESSION, far, within=timedelta(days=1))


def test_the_oldest_event_tells_how_far_back_what_was_said_is_kept(controls: Controls) -> None:
    assert controls.store.oldest_event_at() is None
    for at in (minute(2), minute(1), minute(3)):
        controls.store.record(an_event(at=at), seen_at=T0)
    assert controls.restart().oldest_event_at() == minute(1)


def test_an_event_with_lone_surrogates_is_kept(control: ControlStore) -> None:
    control.record(a_prompt("half \ud83d an emoji", cwd="/tmp/\udcff"), seen_at=T0)
    [event] = control.events(HARNESS, SESSION)
    assert isinstance(event.body, UserPrompt)
    assert (event.body.text, event.cwd) == ("half \ufffd an emoji", "/tmp/\ufffd")


def test_an_event_without_a_time_zone_is_refused(control: ControlStore) -> None:
    with pytest.raises(InvalidValue, match="at"):
        control.record(an_event(at=datetime(2026, 1, 1)), seen_at=T0)  # noqa: DTZ001 - the subject
    assert control.events(HARNESS, SESSION) == ()


@pytest.mark.row("E4")
def test_fifty_writers_at_once_lose_nothing(controls: Controls) -> None:
    def write(n: int) -> None:
        controls.store.record(an_event(event_id=f"e{n}"), seen_at=T0)
        controls.store.count("seen")
        controls.store.add_signals(HARNESS, [a_signal(f"rule {n}")])

    with ThreadPoolExecutor(50) as threads:
        list(threads.map(write, range(50)))

    control = controls.restart()
    assert {e.event_id for e in control.events(HARNESS, SESSION)} == {f"e{n}" for n in range(50)}
    assert control.counters() == {"seen": 50}
    assert [seq for seq, _ in control.signals_after(HARNESS, SESSION, 0)] == list(range(1, 51))


# --- sessions ---------------------------------------------------------------------------------------------------


@pytest.mark.row("E1")
def test_a_session_is_set_got_and_replaced(controls: Controls) -> None:
    control = controls.store
    assert control.session(HARNESS, SESSION) is None
    control.save_session(a_session())
    full = a_session(
        graph=a_graph(),
        interactive=False,
        epoch=2,
        start_delivered=True,
        ended_at=T0,
        end_reason="clear",
        promoted_seq=7,
    )
    control.save_session(full)

    assert control.session(HARNESS, SESSION) == full
    assert control.session("codex", SESSION) is None
    assert controls.restart().session(HARNESS, SESSION) == full
    assert controls.store.sessions() == (full,)


def test_sessions_come_last_active_first(control: ControlStore) -> None:
    for n in (1, 3, 2):
        control.save_session(a_session(session_id=f"s{n}", last_event_at=day(n)))
    assert [s.session_id for s in control.sessions()] == ["s3", "s2", "s1"]
    assert [s.session_id for s in control.sessions(limit=1)] == ["s3"]


@pytest.mark.row("E3")
@pytest.mark.row("E5")
def test_working_state_outlives_the_session_and_goes_when_it_is_old_and_promoted(control: ControlStore) -> None:
    control.record(an_event(), seen_at=T0)
    control.add_signals(HARNESS, [a_signal()])
    control.add_receipt(a_receipt())
    session = a_session(ended_at=T0, promoted_seq=1)
    control.save_session(session)

    assert control.prune(T0) == 0
    assert len(control.events(HARNESS, SESSION)) == 1, "kept for a resume"

    assert control.prune(day(7)) == 3
    assert control.events(HARNESS, SESSION) == ()
    assert control.signals_after(HARNESS, SESSION, 0) == ()
    assert control.receipts() == ()
    assert control.session(HARNESS, SESSION) == session


def test_signals_no_job_was_given_keep_the_working_state(control: ControlStore) -> None:
    control.record(an_event(), seen_at=T0)
    control.add_signals(HARNESS, [a_signal("one"), a_signal("two")])
    control.save_session(a_session(promoted_seq=1))
    assert control.prune(day(7)) == 0
    assert len(control.signals_after(HARNESS, SESSION, 0)) == 2


def test_events_of_an_unknown_session_go_when_they_are_old(control: ControlStore) -> None:
    control.record(an_event(), seen_at=T0)
    control.record(an_event(at=day(8)), seen_at=day(8))
    assert control.prune(day(7)) == 1


def test_a_session_active_since_keeps_its_old_events_and_receipts(control: ControlStore) -> None:
    control.record(an_event(), seen_at=T0)
    control.add_receipt(a_receipt(shown=(shown("m1", "d1"),)))
    control.add_receipt(a_receipt(session_id="other"))
    control.save_session(a_session(last_event_at=day(7)))
    assert control.prune(day(7)) == 1
    assert control.injected(HARNESS, SESSION, 0) == {"m1": "d1"}


def test_of_old_sessions_the_newest_stay_and_those_of_which_something_waits(
    control: ControlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract, "KEPT_SESSIONS", 2)
    for n, session_id in enumerate(("waits", "gone", "gone too", "read", "new")):
        control.save_session(a_session(session_id=session_id, last_event_at=day(n), transcript_offset=n))
    control.add_signals(HARNESS, [a_signal(session_id="waits")])
    assert control.prune(day(1)) == 0, "active since"
    assert control.prune(day(7)) == 2
    assert [s.session_id for s in control.sessions()] == ["new", "read", "waits"]


def test_the_last_activity_is_asked_for_up_to_a_time(control: ControlStore) -> None:
    assert control.last_activity(day(9)) is None
    for n in (1, 3, 8):
        control.save_session(a_session(session_id=f"s{n}", last_event_at=day(n)))
    assert [control.last_activity(day(n)) for n in (0, 1, 7, 9)] == [None, day(1), day(3), day(8)]


def test_old_jobs_go_when_they_are_finished(control: ControlStore) -> None:
    for key in ("done", "failed", "waits", "new"):
        control.enqueue(a_job(job_id=key, key=key, due_at=day(7) if key == "new" else T0))
    control.finish_job("done")
    control.finish_job("failed", error="no such model")
    control.finish_job("new")
    assert control.prune(day(7)) == 2
    assert {job.key for job in control.jobs()} == {"waits", "new"}


def test_silent_sessions_with_signals_left_are_found_longest_silent_first(control: ControlStore) -> None:
    for n, session_id in enumerate(("b", "a", "busy", "handed-over", "nothing said")):
        control.save_session(a_session(session_id=session_id, last_event_at=day(5 if session_id == "busy" else n)))
        if session_id != "nothing said":
            control.add_signals(HARNESS, [a_signal(f"rule {n}", session_id=session_id)])
    [(seq, _)] = control.signals_after(HARNESS, "handed-over", 0)
    control.advance_promoted(HARNESS, "handed-over", seq)

    assert [s.session_id for s in control.sessions_with_signals(day(5))] == ["b", "a"]
    assert [s.session_id for s in control.sessions_with_signals(day(5), limit=1)] == ["b"]
    assert control.session_count() == 5


def test_a_session_of_the_future_is_silent_because_the_clock_was_ahead_then(control: ControlStore) -> None:
    for session_id, at in (("now", T0), ("ahead", day(1)), ("silent", day(-1))):
        control.save_session(a_session(session_id=session_id, last_event_at=at))
        control.add_signals(HARNESS, [a_signal(session_id=session_id)])
    assert [s.session_id for s in control.sessions_with_signals(T0, now=T0)] == ["silent", "ahead"]
    assert [s.session_id for s in control.sessions_with_signals(T0)] == ["silent"]


def test_what_was_promoted_never_goes_back_and_moves_nothing_else(controls: Controls) -> None:
    control = controls.store
    stale = a_session()
    control.save_session(stale)
    control.save_session(replace(stale, epoch=1))
    control.advance_promoted(HARNESS, SESSION, 7)
    control.advance_promoted(HARNESS, SESSION, 3)
    control.advance_promoted(HARNESS, "unknown", 3)
    assert control.session(HARNESS, SESSION) == replace(stale, epoch=1, promoted_seq=7)
    assert control.session(HARNESS, "unknown") is None

    control.save_session(replace(stale, epoch=2))
    assert controls.restart().session(HARNESS, SESSION) == replace(stale, epoch=2, promoted_seq=7)


# --- signals ----------------------------------------------------------------------------------------------------


def test_signals_read_back_in_order_beyond_a_number(controls: Controls) -> None:
    signals = [a_signal("one"), a_signal("two", personal=True), a_signal("three")]
    controls.store.add_signals(HARNESS, signals[:1])
    controls.store.add_signals(HARNESS, [a_signal("elsewhere", session_id="other")])
    controls.store.add_signals(HARNESS, signals[1:])

    control = controls.restart()
    numbered = control.signals_after(HARNESS, SESSION, 0)
    assert [signal for _, signal in numbered] == signals
    assert control.signals_after(HARNESS, SESSION, numbered[0][0]) == numbered[1:]
    assert control.signals_after("codex", SESSION, 0) == ()


def test_the_same_signal_is_kept_once(control: ControlStore) -> None:
    ref = EventRef(event_id="e1", session_id=SESSION, at=T0)
    signal = a_signal("rule", evidence=(ref,))
    others = [
        replace(signal, rule="another rule"),
        replace(signal, source=Source.EXPLICIT),
        replace(signal, evidence=(replace(ref, event_id="e2"),)),
        replace(signal, session_id="other"),
    ]
    control.add_signals(HARNESS, [signal, replace(signal, strength=0.1)])
    control.add_signals(HARNESS, [signal, *others])
    assert [s for _, s in control.signals_after(HARNESS, SESSION, 0)] == [signal, *others[:3]]


def test_numbers_of_signals_never_come_twice(controls: Controls) -> None:
    controls.store.add_signals(HARNESS, [a_signal("one"), a_signal("two")])
    controls.store.save_session(a_session(promoted_seq=2))
    controls.store.prune(day(7))
    controls.restart().add_signals(HARNESS, [a_signal("three")])
    assert [seq for seq, _ in controls.store.signals_after(HARNESS, SESSION, 2)] == [3]


# --- jobs -------------------------------------------------------------------------------------------------------


def test_a_job_reads_back_unchanged_after_a_restart(controls: Controls) -> None:
    job = a_job(payload={"session": SESSION, "why": "pre_compact"})
    assert controls.store.enqueue(job)
    assert controls.restart().jobs() == (job,)


def test_the_same_key_is_one_job_while_it_waits_or_runs(control: ControlStore) -> None:
    job = a_job(key="k")
    assert control.enqueue(job)
    assert not control.enqueue(a_job(key="k"))
    assert control.enqueue(a_job(key="k", kind="other"))
    control.claim_job(T0)
    assert not control.enqueue(a_job(key="k"))
    control.finish_job(job.job_id)
    assert control.enqueue(a_job(key="k"))
    assert not control.enqueue(job), "a job id is used once"


def test_the_oldest_due_job_is_claimed_and_counted(control: ControlStore) -> None:
    control.enqueue(late := a_job(due_at=minute(1)))
    control.enqueue(early := a_job())
    control.enqueue(a_job(due_at=minute(3)))

    assert control.claim_job(minute(2)) == replace(early, state=JobState.RUNNING, attempts=1)
    assert control.claim_job(minute(2)) == replace(late, state=JobState.RUNNING, attempts=1)
    assert control.claim_job(minute(2)) is None


def test_a_job_put_off_by_a_clock_that_ran_ahead_is_due(control: ControlStore) -> None:
    control.enqueue(waits := a_job(due_at=T0 + LONGEST_WAIT))
    control.enqueue(ahead := a_job(due_at=day(1)))
    assert control.claim_job(T0) == replace(ahead, state=JobState.RUNNING, attempts=1)
    assert control.claim_job(T0) is None
    assert control.claim_job(T0 + LONGEST_WAIT) == replace(waits, state=JobState.RUNNING, attempts=1)


def test_a_job_that_waits_too_far_ahead_is_pulled_forward_when_it_is_queued_again(controls: Controls) -> None:
    controls.store.enqueue(ahead := a_job(key="k", due_at=day(1)))
    controls.store.enqueue(soon := a_job(key="soon", due_at=minute(5)))
    assert not controls.store.enqueue(a_job(key="k", due_at=minute(1)))
    assert not controls.store.enqueue(a_job(key="soon"))
    assert controls.restart().jobs() == (soon, replace(ahead, due_at=minute(1)))


def test_two_threads_never_claim_one_job(control: ControlStore) -> None:
    for _ in range(20):
        control.enqueue(a_job())
    with ThreadPoolExecutor(8) as threads:
        claimed = list(threads.map(lambda _: control.claim_job(T0), range(30)))
    ids = [job.job_id for job in claimed if job]
    assert len(ids) == len(set(ids)) == 20


def test_a_finished_job_is_done_failed_or_queued_again(control: ControlStore) -> None:
    for _ in range(3):
        control.enqueue(a_job())
    done, failed, again = (job.job_id for job in reversed(control.jobs()))
    for _ in range(3):
        control.claim_job(T0)
    control.finish_job(done)
    control.finish_job(failed, error="no such model")
    control.finish_job(again, error="busy", retry_at=minute(1))

    states = {job.job_id: (job.state, job.error, job.attempts) for job in control.jobs()}
    assert states[done] == (JobState.DONE, "", 1)
    assert states[failed] == (JobState.FAILED, "no such model", 1)
    assert states[again] == (JobState.QUEUED, "busy", 1)
    assert control.claim_job(T0) is None
    retried = control.claim_job(minute(1))
    assert retried is not None
    assert (retried.job_id, retried.attempts) == (again, 2)


def test_finishing_an_unknown_job_is_not_found(control: ControlStore) -> None:
    with pytest.raises(NotFound):
        control.finish_job("nope")


def test_jobs_of_a_dead_daemon_are_queued_again(controls: Controls) -> None:
    controls.store.enqueue(job := a_job())
    controls.store.claim_job(T0)
    control = controls.restart()
    assert control.claim_job(T0) is None
    assert control.requeue_running() == 1
    assert control.requeue_running() == 0
    assert control.claim_job(T0) == replace(job, state=JobState.RUNNING, attempts=2)


def test_jobs_come_newest_first(control: ControlStore) -> None:
    jobs = [a_job(created_at=day(n // 2)) for n in range(4)]
    for job in jobs:
        control.enqueue(job)
    assert control.jobs() == tuple(reversed(jobs))
    assert control.jobs(limit=1) == (jobs[-1],)


def test_jobs_are_counted_by_state_and_the_next_due_one_is_known(control: ControlStore) -> None:
    assert control.job_counts() == {}
    assert control.next_job_due() is None
    for n in (2, 1, 3):
        control.enqueue(a_job(job_id=f"j{n}", due_at=day(n)))
    assert control.next_job_due() == day(1)
    control.claim_job(day(1))
    assert control.next_job_due() == day(2)
    control.finish_job("j1", error="no such model")
    assert control.job_counts() == {"queued": 2, "failed": 1}


# --- receipts ---------------------------------------------------------------------------------------------------


def shown(memory_id: str, digest: str) -> ShownItem:
    return ShownItem(memory_id=memory_id, graph=a_graph(), digest=digest, score=1.5, chars=40, reasons=("matches",))


def test_a_receipt_reads_back_unchanged_after_a_restart(controls: Controls) -> None:
    receipt = a_receipt(
        graphs=(a_graph(), a_user_graph()),
        query="run the tests",
        shown=(shown("m1", "d1"),),
        left_out=(LeftOut(memory_id="m2", graph=a_graph(), reason="over budget", score=0.5),),
        degraded="no vectors",
    )
    controls.store.add_receipt(receipt)
    controls.store.add_receipt(replace(receipt, note="again"))
    assert controls.restart().receipts() == (receipt,)


def test_receipts_come_newest_first_of_one_session_or_of_all(control: ControlStore) -> None:
    one = a_receipt(at=day(1))
    two = a_receipt(at=day(2), session_id="other")
    three = a_receipt(at=day(2), harness="codex")
    for receipt in (two, one, three):
        control.add_receipt(receipt)
    assert control.receipts() == (three, two, one)
    assert control.receipts(limit=1) == (three,)
    assert control.receipts(harness=HARNESS) == (two, one)
    assert control.receipts(session_id=SESSION) == (three, one)
    assert control.receipts(harness=HARNESS, session_id=SESSION) == (one,)


def test_receipts_of_a_quiet_graph_are_found_behind_those_of_a_busy_one(controls: Controls) -> None:
    quiet = a_receipt(graphs=(a_graph("acme/quiet"), a_user_graph()))
    controls.store.add_receipt(quiet)
    for n in range(30):
        controls.store.add_receipt(a_receipt(at=day(1 + n)))
    control = controls.restart()
    assert control.receipts(graph=a_graph("acme/quiet"), limit=1) == (quiet,)
    assert control.receipts(graph=a_user_graph(), session_id="other") == ()
    assert control.receipts(graph=a_graph("acme/none")) == ()
    assert len(control.receipts(graph=a_graph(), limit=100)) == 30


def test_what_was_injected_is_known_until_the_next_compaction(control: ControlStore) -> None:
    control.add_receipt(a_receipt(at=day(1), shown=(shown("m1", "new"), shown("m2", "d2"))))
    control.add_receipt(a_receipt(at=day(0), shown=(shown("m1", "old"), shown("m3", "d3"))))
    control.add_receipt(a_receipt(epoch=1, shown=(shown("m4", "d4"),)))
    control.add_receipt(a_receipt(session_id="other", shown=(shown("m5", "d5"),)))

    assert control.injected(HARNESS, SESSION, 0) == {"m1": "new", "m2": "d2", "m3": "d3"}
    assert control.injected(HARNESS, SESSION, 1) == {"m4": "d4"}
    assert control.injected(HARNESS, SESSION, 2) == {}
    assert control.injected("codex", SESSION, 0) == {}


# --- erasing ----------------------------------------------------------------------------------------------------

RULE = "Never deploy the canary on Fridays"


def ref_to(event: Event) -> EventRef:
    return EventRef(event_id=event.event_id, session_id=event.session_id, at=T0, quote=RULE)


def test_what_is_erased_is_nowhere_and_is_not_learned_again(controls: Controls) -> None:
    control = controls.store
    said = a_prompt(f"Hello. {RULE}! And use pnpm.")
    again = a_prompt("as I said: never  deploy the\ncanary ON fridays, ok?")
    shell = an_event(PreTool(call=a_call(command=f"echo '{RULE}'", segments=(SEGMENT,), summary=RULE)))
    output = an_event(PostTool(call=a_call(), outcome=Outcome.SUCCESS, excerpt=f"1: {RULE}"))
    for event in (said, again, shell, output):
        control.record(event, seen_at=T0)
    signals = [a_signal(RULE, evidence=(ref_to(said),)), a_signal("Use pnpm.", evidence=(ref_to(a_prompt("x")),))]
    control.add_signals(HARNESS, [replace(signals[0]), replace(signals[1], evidence=())])
    item = replace(shown("m1", "d1"), reasons=("canary, deploy",))
    control.add_receipt(a_receipt(receipt_id="r1", query=f"why {RULE.lower()}?", shown=(item,)))
    control.add_receipt(a_receipt(receipt_id="r2", query=RULE[:25], event_id=said.event_id))

    assert control.erase([f"{RULE}."], [ref_to(said)]) == 7

    control = controls.restart()
    bodies = [event.body for event in control.events(HARNESS, SESSION)]
    assert "canary" not in repr(bodies).lower()
    assert [type(body) for body in bodies] == [UserPrompt, UserPrompt, PreTool, PostTool]
    assert [signal.rule for _, signal in control.signals_after(HARNESS, SESSION, 0)] == ["Use pnpm."]
    assert "canary" not in repr(control.receipts()).lower()
    assert control.injected(HARNESS, SESSION, 0) == {"m1": "d1"}
    assert not control.record(said, seen_at=T0), "its key stays: it is not taken for new"
    assert control.erase([f"{RULE}."], [ref_to(said)]) == 0


def test_erasing_leaves_what_only_shares_words(control: ControlStore) -> None:
    other = a_prompt("deploy the canary on Fridays only; shellac")
    control.record(other, seen_at=T0)
    control.add_signals(HARNESS, [a_signal("Deploy on Fridays")])
    control.add_receipt(a_receipt(query="deploy the canary"))
    assert control.erase([RULE, "shell", "", "..."], []) == 0
    assert control.events(HARNESS, SESSION) == (other,)


def test_erasing_one_rule_of_a_prompt_keeps_another_that_waits_to_be_promoted(control: ControlStore) -> None:
    said = a_prompt(f"{RULE}. Always use pnpm.")
    control.record(said, seen_at=T0)
    control.save_session(a_session())
    control.add_signals(HARNESS, [a_signal(RULE, evidence=(ref_to(said),))])
    waiting = a_signal("Always use pnpm.", evidence=(replace(ref_to(said), quote="Always use pnpm."),))
    control.add_signals(HARNESS, [waiting])
    control.erase([RULE], [ref_to(said)])
    [(seq, kept)] = control.signals_after(HARNESS, SESSION, 0)
    assert kept == waiting
    control.advance_promoted(HARNESS, SESSION, seq)
    control.erase([RULE], [ref_to(said)])
    assert control.signals_after(HARNESS, SESSION, 0) == ()


@pytest.mark.parametrize("text", ["Мы используем pnpm", "我们使用 pnpm", 'say "hi" \\ twice', "straße für ALLE"])
def test_texts_of_any_script_are_erased(control: ControlStore, text: str) -> None:
    for said in (text, text.upper(), f"又{text}吗"):
        control.record(a_prompt(said), seen_at=T0)
    assert control.erase([text], []) == 3


# --- identity and the rest --------------------------------------------------------------------------------------


def test_a_root_claim_is_kept_and_replaced(controls: Controls) -> None:
    graph = a_graph()
    assert controls.store.root_claim(graph) is None
    claim = RootClaim(graph=str(graph), root="c0ffee", first_seen=T0)
    controls.store.save_root_claim(claim)
    trusted = replace(claim, trusted=("beef",))
    controls.store.save_root_claim(trusted)
    assert controls.restart().root_claim(graph) == trusted
    assert controls.store.root_claim(a_graph("acme/other")) is None


def test_an_alias_leads_to_the_last_id_and_never_in_a_circle(controls: Controls) -> None:
    a, b, c = a_graph("a/a"), a_graph("b/b"), a_graph("c/c")
    controls.store.save_alias(a, b)
    controls.store.save_alias(b, c)
    assert controls.restart().aliases() == {str(a): str(c), str(b): str(c)}
    controls.store.save_alias(c, a)
    assert controls.store.aliases() == {str(b): str(a), str(c): str(a)}


def test_counters_add_up(controls: Controls) -> None:
    controls.store.count("lost")
    controls.store.count("lost", 4)
    controls.store.count("bad")
    assert controls.restart().counters() == {"bad": 1, "lost": 5}


def test_a_store_that_is_whole_has_no_problems(control: ControlStore) -> None:
    control.record(an_event(), seen_at=T0)
    assert control.problems() == ()


def test_closing_twice_is_no_error(control: ControlStore) -> None:
    control.close()
    control.close()


# --- a session's events in order, page by page --------------------------------------------------------------------


def pages(control: ControlStore, limit: int) -> list[Event]:
    found: list[Event] = []
    after = ""
    while True:
        page, after = control.events_of(HARNESS, SESSION, after=after, limit=limit)
        assert len(page) <= limit
        found += page
        if not after:
            return found


@pytest.mark.parametrize("limit", [1, 2, 3, 500])
def test_the_pages_of_a_session_hold_each_event_once_in_the_order_of_their_times(
    control: ControlStore, limit: int
) -> None:
    events = [an_event(at=T0 + timedelta(seconds=n // 3)) for n in range(6)]
    for n in (3, 0, 4, 5, 1, 2):
        control.record(events[n], seen_at=T0)
    control.record(an_event(session_id="other"), seen_at=T0)
    control.record(an_event(harness="codex"), seen_at=T0)
    # of the same moment, in the order in which they came
    assert pages(control, limit) == [events[n] for n in (0, 1, 2, 3, 4, 5)]


def test_what_comes_while_the_pages_are_read_is_in_a_later_one(control: ControlStore) -> None:
    first, second = an_event(at=T0), an_event(at=minute(1))
    control.record(first, seen_at=T0)
    page, after = control.events_of(HARNESS, SESSION, limit=1)
    assert (page, bool(after)) == ((first,), True)
    control.record(second, seen_at=T0)
    assert control.events_of(HARNESS, SESSION, after=after, limit=2) == ((second,), "")


def test_a_session_without_events_has_no_page_and_a_made_up_place_is_refused(control: ControlStore) -> None:
    assert control.events_of(HARNESS, SESSION) == ((), "")
    assert control.events_of(HARNESS, SESSION, limit=0) == ((), "")
    with pytest.raises(InvalidValue):
        control.events_of(HARNESS, SESSION, after="soon")


# --- lookups ------------------------------------------------------------------------------------------------------


def a_lookup(session: str = SESSION, **over: object) -> Lookup:
    lookup = Lookup(
        graph=str(a_graph()),
        symbol="parseArgs",
        path="src/args.ts",
        harness=HARNESS,
        session_id=session,
        event_id=f"event of {session}",
        at=T0,
        is_definition=True,
    )
    return replace(lookup, **over)  # type: ignore[arg-type]  # keyword overrides of a builder


def test_looks_at_a_name_read_back_oldest_first_after_a_restart(controls: Controls) -> None:
    looks = [a_lookup(f"s{n}", at=minute(n)) for n in (2, 0, 1)]
    controls.store.note_lookups([*looks, a_lookup("x", symbol="other"), a_lookup("y", graph=str(a_graph("a/b")))])
    assert list(controls.restart().lookups(a_graph(), "parseArgs")) == [looks[1], looks[2], looks[0]]
    assert list(controls.store.lookups(a_graph("no/such"), "parseArgs")) == []


def test_a_session_counts_once_for_a_name_and_a_copied_call_not_at_all(control: ControlStore) -> None:
    first = a_lookup("s1")
    control.note_lookups([first, a_lookup("s1", event_id="later")])
    control.note_lookups([first, a_lookup("s2", event_id=first.event_id)])
    assert list(control.lookups(a_graph(), "parseArgs")) == [first]


def test_lookups_outlive_the_events_and_go_when_they_are_older_than_their_own_time(control: ControlStore) -> None:
    control.note_lookups([a_lookup("old", at=day(0)), a_lookup("new", at=day(8))])
    control.prune(day(9))
    assert len(control.lookups(a_graph(), "parseArgs")) == 2
    assert control.prune(day(9), lookups_at=day(5)) == 1
    assert [one.session_id for one in control.lookups(a_graph(), "parseArgs")] == ["new"]


def test_of_each_graph_only_so_many_lookups_stay(control: ControlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "KEPT_LOOKUPS", 2)
    other = a_lookup(graph=str(a_graph("a/b")))
    control.note_lookups([a_lookup(f"s{n}", symbol=f"name{n}", at=minute(n)) for n in range(4)])
    control.note_lookups([other])
    control.prune(day(1))
    assert [len(control.lookups(a_graph(), f"name{n}")) for n in range(4)] == [0, 0, 1, 1]
    assert list(control.lookups(a_graph("a/b"), "parseArgs")) == [other]


def test_what_is_erased_takes_its_lookups_along(control: ControlStore) -> None:
    kept, said, worded = a_lookup("s1"), a_lookup("s2"), a_lookup("s3", symbol="launchCode", path="a.ts")
    control.note_lookups([kept, said, worded])
    control.erase(["launchCode"], [EventRef(event_id=said.event_id, session_id="s2", at=T0)])
    assert list(control.lookups(a_graph(), "parseArgs")) == [kept]
    assert list(control.lookups(a_graph(), "launchCode")) == []


def test_a_signal_whose_title_or_reason_holds_erased_words_goes(control: ControlStore) -> None:
    words = "ask Mallory first"
    told = [a_signal("Run it.", title=words), a_signal("Run it.", why=words), a_signal("Run it.", how_to_apply=words)]
    control.add_signals(HARNESS, told)
    control.add_signals(HARNESS, [a_signal("Walk it.")])
    control.erase(["ask Mallory first"], [])
    assert [signal.rule for _, signal in control.signals_after(HARNESS, SESSION, 0)] == ["Walk it."]
