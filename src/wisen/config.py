"""Where wisen keeps its files, and the one declaration of its settings (defaults < user file < environment < flag).

`docs/reference/settings.md` is generated from `Settings`. Nothing here chooses a harness or a graph: the harness
segment of a graph id is the adapter's word, so no setting can point one harness at another's memories.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from wisen import settingfield, settingtext
from wisen.errors import SettingsError, Unsupported
from wisen.settingfield import SettingField

# sun_path holds 104 bytes on macOS and 108 on Linux, the closing NUL among them; one limit for both.
SOCKET_PATH_MAX_BYTES: Final = 100

# Claude Code cuts a hook's additional context at 10,000 characters; what is under 9,000 arrives whole.
HOOK_CONTEXT_MAX_CHARS: Final = 9000


# --- files ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Every file and directory of one user's wisen. Nothing is made here: whoever writes first makes the directory."""

    config_file: Path
    data_dir: Path
    state_dir: Path
    run_dir: Path
    socket: Path
    lock_file: Path
    spool_dir: Path
    log_file: Path
    backups_dir: Path

    @property
    def graphs_dir(self) -> Path:
        """The directory of the graph files."""
        return self.data_dir / "graphs"

    @property
    def data_lock_file(self) -> Path:
        """The lock of the daemon that has these memories open, whichever state directory it was given."""
        return self.data_dir / "daemon.lock"

    @property
    def roots_file(self) -> Path:
        """The cache of root commits: a file that may go at any time."""
        return self.state_dir / "roots.json"

    @property
    def control_file(self) -> Path:
        """The control database."""
        return self.data_dir / "control.db"


def check_platform(platform: str = sys.platform) -> None:
    """Raise Unsupported where wisen can't run."""
    if platform == "win32":
        raise Unsupported(
            "wisen does not run on Windows itself: it needs unix sockets and POSIX hooks",
            hint="run wisen and the agent inside WSL; https://learn.microsoft.com/windows/wsl/install has the steps",
        )


def paths(env: Mapping[str, str], *, platform: str = sys.platform) -> Paths:
    """Return where this user's files are.

    With WISEN_HOME everything is below it; otherwise the platform's user directories (XDG on Linux,
    `~/Library/Application Support` on macOS), read from `env` and never from the process.

    Raises Unsupported on Windows, SettingsError when WISEN_HOME is not absolute.
    """
    check_platform(platform)
    config_dir, data_dir, state_dir = _user_dirs(env, platform)
    run_dir = state_dir / "run"
    socket = run_dir / "wisen.sock"
    if len(os.fsencode(socket)) > SOCKET_PATH_MAX_BYTES:
        run_dir = fallback_dir(state_dir)
        socket = run_dir / "s"
    return Paths(
        config_file=config_dir / "config.toml",
        data_dir=data_dir,
        state_dir=state_dir,
        run_dir=run_dir,
        socket=socket,
        lock_file=state_dir / "daemon.lock",
        spool_dir=state_dir / "spool",
        log_file=state_dir / "daemon.log",
        backups_dir=state_dir / "backups",
    )


def _user_dirs(env: Mapping[str, str], platform: str) -> tuple[Path, Path, Path]:
    """Return the directories of the settings, the data and the state."""
    home = home_dir(env)
    if chosen := env.get("WISEN_HOME"):
        root = Path(_expanded(chosen, home))
        if not root.is_absolute():
            raise SettingsError(
                f"WISEN_HOME is not an absolute path: {chosen}",
                hint="hooks run in other directories than your shell; give the whole path",
            )
        return root, root / "data", root / "state"
    if platform == "darwin":
        root = home / "Library" / "Application Support" / "wisen"
        return root, root / "data", root / "state"
    return (
        _xdg(env, "XDG_CONFIG_HOME", home / ".config"),
        _xdg(env, "XDG_DATA_HOME", home / ".local" / "share"),
        _xdg(env, "XDG_STATE_HOME", home / ".local" / "state"),
    )


def home_dir(env: Mapping[str, str]) -> Path:
    """Return the user's home directory."""
    if home := env.get("HOME"):
        return Path(home)
    import pwd  # noqa: PLC0415 - there is none on Windows, where the message of `paths` must still come

    return Path(pwd.getpwuid(os.getuid()).pw_dir)


def _xdg(env: Mapping[str, str], name: str, default: Path) -> Path:
    """Return one XDG directory. The specification says that a relative value is to be ignored."""
    chosen = Path(env.get(name, ""))
    return (chosen if chosen.is_absolute() else default) / "wisen"


