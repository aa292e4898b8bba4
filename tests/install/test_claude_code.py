from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from wisen.config import Paths
from wisen.config import paths as paths_of
from wisen.errors import Conflict, InstallError
from wisen.install import claude_code, files, manifest
from wisen.install.command import is_ours
from wisen.install.plan import InstallPlan, Standing, UninstallReport

FOREIGN = """\
{
  "model": "opus",
  "permissions": {"allow": ["Bash(ls:*)"]},
  "env": { "TOKEN": "s3cret\\u0021" },
  "hooks": {
    "SessionStart": [
      {"matcher": "startup", "hooks": [{"type": "command", "command": "echo theirs"}]}
    ],
    "Stop": []
  },

  "someFutureKey": {"b": 1,   "a": [1, 2.50, 1e+3]}
}
"""
SHAPES = {
    "nothing": None,
    "an empty file": "",
    "an empty object": "{}",
    "a line": '{"model":"opus"}',
    "foreign hooks": FOREIGN,
    "tabs": FOREIGN.replace("  ", "\t"),
    "windows lines": FOREIGN.replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + FOREIGN,
    "no final newline": FOREIGN.rstrip(),
}


class Home:
    """A home directory in which wisen is installed and uninstalled."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.env = {"HOME": str(root), "PATH": ""}
        self.settings = root / ".claude" / "settings.json"
        self.hook = root.parent / "wisen" / "hook.py"
        self.hook.parent.mkdir(exist_ok=True)
        self.hook.write_text("pass\n")

    @property
    def paths(self) -> Paths:
        return paths_of(self.env, platform="linux")

    def write(self, text: str) -> None:
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_bytes(text.encode())

    def plan(self) -> InstallPlan:
        return claude_code.plan(self.env, self.paths, Path(sys.executable), self.hook)

    def install(self) -> None:
        claude_code.apply(self.plan())

    def uninstall(self) -> UninstallReport:
        return claude_code.uninstall(self.env, self.paths)

    def standing(self) -> tuple[Standing, str]:
        status = claude_code.status(self.env, self.paths, Path(sys.executable), self.hook)
        return status.standing, status.reason

    def hooks(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.settings.read_text("utf-8-sig"))["hooks"]
        return found

    def tree(self) -> dict[str, tuple[int, bytes | str | None]]:
        """Every file, link and directory with its mode and content."""
        return {str(entry.relative_to(self.root)): _entry(entry) for entry in sorted(self.root.rglob("*"))}


def _entry(entry: Path) -> tuple[int, bytes | str | None]:
    mode = entry.lstat().st_mode
    if stat.S_ISLNK(mode):
        return mode, str(entry.readlink())
    return mode, entry.read_bytes() if stat.S_ISREG(mode) else None


@pytest.fixture
def home(tmp_path: Path) -> Home:
    root = tmp_path / "home"
    root.mkdir()
    return Home(root)


# --- what is registered -------------------------------------------------------------------------------------------


@pytest.mark.row("F3")
def test_the_hooks_are_those_that_can_answer_and_those_that_can_wait(home: Home) -> None:
    home.install()
    hooks = home.hooks()
    assert list(hooks) == [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PreCompact",
        "SessionEnd",
    ]
    assert [event for event, [group] in hooks.items() if group["hooks"][0].get("async")] == [
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PreCompact",
    ]
    assert [group.get("matcher") for [group] in hooks.values() if "matcher" in group] == [
        "Bash|Grep|Agent|Task|TaskCreate"
    ]
    for [group] in hooks.values():
        [hook] = group["hooks"]
        assert hook.keys() <= {"type", "command", "timeout", "async"}
        assert (hook["type"], hook["timeout"], is_ours(hook["command"])) == ("command", 5, True)


@pytest.mark.fault("B13")
def test_nothing_else_in_the_settings_is_touched(home: Home) -> None:
    """Above all not the switch of the built-in memory, nor any foreign hook."""
    home.write(FOREIGN)
    home.install()
    after = json.loads(home.settings.read_text())
    before = json.loads(FOREIGN)
    assert {**after, "hooks": None} == {**before, "hooks": None}
    for event, groups in before["hooks"].items():
        assert after["hooks"][event][: len(groups)] == groups


def test_the_settings_are_found_where_the_harness_looks(home: Home, tmp_path: Path) -> None:
    home.env["CLAUDE_CONFIG_DIR"] = str(tmp_path / "elsewhere")
    home.install()
    assert (tmp_path / "elsewhere" / "settings.json").is_file()
    assert not home.settings.exists()


# --- there and back -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_installed_and_uninstalled_the_home_is_the_same_to_the_byte(home: Home, shape: str) -> None:
    text = SHAPES[shape]
    if text is not None:
        home.write(text)
        home.settings.chmod(0o640)
    before = home.tree()
    home.install()
    assert home.standing() == (Standing.CURRENT, "")
    report = home.uninstall()
    assert home.tree() == before
    assert [(one.file, one.is_as_before, one.is_deleted) for one in report.files] == [
        (home.settings, True, text is None)
    ]
    assert report.left == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_installing_twice_changes_nothing_more(home: Home, shape: str) -> None:
    text = SHAPES[shape]
    if text is not None:
        home.write(text)
    before = home.tree()
    home.install()
    once = home.tree()
    plan = home.plan()
    assert "nothing to do" in plan.describe()[0]
    claude_code.apply(plan)
    assert home.tree() == once
    home.uninstall()
    home.uninstall()
    assert home.tree() == before


def test_planning_writes_nothing(home: Home) -> None:
    home.write(FOREIGN)
    before = home.tree()
    lines = home.plan().describe()
    assert home.tree() == before
    assert "add hooks for SessionStart" in "\n".join(lines)
    assert str(home.paths.backups_dir) in "\n".join(lines)


def test_an_upgrade_renews_the_hooks_in_their_place_and_still_leaves_no_trace(home: Home) -> None:
    home.write(FOREIGN)
    before = home.tree()
    home.install()
    once = home.settings.read_bytes()
    moved = home.hook.rename(home.hook.with_name("newer.py"))
    assert home.standing()[0] is Standing.BROKEN
    home.hook = moved
    home.install()
    assert home.settings.read_bytes() == once.replace(b"/hook.py", b"/newer.py")
    home.uninstall()
    assert home.tree() == before


def test_later_edits_of_the_user_stay(home: Home) -> None:
    home.write(FOREIGN)
    home.install()
    edit = (b'"opus"', b'"haiku",\n  "x": [ ]')
    home.settings.write_bytes(home.settings.read_bytes().replace(*edit))
    report = home.uninstall()
    assert home.settings.read_bytes() == FOREIGN.encode().replace(*edit)
    assert [one.is_as_before for one in report.files] == [False]


def test_settings_written_anew_by_the_harness_lose_exactly_our_hooks(home: Home) -> None:
    home.write(FOREIGN)
    home.install()
    anew = {**json.loads(home.settings.read_text()), "theme": "dark"}
    home.settings.write_text(json.dumps(anew, indent=2))
    home.uninstall()
    assert json.loads(home.settings.read_text()) == {**json.loads(FOREIGN), "theme": "dark"}


def test_a_file_that_we_made_stays_when_something_else_came_into_it(home: Home) -> None:
    home.install()
    home.settings.write_text(json.dumps({**json.loads(home.settings.read_text()), "theme": "dark"}))
    home.uninstall()
    assert json.loads(home.settings.read_text()) == {"theme": "dark"}


def test_registrations_in_other_places_are_undone_too(home: Home, tmp_path: Path) -> None:
    home.install()
    home.env["CLAUDE_CONFIG_DIR"] = str(tmp_path / "elsewhere")
    home.install()
    del home.env["CLAUDE_CONFIG_DIR"]
    assert len(home.uninstall().files) == 2
    assert home.tree() == {}
    assert not (tmp_path / "elsewhere").exists()


def test_without_the_manifest_the_hooks_are_found_all_the_same(home: Home) -> None:
    home.write(FOREIGN)
    home.install()
    manifest.path(home.paths).unlink()
    home.uninstall()
    assert json.loads(home.settings.read_text()) == json.loads(FOREIGN)


@pytest.mark.parametrize("text", ["", "{", '{"version": "x"}', '{"version": 1, "entries": [{}]}', "\xff"])
def test_a_damaged_manifest_is_said_and_does_not_stand_in_the_way(home: Home, text: str) -> None:
    home.write('{"model": "opus"}')
    home.install()
    manifest.path(home.paths).write_bytes(text.encode("latin-1"))
    assert any("damaged" in note for note in home.plan().notes)
    report = home.uninstall()
    assert home.settings.read_text() == '{"model": "opus"}'
    assert any("damaged" in note for note in report.notes)
    assert not manifest.path(home.paths).exists()


def test_the_manifest_of_a_newer_wisen_is_left_to_it(home: Home) -> None:
    home.install()
    manifest.path(home.paths).write_text('{"version": 2, "files": []}')
    before = home.tree()
    for act in (home.install, home.uninstall):
        with pytest.raises(InstallError, match="newer"):
            act()
    assert home.tree() == before


# --- links, rights, races -----------------------------------------------------------------------------------------


def test_linked_settings_stay_linked(home: Home) -> None:
    (home.root / "dotfiles").mkdir()
    (home.root / "dotfiles" / "claude.json").write_text(FOREIGN)
    home.settings.parent.mkdir()
    home.settings.symlink_to("../dotfiles/claude.json")
    before = home.tree()
    assert f"a link to {home.root / 'dotfiles' / 'claude.json'}" in home.plan().describe()[0]
    home.install()
    assert home.settings.is_symlink()
    assert home.standing() == (Standing.CURRENT, "")
    home.uninstall()
    assert home.tree() == before


def test_the_backup_is_private_and_holds_the_file_as_it_was(home: Home) -> None:
    home.write(FOREIGN)
    home.install()
    [backup] = home.paths.backups_dir.iterdir()
    assert backup.read_text() == FOREIGN
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(manifest.path(home.paths).stat().st_mode) == 0o600


def test_the_manifest_tells_what_was_changed(home: Home) -> None:
    home.write(FOREIGN)
    home.install()
    [entry] = manifest.load(home.paths)[0].entries
    assert (entry.harness, entry.file) == ("claude-code", str(home.settings))
    assert entry.sha256_before == files.digest(FOREIGN.encode())
    assert entry.sha256_after == files.digest(home.settings.read_bytes())


def test_settings_that_change_between_plan_and_change_are_left_alone(home: Home) -> None:
    home.write(FOREIGN)
    plan = home.plan()
    home.write(FOREIGN + "\n")
    before = home.tree()
    with pytest.raises(Conflict):
        claude_code.apply(plan)
    assert home.tree() == before


@pytest.mark.parametrize("call", [1, 2, 3])
def test_a_write_that_fails_leaves_the_home_as_it_was(home: Home, call: int) -> None:
    """The backup, the manifest and the settings are written in turn."""
    home.write(FOREIGN)
    before = home.tree()
    real, calls = files.write, iter(range(1, 100))

    def write(snapshot: files.Snapshot, data: bytes) -> None:
        if next(calls) == call:
            raise InstallError("no space left")
        real(snapshot, data)

    with mock.patch("wisen.install.files.write", write), pytest.raises(InstallError, match="no space"):
        home.install()
    assert home.tree() == before


def test_a_crash_between_manifest_and_settings_does_no_harm(home: Home) -> None:
    plan = home.plan()
    files.make_dirs(plan.new_dirs)
    manifest.save(home.paths, manifest.Manifest().with_entry(plan.entry))
    home.write("{}")  # the user's own, made since
    home.install()
    home.uninstall()
    assert home.settings.read_text() == "{}"
    assert home.tree().keys() == {".claude", ".claude/settings.json"}


@pytest.mark.parametrize(
    "text", ["{", '{"hooks": []}', '{"a": 1,}', "// mine\n{}", '{"hooks": {"PreToolUse": {}}}', '["hooks"]']
)
def test_settings_that_can_not_be_edited_safely_are_named_and_left_alone(home: Home, text: str) -> None:
    home.write(text)
    before = home.tree()
    with pytest.raises(InstallError) as caught:
        home.install()
    assert caught.value.message.startswith(f"{home.settings}:1:")
    assert home.tree() == before


def test_settings_that_broke_since_are_left_alone_and_so_is_what_undoing_needs(home: Home) -> None:
    home.write(FOREIGN)
    home.install()
    home.settings.write_bytes(home.settings.read_bytes() + b"}")
    before = home.tree()
    assert home.standing()[0] is Standing.BROKEN
    for _ in range(2):
        report = home.uninstall()
        assert (len(report.files), [error.exit_code for error in report.failures]) == (0, [InstallError.exit_code])
        assert home.tree() == before
    home.settings.write_bytes(home.settings.read_bytes()[:-1])
    assert home.uninstall().failures == ()
    assert home.settings.read_text() == FOREIGN


@pytest.mark.parametrize("broken", ["first", "second"])
def test_one_file_that_broke_is_not_in_the_way_of_the_others(home: Home, tmp_path: Path, broken: str) -> None:
    """Mended, it is undone the next time, and then the home is as it was."""
    places = {"first": home.settings, "second": tmp_path / "elsewhere" / "settings.json"}
    for place in places.values():
        home.env["CLAUDE_CONFIG_DIR"] = str(place.parent)
        home.install()
    del home.env["CLAUDE_CONFIG_DIR"]
    whole = places[broken].read_bytes()
    places[broken].write_bytes(whole + b"// broken")
    report = home.uninstall()
    [failure] = report.failures
    assert str(places[broken]) in failure.message
    assert [one.file for one in report.files] == [place for name, place in places.items() if name != broken]
    assert manifest.names(home.paths, "claude-code"), "the hooks there are registered still"
    places[broken].write_bytes(whole)
    assert home.uninstall().failures == ()
    assert home.tree() == {}
    assert not (tmp_path / "elsewhere").exists()


# --- standing -----------------------------------------------------------------------------------------------------


def test_standing_tells_what_is_wrong(home: Home, tmp_path: Path) -> None:
    assert home.standing() == (Standing.ABSENT, "")
    home.install()
    assert home.standing() == (Standing.CURRENT, "")
    home.env["WISEN_HOME"] = str(tmp_path / "w")
    assert home.standing()[0] is Standing.OUTDATED
    del home.env["WISEN_HOME"]
    home.settings.write_text(home.settings.read_text().replace("{", '{"disableAllHooks": true,', 1))
    assert home.standing() == (Standing.BROKEN, "disableAllHooks is set in the settings")


def test_hooks_without_a_record_are_not_heard_and_installing_records_them(home: Home) -> None:
    """The state directory was deleted, or the settings came from another computer."""
    home.write(FOREIGN)
    home.install()
    registered = home.settings.read_bytes()
    shutil.rmtree(home.paths.state_dir)
    standing, reason = home.standing()
    assert standing is Standing.BROKEN
    assert str(manifest.path(home.paths)) in reason
    assert any("record" in line for line in home.plan().describe())
    home.install()
    assert home.settings.read_bytes() == registered
    assert home.standing() == (Standing.CURRENT, "")
    assert not home.plan().is_needed
    home.uninstall()
    assert json.loads(home.settings.read_text()) == json.loads(FOREIGN)


def test_the_manifest_tells_whose_hooks_are_heard(home: Home) -> None:
    assert not manifest.names(home.paths)
    home.install()
    assert manifest.names(home.paths)
    assert manifest.names(home.paths, "claude-code")
    assert not manifest.names(home.paths, "another")
    manifest.path(home.paths).write_text("damaged")
    assert manifest.names(home.paths, "another"), "who uninstalls leaves none: somebody is registered"
    home.uninstall()
    assert not manifest.names(home.paths)


def test_hooks_of_an_older_form_are_outdated_and_renewed(home: Home) -> None:
    """They fix no directory that was not set, and say not for which harness they start the daemon."""
    home.install()
    text = home.settings.read_text()
    home.settings.write_text(text.replace("XDG_STATE_HOME='' ", "").replace(" --for claude-code", ""))
    assert home.standing()[0] is Standing.OUTDATED
    home.install()
    assert home.settings.read_text() == text


def test_an_environment_that_was_removed_is_a_broken_standing(home: Home) -> None:
    home.install()
    home.hook.unlink()
    standing, reason = home.standing()
    assert standing is Standing.BROKEN
    assert str(home.hook) in reason


def test_without_claude_code_the_hooks_wait_for_it(home: Home) -> None:
    assert any("no Claude Code here" in note for note in home.plan().notes)
    home.settings.parent.mkdir()
    assert not any("no Claude Code here" in note for note in home.plan().notes)


def test_a_hook_that_could_not_run_is_not_registered(home: Home) -> None:
    home.hook.unlink()
    with pytest.raises(InstallError, match="can't be run"):
        home.install()
    with pytest.raises(InstallError, match="can't be run"):
        claude_code.plan(home.env, home.paths, Path("python3"), home.hook)
    assert home.tree() == {}


def test_the_shipped_hook_is_where_it_is_looked_for(home: Home) -> None:
    assert os.access(claude_code.HOOK, os.R_OK)
    assert claude_code.plan(home.env, home.paths).is_needed
