"""What reaches the model, when, and that nothing reaches it twice."""

from __future__ import annotations

import pytest

from tests.e2e.blocks import blocks, fences, shown
from tests.e2e.claude_code import ClaudeCode
from tests.e2e.home import eventually
from tests.e2e.mockllm import MockModel, Turn, shell, subtask
from tests.e2e.terminal import Terminal

PNPM = "we use pnpm here, not npm"
STAGING = "the staging database is reset every night at two"
TOKENS = "sign-in tokens live for ten minutes"
EXPIRY = "how long does a user stay logged on before the session expires?"
LONG_QUESTION = "when does the staging database get reset, and is it every night?"


@pytest.fixture
def knowing(shop: ClaudeCode) -> ClaudeCode:
    """A repository with one memory."""
    shop.home.must("remember", PNPM, cwd=shop.repo)
    return shop


def last(model: MockModel) -> list[tuple[str, list[str]]]:
    """Return (trigger, texts) of every block in the last request of the main conversation."""
    return [(block.trigger, list(block.memories.values())) for block in blocks(model.main_requests()[-1])]


@pytest.mark.row("D8")
def test_a_prompt_recalls_what_the_session_has_not_seen_and_only_once(knowing: ClaudeCode, model: MockModel) -> None:
    model.script(Turn(text="ONE"), Turn(text="TWO"), Turn(text="THREE"))
    with Terminal(knowing.home, knowing.repo) as terminal:
        terminal.say("hello")
        terminal.wait_for("ONE")
        knowing.home.must("remember", STAGING, cwd=knowing.repo)
        terminal.say(LONG_QUESTION)
        terminal.wait_for("TWO")
        terminal.say("so once more: " + LONG_QUESTION)
        terminal.wait_for("THREE")
        terminal.leave()
    assert last(model) == [("session-start", [PNPM]), ("user-prompt", [STAGING])]


def test_a_prompt_finds_by_meaning_what_shares_no_word_with_it(knowing: ClaudeCode, model: MockModel) -> None:
    model.script(Turn(text="ONE"), Turn(text="TWO"))
    with Terminal(knowing.home, knowing.repo) as terminal:
        terminal.say("hello")
        terminal.wait_for("ONE")
        knowing.home.must("remember", TOKENS, cwd=knowing.repo)
        eventually(
            lambda: "near in meaning" in knowing.home.must("recall", EXPIRY, "--explain", cwd=knowing.repo),
            "the memory has its vector",
        )
        terminal.say(EXPIRY)
        terminal.wait_for("TWO")
        terminal.leave()
    assert last(model) == [("session-start", [PNPM]), ("user-prompt", [TOKENS])]


def test_a_short_prompt_recalls_nothing(knowing: ClaudeCode, model: MockModel) -> None:
    model.script(Turn(text="ONE"), Turn(text="TWO"))
    with Terminal(knowing.home, knowing.repo) as terminal:
        terminal.say("hello")
        terminal.wait_for("ONE")
        knowing.home.must("remember", STAGING, cwd=knowing.repo)
        terminal.say("staging database reset?")
        terminal.wait_for("TWO")
        terminal.leave()
    assert last(model) == [("session-start", [PNPM])]


@pytest.mark.row("A14")
def test_another_repository_gets_nothing(knowing: ClaudeCode, model: MockModel) -> None:
    other = ClaudeCode(knowing.home, knowing.home.repo("website", "https://github.com/acme/website.git"))
    local = ClaudeCode(knowing.home, knowing.home.repo("scratch"))
    question = "which package manager do we use here, pnpm or npm?"
    for claude in (other, local):
        assert claude.ask(question).code == 0
    assert [fences(r) for r in model.requests] == [0, 0]
    knowing.ask(question)
    assert last(model) == [("session-start", [PNPM])]


@pytest.mark.row("A1")
@pytest.mark.row("N1")
def test_a_worktree_and_a_clone_over_ssh_are_the_same_repository(knowing: ClaudeCode, model: MockModel) -> None:
    home = knowing.home
    home.git(knowing.repo, "worktree", "add", "--quiet", str(home.root / "side"))
    home.git(home.root, "clone", "--quiet", str(knowing.repo), str(home.root / "clone"))
    home.git(home.root / "clone", "remote", "set-url", "origin", "git@github.com:Acme/Shop.git")
    for name in ("side", "clone"):
        ClaudeCode(home, home.root / name).ask("hello")
        assert last(model) == [("session-start", [PNPM])]


def test_compaction_brings_the_memories_back_exactly_once(knowing: ClaudeCode, model: MockModel) -> None:
    model.script(Turn(text="ONE"), Turn(text="TWO"), Turn(text="THREE"))
    with Terminal(knowing.home, knowing.repo) as terminal:
        terminal.say("hello")
        terminal.wait_for("ONE")
        terminal.say("/compact")
        terminal.wait_for("Compacted")
        terminal.say("which package manager do we use here, pnpm or npm?")
        terminal.wait_for("TWO")
        terminal.say("thank you")
        terminal.wait_for("THREE")
        terminal.leave()
    assert "SUMMARY-OF-THE-WORK-SO-FAR" in "".join(m.text for m in model.main_requests()[-1].messages)
    assert last(model) == [("session-start", [PNPM])]


