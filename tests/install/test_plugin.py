"""wisen as a plugin of Claude Code: made, renewed and taken away, and never beside the plain installation."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.install.test_claude_code import Home
from tests.install.test_claude_json import STATE

from wisen import __version__
from wisen.errors import Conflict
from wisen.install import claude_code, manifest, plugin
from wisen.install.command import is_ours
from wisen.install.plan import InstallPlan, Standing


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    home = Home(tmp_path / "home")
    (home.root / ".claude.json").write_text(STATE)
    return home


def planned(home: Home) -> InstallPlan:
    return claude_code.plan_plugin(home.env, home.paths, Path(sys.executable), home.hook)


def install(home: Home) -> None:
    claude_code.apply(planned(home))


def read(home: Home, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((plugin.folder(home.paths) / name).read_text())
    return found


def test_it_has_the_hooks_and_the_server_of_the_plain_installation(home: Home) -> None:
    home.install()
    hooks, server = home.hooks(), json.loads((home.root / ".claude.json").read_text())["mcpServers"]
    home.uninstall()
    install(home)
    assert read(home, "wisen/hooks/hooks.json") == {"hooks": hooks}
    assert read(home, "wisen/.mcp.json") == {"mcpServers": server}


def test_the_marketplace_offers_the_one_plugin(home: Home) -> None:
    install(home)
    market, manifest_ = read(home, plugin.MARKETPLACE), read(home, "wisen/.claude-plugin/plugin.json")
    (offered,) = market["plugins"]
    assert f"{offered['name']}@{market['name']}" == plugin.PLUGIN
    assert (plugin.folder(home.paths) / offered["source"] / ".claude-plugin" / "plugin.json").is_file()
    assert offered["version"] == manifest_["version"] == __version__


def test_the_command_hands_the_users_words_on(home: Home) -> None:
    install(home)
    command = (plugin.folder(home.paths) / "wisen/commands/remember.md").read_text()
    assert re.match(r"---\ndescription: .+\nargument-hint: .+\n---\n", command)
    assert command.count("$ARGUMENTS") == 1


def test_nothing_of_the_users_is_changed_and_all_of_it_goes_again(home: Home) -> None:
    before = home.tree()
    install(home)
    assert {name: entry for name, entry in home.tree().items() if name in before} == before
    assert manifest.names(home.paths, "claude-code")
    report = home.uninstall()
    assert all(one.is_deleted and one.is_as_before for one in report.files)
    assert any("claude plugin uninstall wisen@wisen" in note for note in report.notes)
    assert home.tree() == before


def test_it_stands_like_any_installation(home: Home) -> None:
    assert home.standing() == (Standing.ABSENT, "")
    install(home)
    assert home.standing() == (Standing.CURRENT, "")
    assert not planned(home).is_needed
    file = plugin.folder(home.paths) / "wisen/hooks/hooks.json"
    file.write_text(file.read_text().replace("-I -S", "-S -I"))
    assert home.standing() == (Standing.OUTDATED, "the plugin is not that of this wisen")
    install(home)
    assert home.standing() == (Standing.CURRENT, "")
    home.uninstall()
    assert not plugin.folder(home.paths).exists()


def test_what_every_hook_runs_is_shown_once(home: Home) -> None:
    shown = "\n".join(planned(home).describe())
    assert shown.count(": wisen-hook;") == 1
    assert "hooks.json:\n  each of them runs this line" in shown


def test_it_is_not_put_beside_the_plain_installation_nor_the_other_way_round(home: Home) -> None:
    home.install()
    with pytest.raises(Conflict, match="twice"):
        planned(home)
    home.uninstall()
    install(home)
    with pytest.raises(Conflict, match="twice"):
        home.plan()


def test_its_hooks_are_known_as_ours(home: Home) -> None:
    install(home)
    groups = [group for event in read(home, "wisen/hooks/hooks.json")["hooks"].values() for group in event]
    assert len(groups) == 8
    assert all(is_ours(hook["command"]) for group in groups for hook in group["hooks"])