def fallback_dir(state_dir: Path) -> Path:
    """Return the private directory for what can't be in the state directory; one for each.

    The socket is there when its own place has too long a name, and why no daemon starts when nothing can be written.
    """
    mark = sha256(os.fsencode(state_dir)).hexdigest()[:8]
    return Path("/tmp") / f"wisen-{os.getuid()}-{mark}"  # noqa: S108 - TMPDIR is the long path on macOS; ownfiles.make_private_dir verifies


def _expanded(path: str, home: Path) -> str:
    """Return a path with a leading `~` replaced."""
    return f"{home}{path[1:]}" if path == "~" or path.startswith("~/") else path


# --- settings ---------------------------------------------------------------------------------------------------

_RepoPath = Annotated[str, Meta(pattern=r"^[^/:\s]+(:[0-9]+)?(/[^/:\s]+){2,}$")]
_Glob = Annotated[str, Meta(pattern=r"^(/|~/|~$|\*)")]  # any other matches no directory, and would exclude nothing
_BLOCK_CHARS: Final = Meta(ge=0, le=HOOK_CONTEXT_MAX_CHARS)
_CONFIDENCE: Final = Meta(ge=0.0, le=1.0)
_AT_LEAST_1: Final = Meta(ge=1)


def _says(description: str) -> Meta:
    return Meta(description=description)