def test_an_automatic_compaction_brings_the_memories_back_exactly_once(knowing: ClaudeCode, model: MockModel) -> None:
    model.script(
        Turn(text="ONE", calls=(shell("seq 1 5000"),)),
        Turn(text="TWO", calls=(shell("seq 1 5000"),), input_tokens=98_500),
        Turn(text="THREE"),
        Turn(text="FOUR"),
    )
    run = knowing.feed(["hello", "thank you"], "--autocompact", "100000")
    assert (run.code, run.reply) == (0, "FOUR")
    assert [r.kind for r in model.requests] == ["main", "main", "compaction", "main", "main"]
    assert last(model) == [("session-start", [PNPM])]


def test_a_compaction_that_was_announced_and_did_not_come_brings_nothing_back(
    knowing: ClaudeCode, model: MockModel
) -> None:
    """The harness announces one, then finds the conversation too short."""
    model.script(Turn(text="ONE", input_tokens=98_500), Turn(text="TWO"), Turn(text="THREE"))
    question = "which package manager do we use here, pnpm or npm?"
    run = knowing.feed(["hello", question, question], "--autocompact", "100000")
    assert (run.code, run.reply) == (0, "THREE")
    assert [r.kind for r in model.requests] == ["main", "main", "main"]
    assert last(model) == [("session-start", [PNPM])]


def test_a_rule_stated_before_a_compaction_is_kept(shop: ClaudeCode, model: MockModel) -> None:
    model.script(Turn(text="ONE"), Turn(text="TWO"))
    with Terminal(shop.home, shop.repo) as terminal:
        terminal.say(PNPM)
        terminal.wait_for("ONE")
        terminal.say("/compact")
        terminal.wait_for("Compacted")
        terminal.leave()
    shop.home.stop()
    shop.ask("hello")
    ((trigger, texts),) = last(model)
    assert trigger == "session-start"
    assert len(texts) == 1
    assert PNPM in texts[0]


def test_a_cleared_session_gets_its_block_anew(knowing: ClaudeCode, model: MockModel) -> None:
    run = knowing.feed(["hello", "/clear", "hello again"])
    assert run.code == 0
    assert [shown(r) for r in model.main_requests()] == [shown(model.main_requests()[0])] * 2
    assert last(model) == [("session-start", [PNPM])]


def test_a_resumed_session_gets_only_what_its_history_lacks(knowing: ClaudeCode, model: MockModel) -> None:
    first = knowing.ask("hello")
    again = knowing.ask("carry on", "-c")
    assert again.session_id == first.session_id
    assert last(model) == [("session-start", [PNPM])]
    knowing.home.must("remember", STAGING, cwd=knowing.repo)
    knowing.ask("carry on", "-c")
    assert last(model) == [("session-start", [PNPM]), ("session-start", [STAGING])]


def test_a_forked_session_gets_only_what_its_history_lacks(knowing: ClaudeCode, model: MockModel) -> None:
    first = knowing.ask("hello")
    knowing.home.must("remember", STAGING, cwd=knowing.repo)
    fork = knowing.ask("carry on", "--resume", first.session_id, "--fork-session")
    assert fork.session_id != first.session_id
    assert last(model) == [("session-start", [PNPM]), ("session-start", [STAGING])]


def test_a_sub_task_recalls_what_the_session_has_not_seen(knowing: ClaudeCode, model: MockModel) -> None:
    model.script(
        Turn(text="ONE", calls=(shell("until [ -e go ]; do sleep 0.1; done"),)),
        Turn(text="TWO", calls=(subtask("SURVEY how the staging database gets reset every night"),)),
        Turn(text="THREE"),
        asides={"SURVEY": Turn(text="THE REPORT")},
    )
    with Terminal(knowing.home, knowing.repo) as terminal:
        terminal.say("hello")
        terminal.wait_for("ONE")
        knowing.home.must("remember", STAGING, cwd=knowing.repo)
        (knowing.repo / "go").touch()
        eventually(lambda: any(b"THE REPORT" in r.raw for r in model.main_requests()), "the report arrives")
        terminal.wait_for("THREE")
        terminal.leave()
    assert last(model) == [("session-start", [PNPM]), ("sub-task", [STAGING])]


def test_what_the_full_start_block_left_out_comes_with_the_prompt_about_it(shop: ClaudeCode, model: MockModel) -> None:
    parts = ("parser", "scheduler", "renderer", "tokenizer", "importer", "exporter", "planner", "cache", "router")
    for part in parts:
        shop.home.must(
            "remember", f"the {part} lives in packages/{part}: " + "keep its files apart " * 10, cwd=shop.repo
        )
    shop.ask("hello")
    (start,) = blocks(model.main_requests()[-1])
    left_out = [part for part in parts if not start.has(f"the {part} lives")]
    assert 0 < len(left_out) < len(parts)

    shop.feed(["hello", f"in which of the packages does the {left_out[0]} live?"])

    again, prompt = blocks(model.main_requests()[-1])
    assert (again.trigger, again.memories) == ("session-start", start.memories)
    assert prompt.trigger == "user-prompt"
    assert prompt.has(f"the {left_out[0]} lives")
    assert not set(prompt.memories) & set(start.memories)
