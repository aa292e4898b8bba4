from __future__ import annotations

from tests.builders import T0, a_post_tool, a_prompt, an_event
from tests.evals.recordings import Recording

from wisen.core.types import EventRef, Outcome, PostTool, ToolCall
from wisen.evals.places import Atlas, Place


def charted(recording: Recording) -> Atlas:
    atlas = Atlas()
    atlas.chart(recording.session, recording.fields)
    return atlas


def ref(event_id: str) -> EventRef:
    return EventRef(event_id=event_id, session_id="s1", at=T0)


def test_both_halves_of_a_call_are_one_place() -> None:
    recording = Recording("s1")
    first = recording.run("make")
    atlas = charted(recording)
    assert atlas.same(Place("s1", first + 1)) == atlas.same(Place("s1", first)) == Place("s1", first)


def test_calls_of_two_sessions_are_two_places() -> None:
    one, other = Recording("s1"), Recording("s2")
    atlas = Atlas()
    for recording in (one, other):
        recording.run("make")
        atlas.chart(recording.session, recording.fields)
    assert atlas.same(Place("s1", 2)) != atlas.same(Place("s2", 2))


def test_evidence_is_found_by_the_event_that_was_noted() -> None:
    recording = Recording("s1")
    recording.run("make")
    atlas = charted(recording)
    atlas.note(an_event(event_id="e1"), Place("s1", 2))
    assert atlas.places_of([ref("e1"), ref("unknown")]) == {Place("s1", 1)}


def test_a_call_told_by_a_native_file_is_found_by_its_id() -> None:
    recording = Recording("s1")
    first = recording.run("make")
    atlas = charted(recording)
    call = ToolCall(call_id="s1-1", tool="Bash", family="shell")
    event = a_post_tool(PostTool(call=call, outcome=Outcome.SUCCESS), event_id="post_tool:s1-1", session_id="s1")
    assert atlas.note(event, None) == Place("s1", first)


def test_a_prompt_told_by_a_native_file_is_found_by_its_words_each_time_it_was_said() -> None:
    recording = Recording("s1")
    places = [Place("s1", recording.say("go  on")) for _ in range(2)]
    atlas = charted(recording)
    found = [atlas.note(a_prompt("go on", session_id="s1", event_id=f"p{n}"), None) for n in range(3)]
    assert found == [*places, None]
    assert atlas.places_of([ref("p1")]) == {places[1]}
