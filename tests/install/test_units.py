"""What makes the system start the daemon: checked by systemd itself, and against launchd's documented keys."""

from __future__ import annotations

import os
import plistlib
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wisen.config import Paths, paths
from wisen.errors import Conflict, InstallError, Unsupported
from wisen.install import claude_code, manifest, units

SYSTEMD = shutil.which("systemd-analyze")
ODD = "o dd/$x ${HOME} %h '\"q\\ ü"

# launchd.plist(5): the keys that are used here, and their types.
LAUNCHD = {
    "Label": str,
    "ProgramArguments": list,
    "EnvironmentVariables": dict,
    "WorkingDirectory": str,
    "RunAtLoad": bool,
    "KeepAlive": dict,  # or bool; as a dictionary: SuccessfulExit, Crashed, ... are booleans
    "ThrottleInterval": int,
    "ProcessType": str,  # Background, Standard, Adaptive or Interactive
    "Umask": int,
    "ExitTimeOut": int,
}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "WISEN_HOME": str(tmp_path / "w"), "PATH": os.environ["PATH"]}


@pytest.fixture
def where(env: dict[str, str]) -> Paths:
    return paths(env)


def an_interpreter(directory: Path) -> str:
    """Return a program of that place that prints its arguments, one a line."""
    directory.mkdir(parents=True)
    program = directory / "py"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$0" "$@"\n')
    program.chmod(0o755)
    return str(program)


def tree(root: Path) -> dict[str, Any]:
    found = {}
    for path in sorted(root.rglob("*")):
        content = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(root))] = (stat.S_IMODE(path.lstat().st_mode), content)
    return found


# --- systemd ----------------------------------------------------------------------------------------------------


