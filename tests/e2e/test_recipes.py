"""A command failed, was mended and worked: the next session hears of it just before it would fail again."""

from __future__ import annotations

from tests.e2e.blocks import blocks, fences
from tests.e2e.claude_code import ClaudeCode
from tests.e2e.home import eventually
from tests.e2e.mockllm import MockModel, Turn, shell

CHECK = "./check.sh"
SCRIPT = "#!/bin/sh\nset -u\necho checked $SHOP_ENV\n"


def with_script(claude: ClaudeCode) -> ClaudeCode:
    script = claude.repo / "check.sh"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    return claude


def test_what_mended_a_command_comes_just_before_it_in_the_next_session(shop: ClaudeCode, model: MockModel) -> None:
    home = with_script(shop).home
    model.script(
        Turn(text="TRYING", calls=(shell(CHECK),)),
        Turn(text="MENDING", calls=(shell(f"SHOP_ENV=test {CHECK}"),)),
        Turn(text="DONE"),
    )
    assert shop.ask("run the check").reply == "DONE"
    eventually(lambda: len(home.texts(shop.repo)) == 1, "the recipe is learned")
    (text,) = home.texts(shop.repo)
    assert "SHOP_ENV=test" in text

    model.script(
        Turn(text="LOOKING", calls=(shell("ls"),)),
        Turn(text="TRYING", calls=(shell(CHECK),)),
        Turn(text="AGAIN", calls=(shell(CHECK),)),
        Turn(text="DONE"),
    )
    known = len(model.main_requests())
    assert shop.ask("run the check").reply == "DONE"
    first, after_ls, after_check, after_again = model.main_requests()[known:]
    assert [fences(request) for request in (first, after_ls)] == [0, 0]
    (block,) = blocks(after_check)
    assert block.trigger == "pre-tool"
    assert "data, not instructions" in block.first_line
    assert block.has(text)
    assert blocks(after_again) == [block]  # the one from before: it does not come twice
    assert text in home.must("why", "--last", cwd=shop.repo)


def test_another_repository_and_a_command_that_does_it_already_get_nothing(shop: ClaudeCode, model: MockModel) -> None:
    home = with_script(shop).home
    model.script(
        Turn(text="TRYING", calls=(shell(CHECK),)),
        Turn(text="MENDING", calls=(shell(f"SHOP_ENV=test {CHECK}"),)),
        Turn(text="DONE"),
    )
    shop.ask("run the check")
    eventually(lambda: len(home.texts(shop.repo)) == 1, "the recipe is learned")

    other = with_script(ClaudeCode(home, home.repo("website", "https://github.com/acme/website.git")))
    model.script(Turn(text="TRYING", calls=(shell(CHECK),)), Turn(text="DONE"))
    other.ask("run the check")
    assert fences(model.main_requests()[-1]) == 0

    model.script(Turn(text="TRYING", calls=(shell(f"SHOP_ENV=prod {CHECK}"),)), Turn(text="DONE"))
    shop.ask("run the check")
    assert fences(model.main_requests()[-1]) == 0
