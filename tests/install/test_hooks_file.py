from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.install import json_texts

from wisen.errors import InstallError
from wisen.install import hooks_file, jsonedit
from wisen.install.command import MARK
from wisen.install.hooks_file import Wanted
from wisen.install.jsonedit import Document, Origin

NEW = f"{MARK} new; exit 0"
OLD = f"{MARK} old; exit 0"
relaxed = settings(deadline=None)  # machines are busy

THEIRS = {"hooks": [{"type": "command", "command": "say 'done'"}]}


def wanted(command: str = NEW) -> tuple[Wanted, ...]:
    return (
        Wanted(event="SessionStart", command=command, timeout_s=5),
        Wanted(event="PreToolUse", command=command, matcher="Bash|Task", timeout_s=5),
        Wanted(event="PostToolUse", command=command, is_async=True),
    )


def read(data: bytes | str) -> Document:
    return jsonedit.parse(data.encode() if isinstance(data, str) else data, name="settings.json")


def install(
    data: bytes | str, origins: tuple[Origin, ...] = (), command: str = NEW
) -> tuple[bytes, tuple[Origin, ...]]:
    done = hooks_file.register(read(data), wanted(command), origins)
    return done.document.data, done.origins


def uninstall(data: bytes | str, origins: tuple[Origin, ...]) -> bytes:
    return hooks_file.unregister(read(data), origins).data


# --- for every file -----------------------------------------------------------------------------------------------


@relaxed
@given(json_texts.files())
def test_what_was_put_in_comes_out_without_a_trace(before: bytes) -> None:
    after, origins = install(before)
    assert uninstall(after, origins) == before


@relaxed
@given(st.text(" \t\r\n", max_size=5), st.booleans())
def test_a_file_of_nothing_but_white_space_comes_back_as_it_was(blank: str, has_mark: bool) -> None:
    before = b"\xef\xbb\xbf" * has_mark + blank.encode()
    after, origins = install(before)
    assert json.loads(after.decode("utf-8-sig"))["hooks"].keys() == {"SessionStart", "PreToolUse", "PostToolUse"}
    assert uninstall(after, origins) == before


@pytest.mark.fault("B13")
@relaxed
@given(json_texts.files())
def test_exactly_the_wanted_hooks_are_where_the_harness_looks(before: bytes) -> None:
    after, _ = install(before)
    hooks = json_texts.plain(after)["hooks"]
    for want in wanted():
        assert hooks[want.event][-1] == json.loads(json.dumps(want.group), parse_int=str)
    assert hooks_file.is_current(read(after), wanted())


@pytest.mark.fault("B13")
@relaxed
@given(json_texts.files())
def test_every_foreign_byte_is_still_there_in_its_order(before: bytes) -> None:
    """Only white space between empty brackets may make room."""
    after, _ = install(before)
    rest = iter(after)
    assert all(byte in rest for byte in before if byte not in b" \t\r\n")


@relaxed
@given(json_texts.files())
def test_registering_twice_changes_nothing_more(before: bytes) -> None:
    once, origins = install(before)
    assert install(once, origins) == (once, origins)


@relaxed
@given(json_texts.files())
def test_renewed_hooks_stay_in_their_place_and_come_out_without_a_trace(before: bytes) -> None:
    old, origins = install(before, command=OLD)
    new, renewed_origins = install(old, origins, command=NEW)
    assert new == old.replace(OLD.encode(), NEW.encode())
    assert uninstall(new, renewed_origins) == before


@relaxed
@given(json_texts.files(), json_texts.blanks())
def test_hooks_come_out_of_a_file_that_was_written_anew(before: bytes, blank: json_texts.Blank) -> None:
    """As a formatter, or the harness itself when the user changes a setting, writes it."""
    after, origins = install(before)
    anew = json_texts.written(tree_of(json_texts.meaning(after)), blank).encode()
    assert json_texts.meaning(uninstall(anew, origins)) == json_texts.meaning(before)


def tree_of(found: Any) -> json_texts.Tree:
    """Return the tree of a file's meaning, strings and numbers in the plainest spelling."""
    match found:
        case ("object", pairs):
            return json_texts.Obj(tuple((json.dumps(key), tree_of(inside)) for key, inside in pairs))
        case list():
            return json_texts.Arr(tuple(map(tree_of, found)))
        case _:
            return json.dumps(found)


@relaxed
@given(json_texts.files(), st.sampled_from(["SessionStart", "PostToolUse", "Stop", "Notification"]), st.booleans())
def test_hooks_that_the_user_adds_later_stay_when_ours_go(before: bytes, event: str, is_first: bool) -> None:
    after, origins = install(before)
    edited = json_texts.plain(after)
    groups = edited["hooks"].setdefault(event, [])
    groups.insert(0 if is_first else len(groups), THEIRS)
    left = json_texts.plain(uninstall(json.dumps(edited), origins))
    expected = json_texts.plain(before)
    groups = expected.setdefault("hooks", {}).setdefault(event, [])
    groups.insert(0 if is_first else len(groups), THEIRS)
    assert left == expected