class Settings(Struct, frozen=True, kw_only=True):
    """What a user may set: in the settings file, or as WISEN_<NAME> in the environment the daemon starts in."""

    recall: Annotated[bool, _says("Give memories back to the agent.")] = True
    learn: Annotated[bool, _says("Learn from sessions; without it, what was learned before is still recalled.")] = True
    learn_headless: Annotated[
        bool, _says("Learn from prompts of scripts and SDK runs as from typed ones; otherwise they wait for review.")
    ] = False
    session_start_chars: Annotated[
        int, _BLOCK_CHARS, _says("Most characters a session start may add to the context, wrapper included; 0: none.")
    ] = 2000
    user_prompt_chars: Annotated[
        int, _BLOCK_CHARS, _says("Most characters a prompt may add to the context, wrapper included; 0: none.")
    ] = 1000
    sub_task_chars: Annotated[
        int, _BLOCK_CHARS, _says("Most characters the start of a sub-task may add, wrapper included; 0: none.")
    ] = 800
    pre_tool_chars: Annotated[
        int, _BLOCK_CHARS, _says("Most characters the recipe before a command may add, wrapper included; 0: none.")
    ] = 400
    pre_tool_most: Annotated[
        int, _AT_LEAST_1, _says("At most so many recipes and places come before the commands of one session.")
    ] = 3
    prompt_items: Annotated[
        int, Meta(ge=1, le=25), _says("At most so many memories come with a prompt or a sub-task.")
    ] = 6
    prompt_recall: Annotated[
        str,
        Meta(pattern=r"^(every|due)$"),
        _says(
            "Which prompts look for memories: `every` one that is long enough, or, `due`, the first, one that asks "
            "about earlier, one on another topic, and one after `prompt_refresh_turns`."
        ),
    ] = "every"
    prompt_refresh_turns: Annotated[
        int, _AT_LEAST_1, _says("With `prompt_recall` = `due`: a prompt so long after the last recall looks again.")
    ] = 10
    tool_family_chars: Annotated[
        int, _BLOCK_CHARS, _says("Most characters that `tool_recall` may add before a command, wrapper included.")
    ] = 800
    memory_chars: Annotated[
        int, Meta(ge=40, le=2000), _says("Most characters of one memory in a block; a longer one is cut.")
    ] = 300
    prompt_min_chars: Annotated[int, _AT_LEAST_1, _says("Shortest prompt, in characters, that looks for memories.")] = (
        30
    )
    session_start_min_confidence: Annotated[
        float, _CONFIDENCE, _says("Lowest confidence that is shown at a session start.")
    ] = 0.5
    user_prompt_min_confidence: Annotated[
        float, _CONFIDENCE, _says("Lowest confidence that is shown with a prompt.")
    ] = 0.6
    sub_task_min_confidence: Annotated[
        float, _CONFIDENCE, _says("Lowest confidence that is shown at the start of a sub-task.")
    ] = 0.6
    pre_tool_min_confidence: Annotated[
        float, _CONFIDENCE, _says("Lowest confidence of a recipe that is shown before its command.")
    ] = 0.6
    tool_family_min_confidence: Annotated[float, _CONFIDENCE, _says("Lowest confidence that `tool_recall` shows.")] = (
        0.6
    )
    tool_recall: Annotated[
        dict[str, str],
        _says(
            "Regular expression = words to look for, before a shell command; matched on the tool's name and the "
            "command, as in `Bash pytest -q`; the first that matches counts; `(?i)` ignores case."
        ),
    ] = msgspec.field(default_factory=dict)
    user_id: Annotated[
        str,
        Meta(pattern=r"^[^/:\s]{0,64}$"),
        _says("Whose personal memories these are; empty: your login name on this computer."),
    ] = ""
    upstreams: Annotated[
        dict[_RepoPath, _RepoPath],
        _says("For a fork without an `upstream` remote: its own `host/owner/repo` = the one whose memories it reads."),
    ] = msgspec.field(default_factory=dict)
    exclude: Annotated[
        tuple[_Glob, ...],
        _says("Directories (globs; `~` is your home) where wisen neither learns nor recalls, nor anywhere below them."),
    ] = ()
    sweep_after_minutes: Annotated[
        int, _AT_LEAST_1, _says("A session that never ended is learned from after this many minutes of silence.")
    ] = 60
    retention_days: Annotated[
        int, _AT_LEAST_1, _says("Raw events are deleted this many days after their session was learned from.")
    ] = 30
    idle_exit_minutes: Annotated[
        int, _AT_LEAST_1, _says("The daemon stops after this many minutes without work; the next session starts it.")
    ] = 30
    secret_scanner: Annotated[
        str,
        Meta(pattern=r"^[^\x00-\x1f]{0,400}$"),
        _says(
            "gitleaks or kingfisher, by name or path: looks for secrets in all that wisen takes in, on this machine; "
            "empty: none."
        ),
    ] = ""
    embedding: Annotated[
        str,
        Meta(pattern=r"^(auto|packaged|endpoint|hashing|off)$"),
        _says(
            "What searches by meaning: `auto` takes the first there is of a named model, your model cache, the "
            "packaged model, a named endpoint and feature hashing; `off`: words alone."
        ),
    ] = "auto"
    embedding_dir: Annotated[
        str,
        Meta(pattern=r"^((/|~/)[^\x00-\x1f]*)?$"),
        _says("Directory with model.onnx and tokenizer.json of a sentence encoder of yours; empty: none."),
    ] = ""
    embedding_url: Annotated[
        str,
        Meta(pattern=r"^(https?://[^\s\x00-\x1f]{1,400})?$"),
        _says(
            "Endpoint with OpenAI's /v1/embeddings, as http://localhost:11434/v1. What is embedded is sent there. "
            "Empty: none, and nothing leaves this machine."
        ),
    ] = ""
    embedding_model: Annotated[
        str, Meta(pattern=r"^[^\x00-\x1f]{0,200}$"), _says("Name of the model at `embedding_url`.")
    ] = ""
    embedding_key_file: Annotated[
        str,
        Meta(pattern=r"^((/|~/)[^\x00-\x1f]*)?$"),
        _says("File whose first line is the key for `embedding_url`; empty: none is sent."),
    ] = ""
    embedding_tokens: Annotated[
        bool,
        _says(
            "Keep what the model makes of each word too, 128 bytes each, of up to 50,000 memories a graph: a better "
            "order among the first hits. Counts for what is embedded from then on."
        ),
    ] = True
    embedding_idle_minutes: Annotated[
        int, _AT_LEAST_1, _says("The model is let go, with its memory, after this many minutes without a search.")
    ] = 10
    mcp_port: Annotated[
        int,
        Meta(ge=0, le=65535),
        _says(
            "Port of 127.0.0.1 where agents reach wisen's tools by MCP over HTTP; the token is in the state directory. "
            "Counts from the daemon's next start, and it does not stop by itself then. 0: none."
        ),
    ] = 0
    debug: Annotated[bool, _says("Write debug lines to the daemon's log.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingValue:
    """One setting as it holds now, and which layer said so: `default`, the file's path, a variable's name or `flag`."""

    name: str
    value: object
    origin: str


def load_settings(paths: Paths, env: Mapping[str, str], overrides: Mapping[str, object] | None = None) -> Settings:
    """Return the settings that hold: defaults, the file over them, then the environment, then `overrides`.

    Raises SettingsError naming the layer, the key, the value and what was expected. Nothing is guessed: one wrong
    value fails all of them, and the caller decides what to run with. In paths, `~` is replaced.
    """
    values = {item.name: item.value for item in explain_settings(paths, env, overrides)}
    found = msgspec.convert(values, Settings)
    home = home_dir(env)
    return msgspec.structs.replace(
        found,
        exclude=tuple(_expanded(glob, home).rstrip("/") for glob in found.exclude),
        embedding_dir=_expanded(found.embedding_dir, home),
        embedding_key_file=_expanded(found.embedding_key_file, home),
    )


def explain_settings(
    paths: Paths, env: Mapping[str, str], overrides: Mapping[str, object] | None = None
) -> tuple[SettingValue, ...]:
    """Return every setting in the order of the declaration, with the layer it comes from. Raises as load_settings."""
    found = {
        field.name: SettingValue(name=field.name, value=field.default, origin="default") for field in FIELDS.values()
    }
    for name, value in _file_values(paths.config_file).items():
        origin = str(paths.config_file)
        found[name] = SettingValue(name=name, value=checked(name, value, origin=origin), origin=origin)
    for field in FIELDS.values():
        if text := env.get(field.env_name, ""):
            value = parsed(field.name, text, origin=field.env_name)
            found[field.name] = SettingValue(name=field.name, value=value, origin=field.env_name)
    for name, value in (overrides or {}).items():
        found[name] = SettingValue(name=name, value=checked(name, value, origin="flag"), origin="flag")
    return tuple(found.values())


def check_text(text: str, *, origin: str) -> None:
    """Raise SettingsError when a text is no settings file, or one of its settings does not hold."""
    for name, value in _toml_values(text, origin).items():
        checked(name, value, origin=origin)


def checked(name: str, value: object, *, origin: str) -> object:
    """Return a setting's value in its type. Raises SettingsError for an unknown name or a wrong value."""
    return _converted(setting_field(name, origin=origin), value, shown=value, strict=True, origin=origin)


def parsed(name: str, *texts: str, origin: str) -> object:
    """Return a setting's value from the text that a variable or the command line gives.

    Lists and tables take several texts, and each may hold several items: separated by commas (`key=value` in tables),
    or as TOML writes them. Raises as `checked`.
    """
    field = setting_field(name, origin=origin)
    shown = " ".join(texts)
    value: object = shown
    try:
        if field.kind == "a list":
            value = [item for text in texts for item in settingtext.items(text)]
        elif field.kind == "a table":
            value = {key: item for text in texts for key, item in settingtext.entries(text).items()}
    except ValueError as error:
        raise SettingsError(f"{origin}: {name} = {shown[:80]!r}: {error}", hint=settingtext.FORMS) from error
    return _converted(field, value, shown=shown, strict=False, origin=origin)


def entry_of(name: str) -> tuple[str, str]:
    """Return (setting, key): `upstreams.host/owner/repo` is one entry of a table. For a whole setting the key is ""."""
    table, _, key = name.partition(".")
    is_entry = key and table in FIELDS and FIELDS[table].kind == "a table"
    return (table, key) if is_entry else (name, "")


def setting_field(name: str, *, origin: str) -> SettingField:
    """Return the declaration of one setting. Raises SettingsError with the names that are near."""
    if field := FIELDS.get(name):
        return field
    near = get_close_matches(name, FIELDS, n=3)
    raise SettingsError(
        f"{origin}: no setting is called {name!r}", hint=f"did you mean {' or '.join(near)}?" if near else ""
    )


def _file_values(file: Path) -> dict[str, object]:
    """Return what the settings file says; an absent file says nothing."""
    try:
        return _toml_values(file.read_text(encoding="utf-8-sig"), str(file))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: can't be read: {error}") from error


def _toml_values(text: str, origin: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{origin}: not valid TOML: {error}") from error


def _converted(field: SettingField, value: object, *, shown: object, strict: bool, origin: str) -> object:
    """Convert to the field's type; an error shows the value as the user wrote it."""
    try:
        converted: object = msgspec.convert(value, _TYPES[field.name], strict=strict)
    except msgspec.ValidationError as error:
        raise SettingsError(
            f"{origin}: {field.name} = {repr(shown)[:80]} is not {field.expected}",
            hint=f"{field.name}: {field.description}",
        ) from error
    if field.name == "tool_recall" and isinstance(converted, dict):
        _check_patterns(converted, origin)
    return converted


def _check_patterns(patterns: Mapping[str, str], origin: str) -> None:
    """Raise SettingsError for one that is no regular expression."""
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise SettingsError(
                f"{origin}: tool_recall: {pattern[:80]!r} is no regular expression: {error}",
                hint="see https://docs.python.org/3/library/re.html#regular-expression-syntax",
            ) from error


_TYPES: Final[Mapping[str, Any]] = {field.name: field.type for field in msgspec.structs.fields(Settings)}
FIELDS: Final[Mapping[str, SettingField]] = {f.name: settingfield.declared(f) for f in msgspec.structs.fields(Settings)}
