from __future__ import annotations

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import FakeDaemon, Wisen
from wisen.config import FIELDS


@pytest.fixture
def file(home: Path) -> Path:
    (home / "wisen").mkdir(parents=True)
    return home / "wisen" / "config.toml"


def test_config_shows_every_setting_and_where_it_comes_from(wisen: Wisen, file: Path) -> None:
    file.write_text("learn_headless = true\n")
    rows = [row.split("\t")[:3] for row in wisen("config", WISEN_USER_PROMPT_CHARS="500").out.splitlines()]
    assert [row[0] for row in rows[1:]] == list(FIELDS)
    assert ["learn_headless", "true", "file"] in rows
    assert ["user_prompt_chars", "500", "WISEN_USER_PROMPT_CHARS"] in rows
    assert ["recall", "true", "default"] in rows


@pytest.mark.parametrize("flag", [[], ["--explain"]])
def test_config_fits_a_small_terminal(wisen: Wisen, flag: list[str]) -> None:
    for width in (80, 60):
        *table, _file = wisen("config", "show", *flag, terminal=True, width=width).out.splitlines()
        assert all(len(line) <= width for line in table)


def test_the_meaning_of_a_setting_stands_below_it(wisen: Wisen, file: Path) -> None:
    file.write_text("learn = false\n")
    out = wisen("config", "show", "--explain", terminal=True).out
    assert out.splitlines()[:4] == snapshot(
        [
            "recall = true",
            "    Give memories back to the agent.",
            "learn = false  (file)",
            "    Learn from sessions; without it, what was learned before is still recalled.",
        ]
    )
    header = wisen("config", "show", "--explain").out.splitlines()[0]
    assert header.split("\t") == ["setting", "value", "from", "meaning"]


def test_config_as_json_keeps_the_types(wisen: Wisen, file: Path) -> None:
    file.write_text('exclude = ["~/x"]\nupstreams = {"github.com/me/w" = "github.com/acme/w"}\n')
    found = {item["name"]: item["value"] for item in json.loads(wisen("config", "--json").out)}
    assert (found["exclude"], found["upstreams"]) == (["~/x"], {"github.com/me/w": "github.com/acme/w"})


def test_set_keeps_comments_and_what_else_there_is(wisen: Wisen, file: Path) -> None:
    file.write_text("# mine\nlearn = true  # always\n\n[upstreams]\n'github.com/me/w' = 'github.com/acme/w'\n")
    assert wisen("config", "set", "recall", "false").code == 0
    assert wisen("config", "set", "exclude", "~/secret, /srv/*").code == 0
    assert file.read_text() == snapshot("""\
# mine
learn = true  # always
recall = false
exclude = ["~/secret", "/srv/*"]

[upstreams]
'github.com/me/w' = 'github.com/acme/w'
""")
    assert wisen("config", "get", "exclude").out == "~/secret, /srv/*\n"
    assert (
        wisen("config", "get", "learn", "--json").out
        == json.dumps({"name": "learn", "value": True, "origin": str(file)}, indent=2) + "\n"
    )


def test_what_is_to_be_excluded_can_be_written_as_a_list(wisen: Wisen, file: Path) -> None:
    assert wisen("config", "set", "exclude", '["/home/me/clients/*", "/a, b"]').code == 0
    assert file.read_text() == 'exclude = ["/home/me/clients/*", "/a, b"]\n'
    assert wisen("config", "get", "exclude").out == '["/home/me/clients/*", "/a, b"]\n'
    assert wisen("config", "set", "exclude", "/a", "/b", "~/c").code == 0
    assert wisen("config", "get", "exclude").out == "/a, /b, ~/c\n"
    assert wisen("config", "set", "exclude", "[/a]").code == 7
    assert wisen("config", "set", "learn", "yes", "no").code == 7
    assert file.read_text() == 'exclude = ["/a", "/b", "~/c"]\n'


def test_one_entry_of_a_table_is_set_and_taken_out_by_its_name(wisen: Wisen, file: Path) -> None:
    name = "upstreams.github.com/me/widgets"
    assert wisen("config", "set", name, "github.com/acme/widgets").out.startswith(f"{name} = github.com/acme/widgets")
    assert wisen("config", "set", "upstreams.github.com/me/w2", "github.com/acme/w2").code == 0
    assert file.read_text() == snapshot("""\
[upstreams]
"github.com/me/widgets" = "github.com/acme/widgets"
"github.com/me/w2" = "github.com/acme/w2"
""")
    for wrong in (["upstreams.bad", "github.com/a/b"], [name, "github.com/a/b", "github.com/a/c"], ["learn.x", "true"]):
        assert wisen("config", "set", *wrong).code == 7
    assert wisen("config", "unset", "upstreams.github.com/me/w2").code == 0
    assert "was not set" in wisen("config", "unset", "upstreams.github.com/me/w2").out
    assert file.read_text() == '[upstreams]\n"github.com/me/widgets" = "github.com/acme/widgets"\n'
    assert wisen("config", "unset", name).code == 0
    assert file.read_text() == ""