@relaxed
@given(json_texts.files(), st.lists(st.sampled_from(["SessionStart", "PreToolUse", "PostToolUse"]), unique=True))
def test_hooks_that_the_user_took_out_come_back_with_the_next_registration(before: bytes, events: list[str]) -> None:
    after, origins = install(before)
    doc = read(after)
    for event in events:
        hit = next(one for one in hooks_file.found(doc) if one.event == event)
        doc = jsonedit.remove(doc, hit.place[:3], lambda _path: None)
    again, origins = install(doc.data, origins)
    assert hooks_file.is_current(read(again), wanted())
    left, expected = json_texts.plain(uninstall(again, origins)), json_texts.plain(before)
    assert {**left, "hooks": None} == {**expected, "hooks": None}


# --- what people really do ----------------------------------------------------------------------------------------


def test_a_foreign_hook_merged_into_our_group_stays() -> None:
    after, origins = install('{"model": "opus"}')
    edited = json_texts.plain(after)
    edited["hooks"]["PostToolUse"][0]["hooks"].append(THEIRS["hooks"][0])
    left = json_texts.plain(uninstall(json.dumps(edited), origins))
    assert left == {"model": "opus", "hooks": {"PostToolUse": [THEIRS]}}


def test_our_hook_beside_a_foreign_one_is_renewed_without_touching_that_one() -> None:
    old, origins = install("{}", command=OLD)
    edited = json_texts.plain(old)
    edited["hooks"]["PostToolUse"][0]["hooks"].insert(0, THEIRS["hooks"][0])
    new, origins = install(json.dumps(edited), origins)
    groups = json_texts.plain(new)["hooks"]["PostToolUse"]
    assert groups == [THEIRS, wanted()[2].group]
    assert json_texts.plain(uninstall(new, origins)) == {"hooks": {"PostToolUse": [THEIRS]}}


def test_a_second_copy_of_our_hook_goes() -> None:
    once, origins = install("{}")
    edited = json_texts.plain(once)
    edited["hooks"]["PostToolUse"] *= 2
    assert json_texts.plain(install(json.dumps(edited), origins)[0]) == json_texts.plain(once)


def test_hooks_of_events_that_are_no_longer_wanted_go() -> None:
    doc = read(json.dumps({"hooks": {"Stop": [THEIRS, wanted(OLD)[0].group]}}))
    done = hooks_file.register(doc, wanted(), hooks_file.presumed_origins(doc))
    assert done.dropped == ("Stop",)
    assert done.added == ("SessionStart", "PreToolUse", "PostToolUse")
    assert json_texts.plain(done.document.data)["hooks"]["Stop"] == [THEIRS]


def test_a_changed_timeout_is_set_right_again() -> None:
    after, origins = install("{}")
    again, _ = install(after.replace(b'"timeout": 5', b'"timeout": 600'), origins)
    assert again == after


def test_without_a_memory_of_how_it_was_the_lists_we_made_go_and_the_rest_stays() -> None:
    after, _ = install('{"model": "opus"}')
    assert uninstall(after, hooks_file.presumed_origins(read(after))) == b'{"model": "opus"}'


def test_an_empty_list_of_the_users_stays_an_empty_list() -> None:
    before = b'{\n  "hooks": {\n    "PostToolUse": [ ],\n    "Stop": []\n  }\n}'
    after, origins = install(before)
    assert uninstall(after, origins) == before


def test_the_last_of_two_equal_keys_counts_as_for_the_harness() -> None:
    before = b'{"hooks": {"Stop": []}, "hooks": {}}'
    after, origins = install(before)
    assert json_texts.plain(after)["hooks"].keys() == {"SessionStart", "PreToolUse", "PostToolUse"}
    assert uninstall(after, origins) == before


def test_a_command_that_only_speaks_of_us_is_foreign() -> None:
    theirs = {"type": "command", "command": f"echo '{MARK}'"}
    before = json.dumps({"hooks": {"Stop": [{"hooks": [theirs]}]}})
    assert hooks_file.found(read(before)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '"hooks"',
        '{"hooks": []}',
        '{"hooks": null}',
        '{"hooks": "off"}',
        '{"hooks": {"SessionStart": {}}}',
        '{"hooks": {"PreToolUse": "say hello"}}',
    ],
)
def test_something_else_where_hooks_belong_is_refused(text: str) -> None:
    with pytest.raises(InstallError) as caught:
        install(text)
    assert caught.value.message.startswith("settings.json:1: ")
    assert caught.value.hint.startswith("nothing was written")


@pytest.mark.parametrize("odd", ["1", "[]", "{}", "null", '["x"]', '{"hooks": 1}', '{"hooks": [1, {"command": 1}]}'])
def test_foreign_entries_of_any_shape_are_left_alone(odd: str) -> None:
    before = f'{{"hooks": {{"Stop": [{odd}], "Later": {odd}, "SessionStart": [{odd}]}}}}'
    after, origins = install(before)
    assert hooks_file.is_current(read(after), wanted())
    assert uninstall(after, origins) == before.encode()
