from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.install import json_texts

from wisen.errors import InstallError
from wisen.install import jsonedit
from wisen.install.jsonedit import Document, Node

relaxed = settings(deadline=None)


def read(text: str) -> Document:
    return jsonedit.parse(text.encode(), name="settings.json")


def appended(text: str, *path: str) -> str:
    doc, _ = jsonedit.append(read(text), path, {"n": 1})
    return doc.data.decode()


# --- the scan -----------------------------------------------------------------------------------------------------


def rebuilt(doc: Document, node: Node) -> object:
    """Return what the places in the tree say, read one by one."""
    if node.kind == "object":
        return ("object", [(child.key, rebuilt(doc, child)) for child in node.children])
    if node.kind == "array":
        return [rebuilt(doc, child) for child in node.children]
    return json.loads(doc.text[node.start : node.end], parse_int=str, parse_float=str)


@relaxed
@given(json_texts.files(json_texts.trees))
def test_the_places_found_are_those_of_the_values(data: bytes) -> None:
    doc = jsonedit.parse(data, name="x")
    assert doc.data == data
    assert doc.root is not None
    assert rebuilt(doc, doc.root) == json_texts.meaning(data)


def test_a_deep_file_is_read_and_one_beyond_reason_is_refused() -> None:
    assert read("[" * 500 + "]" * 500).root is not None
    with pytest.raises(InstallError, match="too deeply"):
        read("[" * 100_000 + "]" * 100_000)


# --- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n  // why\n  "a": 1\n}', ":2:3: "),
        ('{"a": /* why */ 1}', ":1:7: "),
        ('{"a": 1} {"b": 2}', ":1:10: "),
        ("{'a': 1}", ":1:2: "),
        ('{"a": 01}', ":1:8: "),
        ('{"a": "\t"}', ":1:8: "),
        ('{"a": "\\x"}', ":1:8: "),
        ('{"a"', ":1:5: "),
        ('{"a":\u00a01}', ":1:6: "),
        ('\ufeff\ufeff{"a": 1}', ":1:1: "),
        ('{"a": NaN}', ": "),
        ('{"a": -Infinity}', ": "),
    ],
)
def test_what_is_not_strict_json_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(InstallError) as caught:
        read(text)
    assert caught.value.message.startswith(f"settings.json{where}")
    assert "nothing was written" in caught.value.hint


def test_a_comma_too_many_is_refused_with_its_place() -> None:
    with pytest.raises(InstallError) as caught:
        read('{\n  "a": 1,\n}')
    # From Python 3.13 on the comma itself is named, before that what stands where a name should.
    assert caught.value.message.startswith(("settings.json:2:9: ", "settings.json:3:1: "))


@pytest.mark.parametrize("data", [b'{\n"a": "\xe9"}', '{\n"a": "é"}'.encode("utf-16"), b'{\n"a": "\xed\xa0\x80"}'])
def test_what_is_not_utf_8_is_refused_with_its_line(data: bytes) -> None:
    with pytest.raises(InstallError, match=r"settings\.json:[12]: not UTF-8"):
        jsonedit.parse(data, name="settings.json")


def test_the_message_shows_what_is_in_the_way() -> None:
    with pytest.raises(InstallError, match=r'settings\.json:2: a\.b is no array but: "text"'):
        appended('{"a":\n {"b": "text"}}', "a", "b")


# --- the file's own style -----------------------------------------------------------------------------------------


def test_two_spaces() -> None:
    before = '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}\n'
    expected = """\
        {
          "a": {
            "b": [
              1,
              {
                "n": 1
              }
            ]
          }
        }
        """
    assert appended(before, "a", "b") == dedent(expected)


def test_tabs_and_windows_lines() -> None:
    before = '{\r\n\t"a": 1\r\n}'
    assert appended(before, "b") == '{\r\n\t"a": 1,\r\n\t"b": [\r\n\t\t{\r\n\t\t\t"n": 1\r\n\t\t}\r\n\t]\r\n}'


def test_four_spaces_and_an_empty_list() -> None:
    before = '{\n    "a": []\n}'
    assert appended(before, "a") == '{\n    "a": [\n        {\n            "n": 1\n        }\n    ]\n}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a":1}', '{"a":1,"b":[{"n":1}]}'),
        ('{"a": 1}', '{"a": 1, "b": [{"n": 1}]}'),
        ('{"a":1,"b":[]}', '{"a":1,"b":[{"n":1}]}'),
        ('{"a": 1, "b": [2]}', '{"a": 1, "b": [2, {"n": 1}]}'),
        ("{}", '{\n  "b": [\n    {\n      "n": 1\n    }\n  ]\n}'),
        ("", '{\n  "b": [\n    {\n      "n": 1\n    }\n  ]\n}\n'),
    ],
)
def test_one_line_stays_one_line_and_an_empty_file_gets_several(before: str, after: str) -> None:
    assert appended(before, "b") == after


def test_a_list_on_one_line_in_a_file_of_many_stays_on_its_line() -> None:
    assert appended('{\n  "b": [{"m": 0}]\n}', "b") == '{\n  "b": [{"m": 0}, {"n": 1}]\n}'


def test_letters_of_every_script_are_written_as_they_are() -> None:
    doc, _ = jsonedit.append(read("{}"), ("a",), "/home/josé/日本")
    assert "/home/josé/日本" in doc.text


# --- comparing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "same"),
    [('{"b":5,"a":[true]}', True), ('{"a":[true],"b":5.0}', False), ('{"a":[true],"b":"5"}', False), ("[]", False)],
)
def test_a_value_holds_what_it_means(text: str, same: bool) -> None:
    doc = read(text)
    assert doc.root is not None
    assert jsonedit.holds(doc, doc.root, {"a": [True], "b": 5}) is same


# --- taking out ---------------------------------------------------------------------------------------------------


@relaxed
@given(json_texts.files(json_texts.trees), st.data())
def test_any_value_can_be_taken_out_and_all_others_stay(data: bytes, draws: st.DataObject) -> None:
    doc = jsonedit.parse(data, name="x")
    place: tuple[int, ...] = ()
    node = doc.root
    while node is not None and node.children and (not place or draws.draw(st.booleans())):
        place = (*place, draws.draw(st.integers(0, len(node.children) - 1)))
        node = node.children[place[-1]]
    if place:
        left = jsonedit.remove(doc, place, lambda _path: None)
        assert json_texts.meaning(left.data) == without(json_texts.meaning(data), place)


def without(meaning: Any, place: tuple[int, ...]) -> object:
    """Return a file's meaning with one value gone."""
    is_object = isinstance(meaning, tuple)
    children = list(meaning[1] if is_object else meaning)
    number, *rest = place
    if not rest:
        del children[number]
    elif is_object:
        key, inside = children[number]
        children[number] = (key, without(inside, tuple(rest)))
    else:
        children[number] = without(children[number], tuple(rest))
    return ("object", children) if is_object else children
