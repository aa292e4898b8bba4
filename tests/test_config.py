from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.config import (
    FIELDS,
    SOCKET_PATH_MAX_BYTES,
    Paths,
    Settings,
    entry_of,
    explain_settings,
    home_dir,
    load_settings,
    parsed,
    paths,
)
from wisen.errors import SettingsError, Unsupported


@pytest.fixture
def where(tmp_path: Path) -> Paths:
    return paths({"WISEN_HOME": str(tmp_path)})


def written(where: Paths, text: str) -> Paths:
    where.config_file.write_text(text)
    return where


# --- files


def test_with_a_home_of_its_own_everything_is_below_it() -> None:
    where = paths({"WISEN_HOME": "/srv/w", "HOME": "/home/dev", "XDG_DATA_HOME": "/elsewhere"})
    assert where.config_file == Path("/srv/w/config.toml")
    assert where.graphs_dir == Path("/srv/w/data/graphs")
    assert where.control_file == Path("/srv/w/data/control.db")
    assert where.socket == Path("/srv/w/state/run/wisen.sock")
    assert {where.lock_file.parent, where.log_file.parent, where.spool_dir.parent, where.backups_dir.parent} == {
        Path("/srv/w/state")
    }


def test_on_linux_the_xdg_directories_hold_it() -> None:
    where = paths({"HOME": "/home/dev", "XDG_STATE_HOME": "/var/dev", "XDG_DATA_HOME": "relative"}, platform="linux")
    assert where.config_file == Path("/home/dev/.config/wisen/config.toml")
    assert where.data_dir == Path("/home/dev/.local/share/wisen")  # a relative value is ignored, as XDG has it
    assert where.state_dir == Path("/var/dev/wisen")


def test_on_a_mac_application_support_holds_it() -> None:
    where = paths({"HOME": "/Users/dev", "XDG_DATA_HOME": "/ignored"}, platform="darwin")
    support = Path("/Users/dev/Library/Application Support/wisen")
    assert (where.config_file.parent, where.data_dir, where.state_dir) == (support, support / "data", support / "state")


def test_windows_is_pointed_to_wsl() -> None:
    with pytest.raises(Unsupported) as caught:
        paths({"HOME": "C:/Users/dev"}, platform="win32")
    assert "WSL" in caught.value.hint


def test_a_relative_home_is_refused_since_hooks_run_elsewhere() -> None:
    with pytest.raises(SettingsError, match="WISEN_HOME"):
        paths({"WISEN_HOME": "here"})


def test_a_tilde_that_no_shell_replaced_is_the_home() -> None:
    assert paths({"WISEN_HOME": "~/w", "HOME": "/home/dev"}).data_dir == Path("/home/dev/w/data")


@given(st.integers(1, 300))
def test_no_socket_path_is_longer_than_a_mac_can_bind(length: int) -> None:
    where = paths({"WISEN_HOME": "/" + "ü" * length})
    assert len(os.fsencode(where.socket)) <= SOCKET_PATH_MAX_BYTES
    assert where.socket.parent == where.run_dir


def test_two_long_homes_have_two_sockets() -> None:
    one, other = (paths({"WISEN_HOME": f"/{'x' * 120}/{n}"}) for n in "ab")
    assert one.socket != other.socket
    assert one.run_dir.parent == Path("/tmp")


def test_without_home_in_the_environment_the_password_database_knows_it() -> None:
    assert home_dir({"HOME": "/home/dev"}) == Path("/home/dev")
    assert home_dir({}).is_absolute()


# --- settings


def test_without_a_file_the_defaults_hold(where: Paths) -> None:
    assert load_settings(where, {}) == Settings()


def test_the_later_layer_wins(where: Paths) -> None:
    written(where, "user_prompt_chars = 1\nsub_task_chars = 2\nmemory_chars = 300\n")
    env = {"WISEN_SUB_TASK_CHARS": "3", "WISEN_MEMORY_CHARS": "301"}
    found = load_settings(where, env, {"memory_chars": 302})
    assert (found.session_start_chars, found.user_prompt_chars, found.sub_task_chars, found.memory_chars) == (
        2000,
        1,
        3,
        302,
    )
    origins = {value.name: value.origin for value in explain_settings(where, env, {"memory_chars": 302})}
    assert origins["session_start_chars"] == "default"
    assert origins["user_prompt_chars"] == str(where.config_file)
    assert origins["sub_task_chars"] == "WISEN_SUB_TASK_CHARS"
    assert origins["memory_chars"] == "flag"


def test_every_setting_can_stand_in_the_file_as_it_is_by_default(where: Paths) -> None:
    import tomlkit

    written(where, tomlkit.dumps({field.name: field.default for field in FIELDS.values()}))
    assert load_settings(where, {}) == Settings()