def verified(unit: units.Unit, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "units" / unit.file.name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(unit.content)
    env = {"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    assert SYSTEMD is not None
    return subprocess.run(
        [SYSTEMD, "--user", "--man=no", "verify", str(file)], env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(SYSTEMD is None, reason="systemd-analyze is not on this machine")
@pytest.mark.parametrize("place", ["plain", "with space", ODD])
def test_systemd_has_nothing_against_the_unit(env: dict[str, str], tmp_path: Path, place: str) -> None:
    python = an_interpreter(tmp_path / place)
    unit = units.unit(env | {"WISEN_HOME": str(tmp_path / place / "home")}, platform="linux", python=python)
    done = verified(unit, tmp_path)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.skipif(SYSTEMD is None, reason="systemd-analyze is not on this machine")
@pytest.mark.parametrize(
    ("right", "wrong"), [("Restart=on-failure", "Restart=perhaps"), ("TasksMax=", "TaskMax="), ('"-I"', '"-I')]
)
def test_systemd_would_have_noticed_a_mistake(env: dict[str, str], tmp_path: Path, right: str, wrong: str) -> None:
    unit = units.unit(env, platform="linux")
    assert right in unit.content.decode()
    broken = unit.content.decode().replace(right, wrong, 1).encode()
    done = verified(units.Unit(file=unit.file, content=broken, enabled=None, starts=(), stops=()), tmp_path)
    assert (done.returncode, done.stderr) != (0, "")


def unquoted(line: str) -> list[str]:
    """Read a line of words as systemd.syntax(7) and systemd.service(5) say: escapes, %% and $$."""
    words: list[str] = []
    word, at, is_open = "", 0, False
    while at < len(line):
        char = line[at]
        if char == '"':
            is_open = not is_open
        elif char == "\\":
            at += 1
            word += line[at]
        elif char in "%$":
            assert line[at + 1] == char
            at += 1
            word += char
        elif char == " " and not is_open:
            words, word = [*words, word], ""
        else:
            word += char
        at += 1
    return [*words, word]


@pytest.mark.parametrize("place", ["plain", "with space", ODD])
def test_the_interpreter_is_run_whatever_its_path_holds(env: dict[str, str], tmp_path: Path, place: str) -> None:
    python = an_interpreter(tmp_path / place)
    unit = units.unit(env, platform="linux", python=python)
    [line] = [one for one in unit.content.decode().splitlines() if one.startswith("ExecStart=")]
    command = unquoted(line.removeprefix("ExecStart="))
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said == [python, "-I", "-m", "wisen.daemon", "--asked"]
    assert command[0] in {python, "/bin/sh"}


def test_the_unit_opens_unix_sockets_alone(env: dict[str, str]) -> None:
    assert b"\nRestrictAddressFamilies=AF_UNIX\n" in units.unit(env, platform="linux").content


def test_the_unit_names_the_places_of_the_installation_and_does_not_loop(env: dict[str, str], tmp_path: Path) -> None:
    text = units.unit(env, platform="linux").content.decode()
    assert f'Environment="WISEN_HOME={tmp_path}/w"' in text
    assert 'Environment="PATH=' in text
    assert "Restart=on-failure" in text
    assert "StartLimitBurst=" in text
    assert "PrivateTmp=" not in text  # the socket may be in /tmp


# --- launchd ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["plain", ODD + "<&>"])
def test_the_launch_agent_has_documented_keys_of_the_documented_types(
    env: dict[str, str], tmp_path: Path, place: str
) -> None:
    python = an_interpreter(tmp_path / place)
    unit = units.unit(env, platform="darwin", python=python)
    said = plistlib.loads(unit.content)
    assert {key: type(value) for key, value in said.items()} == LAUNCHD
    assert said["ProgramArguments"] == [python, "-I", "-m", "wisen.daemon", "--asked"]
    assert {type(value) for value in said["EnvironmentVariables"].values()} == {str}
    assert said["KeepAlive"] == {"SuccessfulExit": False}
    assert said["ProcessType"] in {"Background", "Standard", "Adaptive", "Interactive"}
    assert unit.file == tmp_path / "Library" / "LaunchAgents" / f"{said['Label']}.plist"


def test_other_systems_and_impossible_paths_are_refused(env: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(Unsupported):
        units.unit(env, platform="freebsd14")
    with pytest.raises(InstallError):
        units.unit(env, platform="linux", python=str(tmp_path / "gone"))
    for home in ("/a\nb", "/a\udc80"):
        with pytest.raises(InstallError):
            units.unit(env | {"WISEN_HOME": home}, platform="linux")


# --- in place, and away again -----------------------------------------------------------------------------------


@pytest.fixture(params=["linux", "darwin"])
def unit(request: pytest.FixtureRequest, env: dict[str, str]) -> units.Unit:
    return units.unit(env, platform=request.param)


def test_what_is_installed_is_taken_away_without_a_trace(where: Paths, unit: units.Unit, tmp_path: Path) -> None:
    (tmp_path / ".config").mkdir(mode=0o750)
    before = tree(tmp_path)
    assert units.is_installed(where, unit) == "not installed"
    assert units.install(where, unit) is True
    assert units.install(where, unit) is False
    assert units.is_installed(where, unit) == "installed"
    assert unit.file.read_bytes() == unit.content
    assert unit.enabled is None or unit.enabled.resolve() == unit.file
    assert units.uninstall(where).files == (unit.file,)
    assert tree(tmp_path) == before
    assert units.uninstall(where) == units.Removed()


def test_a_unit_that_the_user_wrote_is_not_touched(where: Paths, unit: units.Unit) -> None:
    unit.file.parent.mkdir(parents=True)
    unit.file.write_text("mine")
    with pytest.raises(Conflict):
        units.install(where, unit)
    assert units.uninstall(where) == units.Removed()
    assert unit.file.read_text() == "mine"


def test_a_link_in_the_units_place_is_not_followed(where: Paths, unit: units.Unit, tmp_path: Path) -> None:
    unit.file.parent.mkdir(parents=True)
    (tmp_path / "target").write_bytes(unit.content)
    unit.file.symlink_to(tmp_path / "target")
    with pytest.raises(Conflict):
        units.install(where, unit)


def test_a_unit_that_was_changed_since_is_left_and_named(where: Paths, unit: units.Unit) -> None:
    units.install(where, unit)
    unit.file.write_text("changed")
    assert units.is_installed(where, unit) == "changed"
    assert units.uninstall(where).left == (unit.file,)
    assert unit.file.read_text() == "changed"
    unit.file.write_bytes(unit.content)
    assert units.uninstall(where).files == (unit.file,)


def test_a_unit_of_another_interpreter_is_renewed(env: dict[str, str], where: Paths, tmp_path: Path) -> None:
    old = units.unit(env, platform="linux", python=an_interpreter(tmp_path / "old"))
    new = units.unit(env, platform="linux")
    units.install(where, old)
    assert units.is_installed(where, new) == "outdated"
    assert units.install(where, new) is True
    assert new.file.read_bytes() == new.content
    assert units.uninstall(where).files == (new.file,)


def test_the_service_goes_with_the_last_harness(env: dict[str, str], where: Paths, unit: units.Unit) -> None:
    claude_code.apply(claude_code.plan(env, where, python=Path(sys.executable)))
    units.install(where, unit)
    assert units.uninstall_with_last(where) == ()
    claude_code.uninstall(env, where)
    assert units.uninstall_with_last(where) == (f"{unit.file}: deleted, as wisen made it",)
    assert not unit.file.exists()
    assert manifest.load(where)[0].entries == ()