def test_set_makes_the_file_for_its_owner_only(wisen: Wisen, home: Path) -> None:
    assert wisen("config", "set", "retention_days", "7").code == 0
    file = home / "wisen" / "config.toml"
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("retention_days = 7\n", 0o600)


def test_set_says_when_it_holds_and_what_wins(wisen: Wisen) -> None:
    ran = wisen("config", "set", "learn", "false", WISEN_LEARN="1")
    assert ran.out == snapshot("""\
learn = false
WISEN_LEARN is set in this shell and wins over the file.
The running daemon was restarted, so it holds at once.
""")


def test_set_follows_a_link_and_keeps_the_mode(wisen: Wisen, file: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("")
    kept.chmod(0o644)
    file.symlink_to(kept)
    assert wisen("config", "set", "debug", "true").code == 0
    assert file.is_symlink()
    assert (kept.read_text(), kept.stat().st_mode & 0o777) == ("debug = true\n", 0o644)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recal", "true"),
        ("recall", "perhaps"),
        ("session_start_chars", "9001"),
        ("harness", "opencode"),
        ("upstreams", "github.com/a/b"),
        ("user_id", "a/b"),
    ],
)
def test_a_wrong_setting_changes_nothing(wisen: Wisen, home: Path, name: str, value: str) -> None:
    ran = wisen("config", "set", name, value)
    assert (ran.code, ran.out, home.exists()) == (7, "", False)
    assert name in ran.err


def test_a_damaged_file_is_never_written_over(wisen: Wisen, file: Path) -> None:
    file.write_text("learn = = true\n")
    for command in (["set", "recall", "true"], ["unset", "recall"], ["show"]):
        ran = wisen("config", *command)
        assert ran.code == 7
        assert str(file) in ran.err
    assert file.read_text() == "learn = = true\n"


def test_a_file_that_is_no_file_is_an_error(wisen: Wisen, file: Path) -> None:
    file.mkdir()
    assert wisen("config", "set", "recall", "true").code == 7
    assert wisen("config", "show").code == 7


def test_unset_goes_back_to_the_default_and_takes_out_strangers(wisen: Wisen, file: Path) -> None:
    file.write_text("debug = true\nrecal = 1\n")
    assert wisen("config", "show").code == 7
    assert wisen("config", "unset", "recal").code == 0
    assert json.loads(wisen("config", "unset", "debug", "--json").out)["removed"] is True
    assert file.read_text() == ""
    assert wisen("config", "unset", "debug").out == f"debug was not set in {file}\n"


def test_an_empty_list_is_said_to_be_empty(wisen: Wisen) -> None:
    assert wisen("config", "set", "exclude", "").out.startswith("exclude = (empty)\n")
    assert wisen("config", "get", "exclude").out == "\n"


def test_get_of_an_unknown_name_says_what_was_meant(wisen: Wisen) -> None:
    ran = wisen("config", "get", "lern")
    assert ran.code == 3
    assert "did you mean learn" in ran.err


