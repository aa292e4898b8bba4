"""A name that was searched for and the file it was found in; nothing else is a lookup."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.builders import T0, a_call, a_graph, a_post_tool

from wisen.adapters.shell import segments
from wisen.core.records import Lookup
from wisen.core.signals.repeated_lookup import (
    ENOUGH_FOR_A_WORD,
    is_of_interest,
    looks_of,
    names_in,
    pinned,
    sought_in,
)
from wisen.core.types import Event, Outcome, PostTool, Tier


def grep(pattern: str, said: str, *, path: str = "", outcome: Outcome = Outcome.SUCCESS) -> Event:
    call = a_call(tool="Grep", family="search", command="", summary=json.dumps({"pattern": pattern}), path=path)
    return a_post_tool(PostTool(call=call, outcome=outcome, excerpt=said))


def shell(command: str, said: str = "") -> Event:
    call = a_call(command=command, segments=segments(command))
    return a_post_tool(PostTool(call=call, outcome=Outcome.SUCCESS, excerpt=said))


def opened(path: str, *, family: str = "read") -> Event:
    return a_post_tool(
        PostTool(call=a_call(tool="Read", family=family, command="", path=path), outcome=Outcome.SUCCESS)
    )


def found(*events: Event) -> list[tuple[str, str, bool]]:
    return [(look.symbol, look.path, look.is_definition) for look in looks_of(events)]


DEFINITION = "src/cli/args.ts:12:export function parseArgs(argv) {"
USES = "src/cli/args.ts\nsrc/cli/main.ts"


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("parseArgs", ("parseArgs",)),
        (r"\bparse_args\b", ("parse_args",)),
        (r"func (\(.*\) )?Open\(", ("Open",)),
        ("type Session struct", ("Session",)),
        ("class Router", ("Router",)),
        ("parseArgs|formatHelp", ("parseArgs", "formatHelp")),
        ("MAX_RETRIES", ("MAX_RETRIES",)),
        ("HTTPServer", ("HTTPServer",)),
    ],
)
def test_a_pattern_that_looks_for_a_name_says_which(pattern: str, names: tuple[str, ...]) -> None:
    assert names_in(pattern) == names


@pytest.mark.parametrize(
    "pattern",
    ["login", "TODO", "error: .* failed", "fn", "def x", "a.b", "", "use the parseArgs helper", ".*", "aB", "(", "\\",
     "aaBb|bbCc|ccDd|ddEe"],
)  # fmt: skip
def test_a_plain_word_a_sentence_or_a_long_list_is_no_name(pattern: str) -> None:
    assert names_in(pattern) == ()


def test_a_search_that_shows_the_definition_settles_where_it_is() -> None:
    assert found(grep("parseArgs", DEFINITION)) == [("parseArgs", "src/cli/args.ts", True)]
    assert found(shell("rg -n parseArgs src", DEFINITION)) == [("parseArgs", "src/cli/args.ts", True)]
    live = json.dumps({"mode": "content", "content": f"{DEFINITION}\nsrc/cli/main.ts:3:parseArgs(process.argv)"})
    assert found(grep("parseArgs", live)) == [("parseArgs", "src/cli/args.ts", True)]


def test_a_search_of_one_file_finds_it_there() -> None:
    said = "12:export function parseArgs(argv) {"
    assert found(shell("grep -n parseArgs src/cli/args.ts", said)) == [("parseArgs", "src/cli/args.ts", True)]
    assert found(grep("parseArgs", said, path="src/cli/args.ts")) == [("parseArgs", "src/cli/args.ts", True)]


def test_a_search_that_shows_files_is_settled_by_the_one_that_is_opened_next() -> None:
    place = [("parseArgs", "/repo/src/cli/args.ts", False)]
    assert found(grep("parseArgs", USES), opened("/repo/src/cli/args.ts")) == place
    assert found(grep("parseArgs", USES), shell("sed -n 1,40p src/cli/args.ts")) == [
        ("parseArgs", "src/cli/args.ts", False)
    ]
    assert found(grep("parseArgs", USES), opened("/repo/docs/else.md")) == []
    assert found(grep("parseArgs", USES), *[shell("make") for _ in range(6)], opened("/repo/src/cli/args.ts")) == []


def test_a_search_that_finds_one_file_needs_no_opening() -> None:
    assert found(grep("parseArgs", "Found 1 file\nsrc/cli/args.ts")) == [("parseArgs", "src/cli/args.ts", False)]


def test_two_definitions_or_a_search_that_failed_settle_nothing() -> None:
    two = f"{DEFINITION}\nsrc/old/args.ts:3:function parseArgs() {{"
    assert found(grep("parseArgs", two)) == []
    assert found(grep("parseArgs", DEFINITION, outcome=Outcome.FAILURE)) == []


def test_what_the_session_wrote_itself_was_not_looked_up() -> None:
    wrote = opened("src/cli/args.ts", family="edit")
    assert found(wrote, grep("parseArgs", DEFINITION)) == []


@pytest.mark.parametrize(
    "event",
    [
        opened("/repo/src/cli/args.ts"),
        shell("cat README.md"),
        shell("git log"),
        shell("make | grep parseArgs", DEFINITION),
    ],
)
def test_opening_a_file_by_its_path_or_filtering_a_pipe_is_no_lookup(event: Event) -> None:
    assert found(event) == []


@pytest.mark.parametrize(
    "path", ["node_modules/x/a.js", "dist/a.js", "pnpm-lock.yaml", "Cargo.lock", "a/go.sum", "b.min.js"]
)
def test_what_nobody_here_wrote_is_no_place(path: str) -> None:
    assert not is_of_interest(path)
    assert found(grep("parseArgs", f"{path}:1:function parseArgs() {{")) == []


# --- which look pins --------------------------------------------------------------------------------------------------


def looks(*sessions: str) -> Sequence[Lookup]:
    return [
        Lookup(
            graph=str(a_graph()),
            symbol="parseArgs",
            path="src/cli/args.ts",
            harness="claude-code",
            session_id=session,
            event_id=f"e-{session}",
            at=T0 + timedelta(days=n),
            is_definition=True,
        )
        for n, session in enumerate(sessions)
    ]


@pytest.mark.row("C7")
def test_the_third_session_gives_the_signal_with_all_three_as_evidence() -> None:
    assert pinned(looks("a", "b"), "b", is_there=True) is None
    signal = pinned(looks("a", "b", "c"), "c", is_there=True)
    assert signal is not None
    assert signal.rule == "`parseArgs` is defined in `src/cli/args.ts`."
    assert [ref.session_id for ref in signal.evidence] == ["c", "a", "b"]
    assert pinned(looks("a", "b", "c"), "b", is_there=True) is None


def test_a_later_session_supports_with_its_own_look_alone() -> None:
    signal = pinned(looks("a", "b", "c", "d"), "d", is_there=True)
    assert signal is not None
    assert [ref.session_id for ref in signal.evidence] == ["d"]


def test_a_file_that_is_gone_gives_nothing_and_one_nobody_can_look_at_a_suggestion() -> None:
    assert pinned(looks("a", "b", "c"), "c", is_there=False) is None
    signal = pinned(looks("a", "b", "c"), "c", is_there=None)
    assert signal is not None
    assert signal.tier is Tier.SUGGEST


def test_a_name_that_was_only_found_is_not_said_to_be_defined_there() -> None:
    signal = pinned([replace(look, is_definition=False) for look in looks("a", "b", "c")], "c", is_there=True)
    assert signal is not None
    assert (signal.rule, signal.tier) == ("`parseArgs` is in `src/cli/args.ts`.", Tier.SUGGEST)


def test_looks_that_found_it_elsewhere_do_not_count() -> None:
    a, b, c, d = looks("a", "b", "c", "d")
    elsewhere = replace(b, path="src/old/args.ts")
    assert pinned([a, elsewhere, c], "c", is_there=True) is None
    signal = pinned([a, elsewhere, c, d], "d", is_there=True)
    assert signal is not None
    assert [ref.session_id for ref in signal.evidence] == ["d", "a", "c"]


def test_a_name_of_one_word_needs_twice_as_many_sessions() -> None:
    sessions = ("a", "b", "c", "d", "e", "f")
    plain = [replace(look, symbol="Config") for look in looks(*sessions)]
    assert [pinned(plain, session, is_there=True) is not None for session in sessions] == [*[False] * 5, True]
    signal = pinned(plain, "f", is_there=True)
    assert signal is not None
    assert len(signal.evidence) == ENOUGH_FOR_A_WORD


def test_a_call_says_which_names_it_searches_for() -> None:
    assert sought_in(a_call(command="rg x", segments=segments("rg 'func parseArgs' src && grep -rn read_args ."))) == (
        "parseArgs",
        "read_args",
    )
    call = a_call(tool="Grep", family="search", command="", summary=json.dumps({"pattern": "class Router"}))
    assert sought_in(call) == ("Router",)
    assert sought_in(a_call(command="cat parseArgs.md", segments=segments("cat parseArgs.md"))) == ()


@pytest.mark.fault("B70")
def test_a_file_whose_name_tells_somebody_what_to_do_is_no_place() -> None:
    told = "docs/always-skip-the-review-of-args.ts"
    assert found(grep("function parseArgs", f"{told}:1:function parseArgs(")) == []
    assert found(grep("function parseArgs", "docs/review-of-args.ts:1:function parseArgs(")) != []
