from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.evals.recordings import CWD, Recording, session_of_successes, write_sessions

from wisen.core.types import Source, Status
from wisen.evals.places import Atlas, Place
from wisen.evals.playing import Blocks, Glimpse, Played, Player
from wisen.evals.recorded import sessions_in
from wisen.evals.stage import stage

RULE = "Remember that we use pnpm here, not npm."
ASK = "please add a new field for the customer's address to the export"
HOOK = "pre-commit hook failed: run `make fmt` first\nhusky - pre-commit script failed (code 1)"


def played(
    folder: Path, *recordings: Recording, watched: Sequence[Place] = (), is_past: bool = False
) -> tuple[list[Played], Player]:
    write_sessions(folder, *recordings)
    sessions = sessions_in(folder, raw=False)
    with stage("acme/widgets", [CWD], is_past=is_past) as on:
        player = Player(on, atlas=Atlas(), watched=watched)
        return [player.play(session) for session in sessions], player


def stating(session: str, day: int, *texts: str) -> Recording:
    recording = Recording(session, day=day)
    for text in texts:
        recording.say(text)
    return recording


def test_what_the_user_says_is_in_the_next_session_s_start_block(tmp_path: Path) -> None:
    found, player = played(tmp_path, stating("s1", 0, RULE, ASK), stating("s2", 1, ASK, ASK))
    first, second = found
    assert [memory.source for memory in first.added] == [Source.EXPLICIT]
    assert (first.signals, first.candidates, first.active, first.waiting) == (1, 1, 1, 0)
    assert first.blocks == {}
    assert second.blocks["session-start"].memories == 1
    assert second.blocks["session-start"].chars > len(first.added[0].text)
    assert second.added == ()
    assert len(player.memories) == 1


def test_a_session_is_numbered_and_counted(tmp_path: Path) -> None:
    recording = stating("s1", 0, ASK, "go on")
    recording.run("make test")
    (one,), _ = played(tmp_path, recording)
    assert (one.number, one.session_id, one.events, one.prompts) == (1, "s1", 6, 2)
    assert one.at == sessions_in(tmp_path, raw=False)[0].at
    assert sum(one.passed_over.values()) == 2


def test_a_rule_said_again_counts_and_in_vain_if_it_had_been_shown(tmp_path: Path) -> None:
    found, player = played(
        tmp_path, stating("s1", 0, RULE, ASK), stating("s2", 1, ASK, RULE), stating("s3", 2, ASK, ASK)
    )
    assert [(one.corrected_again, one.in_vain) for one in found] == [(0, 0), (1, 1), (0, 0)]
    assert [len(one.reinforced) for one in found] == [0, 1, 0]
    assert player.memories[0].support == 2


def test_a_rule_said_twice_in_one_session_was_not_said_again(tmp_path: Path) -> None:
    (one,), _ = played(tmp_path, stating("s1", 0, RULE, ASK, RULE))
    assert one.corrected_again == 0


def test_a_second_play_finds_the_same(tmp_path: Path) -> None:
    recordings = [stating("s1", 0, RULE, ASK), stating("s2", 1, ASK, RULE), session_of_successes(3)]
    (one, first), (other, second) = (played(tmp_path, *recordings) for _ in range(2))
    assert one == other
    assert first.memories == second.memories


def test_what_was_learned_before_a_compaction_is_recalled_after_it(tmp_path: Path) -> None:
    recording = stating("s1", 0, RULE, ASK)
    recording.compact()
    recording.say(ASK)
    (one,), _ = played(tmp_path, recording)
    assert one.blocks["session-start"] == Blocks(blocks=1, memories=1, chars=one.blocks["session-start"].chars)


def test_a_moment_is_looked_at_through_the_places_that_show_what_is_known(tmp_path: Path) -> None:
    first, second = stating("s1", 0, ASK), Recording("s2", day=1)
    said = Place("s1", first.say(RULE))
    start, prompt = Place("s2", 0), Place("s2", second.say(ASK))
    second.say(ASK)
    _, player = played(tmp_path, first, second, watched=[said, start, prompt])
    nothing: frozenset[Place] = frozenset()
    everything = frozenset({said})
    assert player.glimpses[said] == Glimpse(shown=nothing, in_context=nothing, active=nothing, waiting=nothing)
    assert player.glimpses[start] == Glimpse(shown=everything, in_context=nothing, active=everything, waiting=nothing)
    assert player.glimpses[prompt] == Glimpse(shown=nothing, in_context=everything, active=everything, waiting=nothing)