def test_config_starts_no_daemon_where_none_runs(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.is_running = False
    assert json.loads(wisen("config", "set", "recall", "false", "--json").out)["daemon_restarted"] is False
    wisen("config", "unset", "recall")
    wisen("config")
    assert (daemon.asked, daemon.started) == ([], [])


@pytest.mark.parametrize("command", [["set", "recall", "false"], ["unset", "learn"]])
def test_a_change_reaches_a_running_daemon_at_once(
    daemon: FakeDaemon, wisen: Wisen, file: Path, command: list[str]
) -> None:
    file.write_text("learn = false\n")
    assert wisen("config", *command).out.endswith("The running daemon was restarted, so it holds at once.\n")
    assert (daemon.stopped, daemon.started) == (1, [True, True])


def test_what_was_not_set_restarts_nothing(daemon: FakeDaemon, wisen: Wisen, file: Path) -> None:
    wisen("config", "unset", "learn")
    assert daemon.stopped == 0


def test_a_change_that_leaves_the_settings_refused_says_so(daemon: FakeDaemon, wisen: Wisen, file: Path) -> None:
    file.write_text("recal = 1\n")
    daemon.answers["GET /v1/status"] = {
        "version": "0.1.0",
        "pid": 1,
        "settings_refused": True,
        "problems": ["no setting is called 'recal'"],
    }
    assert "! settings refused: nothing is learned" in wisen("config", "set", "learn", "false").out


# --- in an editor -----------------------------------------------------------------------------------------------


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """What the person makes of the file, one text an opening; None leaves the editor without saving."""
    texts: list[str | None] = []
    monkeypatch.setattr("click.edit", lambda text, extension: texts.pop(0))
    return texts


@pytest.mark.row("H15")
def test_what_is_edited_holds_only_once_all_of_it_is_right(
    daemon: FakeDaemon, wisen: Wisen, file: Path, editor: list[str | None]
) -> None:
    file.write_text("# mine\nlearn = true\n")
    editor += ["learn = perhaps\n", "lern = false\n", "# mine\nlearn = false\n"]
    ran = wisen("config", "edit", terminal=True, types="\ny\n", EDITOR="ed")
    assert ran.code == 0, ran.err
    assert ran.out.count("! ") == 2
    assert file.read_text() == "# mine\nlearn = false\n"
    assert daemon.stopped == 1


@pytest.mark.parametrize(
    ("typed", "answer"),
    [([None], ""), (["learn = true\n"], ""), (["nonsense"], "n\n")],
    ids=["left", "same", "given up"],
)
def test_an_edit_that_is_given_up_changes_nothing(
    daemon: FakeDaemon, wisen: Wisen, file: Path, editor: list[str | None], typed: list[str | None], answer: str
) -> None:
    file.write_text("learn = true\n")
    editor += typed
    ran = wisen("config", "edit", terminal=True, types=answer, EDITOR="ed")
    assert "Nothing was changed" in ran.out
    assert (file.read_text(), daemon.stopped) == ("learn = true\n", 0)


def test_without_a_person_a_wrong_edit_is_an_error_and_without_an_editor_there_is_none(
    wisen: Wisen, file: Path, editor: list[str | None]
) -> None:
    editor.append("lern = false\n")
    assert wisen("config", "edit", EDITOR="ed").code == 7
    assert not file.exists()
    assert wisen("config", "edit").code == 2


def test_a_broken_file_can_be_mended_in_the_editor(wisen: Wisen, file: Path, editor: list[str | None]) -> None:
    file.write_text("learn = = true\n")
    editor.append("learn = true\n")
    assert wisen("config", "edit", EDITOR="ed", terminal=True).code == 0
    assert file.read_text() == "learn = true\n"


# --- exclude ----------------------------------------------------------------------------------------------------


def test_exclude_adds_and_takes_off_and_keeps_what_else_there_is(wisen: Wisen, file: Path, daemon: FakeDaemon) -> None:
    file.write_text('# mine\nexclude = [\n  "~/clients",  # under contract\n]\nlearn = true\n')
    said = wisen("exclude", "/srv/*", "~/clients/").out
    assert said.splitlines() == [
        "/srv/*: excluded from now on; `wisen exclude --remove` undoes it",
        "~/clients: is on the list already",
    ]
    assert "under contract" in file.read_text()
    assert wisen("exclude", "--list").out == wisen("exclude").out == "~/clients\n/srv/*\n"
    assert json.loads(wisen("exclude", "--remove", "/srv/*", "--json").out)["exclude"] == ["~/clients"]
    assert "under contract" in file.read_text()
    said = wisen("exclude", "--remove", "~/clients").out
    assert said == "~/clients: off the list; wisen may learn and recall there again\nNo directory is excluded.\n"
    assert file.read_text() == "# mine\nlearn = true\n"
    assert (daemon.stopped, daemon.started) == (0, [])


def test_a_directory_that_is_there_may_be_named_as_it_is_called(
    wisen: Wisen, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / "a[b]"
    odd.mkdir()
    monkeypatch.chdir(tmp_path)
    assert wisen("exclude", "a[b]").out.startswith(f"{tmp_path}/a[[]b]: excluded from now on")
    monkeypatch.chdir(odd)
    assert wisen("exclude", "--remove", ".").out.endswith("No directory is excluded.\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["nowhere"], 2), (["--remove"], 2), (["--list", "/a"], 2), (["--remove", "/b"], 3)],
)
def test_what_makes_no_sense_to_exclude_is_refused(wisen: Wisen, file: Path, arguments: list[str], code: int) -> None:
    file.write_text('exclude = ["/a"]\n')
    assert wisen("exclude", *arguments).code == code
    assert file.read_text() == 'exclude = ["/a"]\n'


def test_an_agent_may_add_to_the_list_and_take_nothing_off(wisen: Wisen, file: Path) -> None:
    assert wisen("exclude", "/a", CLAUDECODE="1").code == 0
    assert wisen("exclude", "--remove", "/a", CLAUDECODE="1").code == 5
    assert file.read_text() == 'exclude = ["/a"]\n'


@pytest.mark.parametrize("glob", ["/", "~", "~/", "*", "/*", "~/*", "HOME", "ABOVE", "ABOVE/*"])
def test_an_agent_does_not_exclude_all_there_is(wisen: Wisen, file: Path, home: Path, glob: str) -> None:
    glob = glob.replace("HOME", str(home)).replace("ABOVE", str(home.parent))
    said = wisen("exclude", "/srv/secret", glob, CLAUDECODE="1")
    assert (said.code, file.exists()) == (5, False)
    assert said.err.startswith("error: an agent may not exclude")
    assert wisen("exclude", f"{home}/clients/*", "~/work", CLAUDECODE="1").code == 0
    assert wisen("exclude", glob).code == 0, "its user may"
