from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from wisen.config import Paths
from wisen.config import paths as paths_of
from wisen.errors import InstallError
from wisen.install import manifest, opencode
from wisen.install.plan import Standing

PYTHON = Path(sys.executable)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    return {"HOME": str(tmp_path / "home"), "PATH": ""}


@pytest.fixture
def paths(env: dict[str, str]) -> Paths:
    return paths_of(env, platform="linux")


def install(env: dict[str, str], paths: Paths) -> None:
    opencode.apply(opencode.plan(env, paths, PYTHON))


def tree(env: dict[str, str]) -> dict[str, bytes | None]:
    home = Path(env["HOME"])
    return {str(one.relative_to(home)): one.read_bytes() if one.is_file() else None for one in sorted(home.rglob("*"))}


def fixed(env: dict[str, str]) -> dict[str, object]:
    """What the installation has fixed in the plugin."""
    source = opencode.plugin_file(env).read_text()
    found: dict[str, object] = json.JSONDecoder().raw_decode(source.partition("const WISEN = ")[2])[0]
    return found


def test_one_file_is_added_and_goes_again(env: dict[str, str], paths: Paths) -> None:
    folder = Path(env["HOME"]) / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text('// mine\n{"model": "x"}\n')
    before = tree(env)
    install(env, paths)
    assert opencode.plugin_file(env) == folder / "plugins" / "wisen.js"
    added = {name for name in tree(env).keys() - before.keys() if ".config/opencode" in name}
    assert added == {".config/opencode/plugins", ".config/opencode/plugins/wisen.js"}
    assert manifest.names(paths, "opencode")
    assert opencode.status(env, paths, PYTHON).standing is Standing.CURRENT
    assert not opencode.plan(env, paths, PYTHON).is_needed
    report = opencode.uninstall(env, paths)
    assert [(one.is_deleted, one.is_as_before) for one in report.files] == [(True, True)]
    assert tree(env) == before


def test_the_places_of_the_installation_are_fixed_in_it(env: dict[str, str], paths: Paths) -> None:
    install(env, paths)
    held = fixed(env)
    assert held["socket"] == str(paths.socket)
    assert held["installed"] == str(manifest.path(paths))
    assert held["daemon"] == [str(PYTHON), "-I", "-m", "wisen.daemon", "--for", "opencode"]
    server = held["server"]
    assert isinstance(server, dict)
    assert server["command"][-2:] == ["--harness", "opencode"]


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"XDG_CONFIG_HOME": "{home}/xdg"}, "xdg/opencode/plugins/wisen.js"),
        ({"OPENCODE_CONFIG_DIR": "{home}/own", "XDG_CONFIG_HOME": "{home}/xdg"}, "own/plugins/wisen.js"),
    ],
)
def test_it_lies_where_this_users_opencode_looks(env: dict[str, str], more: dict[str, str], place: str) -> None:
    env |= {name: value.format(home=env["HOME"]) for name, value in more.items()}
    assert opencode.plugin_file(env) == Path(env["HOME"]) / place


def test_a_file_of_somebody_elses_is_left_alone(env: dict[str, str], paths: Paths) -> None:
    file = opencode.plugin_file(env)
    file.parent.mkdir(parents=True)
    file.write_text("export const Mine = async () => ({})\n")
    with pytest.raises(InstallError, match="is not wisen's"):
        opencode.plan(env, paths, PYTHON)
    opencode.uninstall(env, paths)
    assert file.read_text().startswith("export const Mine")
    assert opencode.status(env, paths, PYTHON).standing is Standing.ABSENT


def test_an_older_one_is_renewed(env: dict[str, str], paths: Paths) -> None:
    install(env, paths)
    file = opencode.plugin_file(env)
    file.write_text(file.read_text().replace("const LIMIT = 250", "const LIMIT = 200"))
    assert opencode.status(env, paths, PYTHON).standing is Standing.OUTDATED
    assert "renew the plugin" in "\n".join(opencode.plan(env, paths, PYTHON).describe())
    install(env, paths)
    assert opencode.status(env, paths, PYTHON).standing is Standing.CURRENT


def test_one_that_no_record_tells_of_is_not_heard_and_is_recorded(env: dict[str, str], paths: Paths) -> None:
    install(env, paths)
    manifest.path(paths).unlink()
    assert opencode.status(env, paths, PYTHON).standing is Standing.BROKEN
    install(env, paths)
    assert opencode.status(env, paths, PYTHON).standing is Standing.CURRENT


def test_an_interpreter_that_is_gone_is_refused(env: dict[str, str], paths: Paths) -> None:
    with pytest.raises(InstallError, match="can't be run"):
        opencode.plan(env, paths, Path("/nowhere/python"))


def test_the_plugin_imports_nothing_and_wraps_every_hook(env: dict[str, str], paths: Paths) -> None:
    source = opencode.plugin_source(env, paths, PYTHON).decode()
    assert "import " not in "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("//"))
    assert "require(" not in source
    hooks = source[source.index("  return {\n    event:") :]
    for line in hooks.splitlines():
        name = line.strip().partition(":")[0]
        if line.startswith("    ") and not line.startswith("     ") and "async" in line:
            assert "quietly(async" in line, name