def test_a_file_with_a_byte_order_mark_is_read(where: Paths) -> None:
    where.config_file.write_bytes(b"\xef\xbb\xbflearn = false\n")
    assert load_settings(where, {}).learn is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("recal = true", "'recal'"),
        ("recall = 1", "recall = 1 is not true or false"),
        ("session_start_chars = 9001", "9001 is not a whole number, 0 to 9000"),
        ("session_start_chars = '2000'", "'2000' is not a whole number"),
        ("user_prompt_min_confidence = 1.1", "1.1 is not a number, 0 to 1"),
        ("user_prompt_min_confidence = nan", "nan is not a number, 0 to 1"),
        ("retention_days = 0", "0 is not a whole number, at least 1"),
        ("exclude = 'x'", "'x' is not a list of globs"),
        ("exclude = ['']", "is not a list of globs"),
        ("exclude = ['clients/*']", "is not a list of globs that begin with /, ~/ or *"),
        ("user_id = 'a/b'", "'a/b' is not a name"),
        ("[upstreams]\n'acme/widgets' = 'github.com/a/b'", "is not a table of host/owner/repo"),
        ("[tool_recall]\n'pytest(' = 'tests'", "'pytest(' is no regular expression"),
        ("tool_recall = ['pytest']", "is not a table of regular expression = words"),
        ("learn = = 1", "not valid TOML"),
    ],
)
def test_a_wrong_file_names_the_key_the_value_and_what_is_expected(where: Paths, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(written(where, text), {})
    assert str(where.config_file) in caught.value.message
    assert said in caught.value.message


@pytest.mark.row("D3")
def test_the_map_of_commands_is_empty_by_default_and_keeps_its_order(where: Paths) -> None:
    assert load_settings(where, {}).tool_recall == {}
    text = "[tool_recall]\n'z\\d' = 'one'\n'(?i)a' = 'two'\n'm' = 'three'"
    assert list(load_settings(written(where, text), {}).tool_recall) == [r"z\d", "(?i)a", "m"]


def test_an_unknown_key_comes_with_what_may_be_meant(where: Paths) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(written(where, "session_start_char = 1"), {})
    assert "session_start_chars" in caught.value.hint


def test_a_long_value_is_not_repeated_whole(where: Paths) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(written(where, f"learn = '{'x' * 5000}'"), {})
    assert len(caught.value.message) < 400 + len(str(where.config_file))


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_file_that_cannot_be_read_is_an_error_and_not_a_default(where: Paths, content: bytes | None) -> None:
    if content is None:
        where.config_file.mkdir()
    else:
        where.config_file.write_bytes(content)
    with pytest.raises(SettingsError, match="can't be read"):
        load_settings(where, {})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("learn", "0", False),
        ("learn", "TRUE", True),
        ("prompt_min_chars", "12", 12),
        ("sub_task_min_confidence", "0.75", 0.75),
        ("exclude", "/a, /b/*", ("/a", "/b/*")),
        ("exclude", '["/home/me/clients/*"]', ("/home/me/clients/*",)),
        ("exclude", """ [ '/a, b', "~/c" ] """, ("/a, b", "~/c")),
        ("exclude", '"/a, b", "/c"', ("/a, b", "/c")),
        ("exclude", "[]", ()),
        ("upstreams", '{"github.com/me/w" = "github.com/acme/w"}', {"github.com/me/w": "github.com/acme/w"}),
        ("upstreams", '"github.com/me/w" = "github.com/acme/w"', {"github.com/me/w": "github.com/acme/w"}),
        (
            "upstreams",
            "git.acme.dev:8443/g/sub/w = github.com/acme/w",
            {"git.acme.dev:8443/g/sub/w": "github.com/acme/w"},
        ),
    ],
)
def test_text_becomes_the_settings_type(where: Paths, name: str, text: str, value: object) -> None:
    assert parsed(name, text, origin="flag") == value
    found = {item.name: item.value for item in explain_settings(where, {f"WISEN_{name.upper()}": text})}
    assert found[name] == value


@pytest.mark.parametrize(
    "text", ["[/a]", '["/a"', '"/a', "['/a'] # \n[upstreams]", "clients/*", "[ab]*/x", "~other", "'clients/*'", "[1]"]
)
def test_a_text_that_would_exclude_nothing_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        parsed("exclude", text, origin="flag")


def test_a_list_takes_several_texts() -> None:
    assert parsed("exclude", "/a", "~/b,/c", "['/d, e']", origin="flag") == ("/a", "~/b", "/c", "/d, e")
    with pytest.raises(SettingsError, match="'1 2' is not a whole number"):
        parsed("retention_days", "1", "2", origin="flag")


def test_one_entry_of_a_table_has_a_name() -> None:
    assert entry_of("upstreams.github.com/me/w") == ("upstreams", "github.com/me/w")
    assert entry_of("upstreams") == ("upstreams", "")
    assert entry_of("exclude.x") == ("exclude.x", "")


def test_an_empty_variable_says_nothing(where: Paths) -> None:
    assert load_settings(where, {"WISEN_LEARN": ""}).learn is True


def test_a_wrong_variable_is_named(where: Paths) -> None:
    with pytest.raises(SettingsError, match="WISEN_LEARN: learn = 'maybe' is not true or false"):
        load_settings(where, {"WISEN_LEARN": "maybe"})


@pytest.mark.row("A5")
@pytest.mark.parametrize(
    "text",
    [
        "harness = 'opencode'",
        "graph = 'repo://opencode/github.com/acme/widgets'",
        "user_id = 'opencode/dev'",
        "user_id = 'user://opencode'",
        "[upstreams]\n'github.com/me/w' = 'repo://opencode/github.com/acme/w'",
        "[upstreams]\n'repo://opencode/github.com/me/w' = 'github.com/acme/w'",
    ],
)
def test_no_setting_can_name_a_harness(where: Paths, text: str) -> None:
    with pytest.raises(SettingsError):
        load_settings(written(where, text), {})


def test_excluded_directories_come_with_the_home_in_place_of_the_tilde(where: Paths) -> None:
    written(where, "exclude = ['~/secret/', '/srv/clients/*', '*/private', '~']")
    found = load_settings(where, {"HOME": "/home/dev"})
    assert found.exclude == ("/home/dev/secret", "/srv/clients/*", "*/private", "/home/dev")
    assert [value.value for value in explain_settings(where, {}) if value.name == "exclude"] == [
        ("~/secret/", "/srv/clients/*", "*/private", "~")
    ]


# --- documentation


def test_every_setting_has_a_sentence_and_a_form() -> None:
    assert set(FIELDS) == set(Settings.__struct_fields__)
    for field in FIELDS.values():
        assert field.description.endswith(".")
        assert field.expected