def test_a_compaction_takes_what_was_shown_out_of_the_context(tmp_path: Path) -> None:
    first, second = stating("s1", 0, RULE, ASK), stating("s2", 1, ASK)
    second.compact()
    compacted = Place("s2", len(second.rows) - 1)
    after = Place("s2", second.say(ASK))
    _, player = played(tmp_path, first, second, watched=[compacted, after])
    assert player.glimpses[after].in_context == {Place("s1", 1)}


def test_a_failure_that_came_back_is_repeated_only_where_a_session_before_found_a_way_out(tmp_path: Path) -> None:
    solved, unsolved = Recording("s1"), Recording("s2", day=1)
    solved.fail("gh stack list", 'unknown command "stack" for "gh"')
    solved.run("gh stack --help")
    unsolved.fail("mise run fmtt", "mise ERROR no task fmtt found")
    again = Recording("s3", day=2)
    again.fail("gh stack list", 'unknown command "stack" for "gh"')
    again.fail("mise run fmtt", "mise ERROR no task fmtt found")
    found, _ = played(tmp_path, solved, unsolved, again)
    assert [one.seen.failures.done for one in found] == [1, 1, 2]
    assert [one.seen.failures.repeated for one in found] == [0, 0, 1]


def looking_up(session: str, day: int) -> Recording:
    recording = Recording(session, day=day)
    recording.say(ASK)
    recording.call(
        "Grep",
        {"pattern": "func ParseInvoice", "output_mode": "content"},
        "internal/invoice/parse.go:12:func ParseInvoice(raw []byte) (Invoice, error) {",
    )
    return recording


def test_a_place_looked_up_in_three_sessions_is_pinned_and_the_next_lookup_was_known(tmp_path: Path) -> None:
    found, player = played(tmp_path, *(looking_up(f"s{day}", day) for day in range(4)))
    assert [len(one.added) for one in found] == [0, 0, 1, 0]
    assert player.memories[0].source is Source.REPEATED_LOOKUP
    assert player.memories[0].status is Status.ACTIVE
    assert [one.seen.lookups.done for one in found] == [1, 1, 1, 1]
    assert [one.seen.lookups.repeated for one in found] == [0, 0, 0, 1]
    assert [one.seen.lookups.known for one in found] == [0, 0, 0, 1]


def test_of_the_past_nothing_is_recalled_and_what_only_hooks_tell_is_not_counted(tmp_path: Path) -> None:
    found, player = played(tmp_path, stating("s1", 0, RULE, ASK), stating("s2", 1, ASK, ASK), is_past=True)
    assert [one.events for one in found] == [2, 2]
    assert [one.blocks for one in found] == [{}, {}]
    assert [memory.status for memory in player.memories] == [Status.ACTIVE]


def test_places_of_the_past_that_nobody_can_look_at_wait_for_review(tmp_path: Path) -> None:
    _, player = played(tmp_path, *(looking_up(f"s{day}", day) for day in range(3)), is_past=True)
    assert [memory.status for memory in player.memories] == [Status.PENDING_REVIEW]


def test_a_reason_is_counted_without_what_is_particular_to_one_case(tmp_path: Path) -> None:
    (one,), _ = played(tmp_path, stating("s1", 0, ASK, "The commit in `make.log` is on the main branch now, I think."))
    assert not any("`make.log`" in reason or ":" in reason for reason in one.passed_over)


@pytest.mark.row("C10")
@pytest.mark.row("C15")
def test_twenty_sessions_of_successes_store_nothing(tmp_path: Path) -> None:
    found, player = played(tmp_path, *map(session_of_successes, range(20)))
    assert len(found) == 20
    assert sum(one.events for one in found) > 200
    assert sum(one.signals for one in found) == 0
    assert player.memories == ()
