"""Which programs does a shell line run? Parsed with tree-sitter's Bash grammar, loaded at the first shell command.

Broken shell gives what can be read of it and never raises: an agent's command need not be valid Bash.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wisen.core.programs import EVERYBODYS
from wisen.core.types import ShellSegment

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAX_COMMAND_BYTES = 20_000  # a here-document can hold a whole file; its programs stand at the head
MAX_SEGMENTS = 32
MAX_WORDS = 64
MAX_TEXT_CHARS = 400

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9]*(?:[-_:.][a-z0-9]+)*\Z")

# Wrappers run the rest of the line. The value names their options that take a separate word.
_WRAPPERS: Mapping[tuple[str, ...], frozenset[str]] = {
    ("env",): frozenset({"-u", "--unset", "-C", "--chdir", "-S"}),
    ("sudo",): frozenset({"-u", "--user", "-g", "--group", "-h", "-p", "-C", "-D"}),
    ("doas",): frozenset({"-u", "-C"}),
    ("time",): frozenset({"-f", "-o"}),
    ("timeout",): frozenset({"-s", "--signal", "-k", "--kill-after"}),
    ("nice",): frozenset({"-n", "--adjustment"}),
    ("nohup",): frozenset(),
    ("exec",): frozenset({"-a"}),
    ("command",): frozenset(),
    ("builtin",): frozenset(),
    ("stdbuf",): frozenset({"-i", "-o", "-e"}),
    ("uv", "run"): frozenset(
        {"--with", "--extra", "--group", "--python", "-p", "--directory", "--project", "--env-file"}
    ),
    ("uvx",): frozenset({"--from", "--with", "--python", "-p"}),
    ("npx",): frozenset({"-p", "--package"}),
    ("bunx",): frozenset(),
    ("pnpm", "exec"): frozenset(),
    ("pnpm", "dlx"): frozenset({"--package"}),
    ("yarn", "exec"): frozenset(),
    ("yarn", "dlx"): frozenset({"-p"}),
    ("npm", "exec"): frozenset({"-p", "--package"}),
    ("poetry", "run"): frozenset(),
    ("pipenv", "run"): frozenset(),
    ("pdm", "run"): frozenset(),
    ("rye", "run"): frozenset(),
    ("hatch", "run"): frozenset(),
    ("bundle", "exec"): frozenset(),
    ("dotenv", "run"): frozenset({"-f"}),
    ("mise", "exec"): frozenset(),
    ("python", "-m"): frozenset(),
    ("python3", "-m"): frozenset(),
}
_POSITIONALS: Mapping[str, int] = {"timeout": 1}  # words that belong to the wrapper, not to what it runs

# Programs whose first word is a command of their own; the value names global options that take a separate word.
_MULTI: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            "apt", "apt-get", "aws", "biome", "brew", "bun", "bundle", "cargo", "conda", "deno", "dotnet", "gcloud",
            "gem", "gh", "glab", "go", "golangci-lint", "gradle", "helm", "hg", "just", "lerna", "make", "mise",
            "mvn", "next", "npm", "nvm", "nx", "openssl", "pdm", "pip", "pip3", "pipenv", "pipx", "playwright",
            "pnpm", "podman", "poetry", "pyenv", "rails", "rake", "ruff", "rustup", "swift", "systemctl", "task",
            "terraform", "turbo", "uv", "vite", "vitest", "wasm-pack", "yarn",
        ),
        frozenset[str](),
    ),
    "git": frozenset({"-C", "-c", "--git-dir", "--work-tree"}),
    "docker": frozenset({"-H", "--host", "-c", "--context"}),
    "docker-compose": frozenset({"-f", "--file", "-p"}),
    "kubectl": frozenset({"-n", "--namespace", "--context"}),
    "make": frozenset({"-C", "-f", "-j"}),
    "npm": frozenset({"--prefix"}),
    "pnpm": frozenset({"-C", "--dir", "--filter", "-F"}),
    "cargo": frozenset({"--manifest-path"}),
}  # fmt: skip


def segments(command: str) -> tuple[ShellSegment, ...]:
    """Return the simple commands of a shell line in order, at most 32, those inside substitutions included."""
    source = command.encode("utf-8", "replace")[:MAX_COMMAND_BYTES]
    found: list[ShellSegment] = []
    for command_found in _commands(_parsed(source)):
        segment = _segment(command_found)
        if segment is not None:
            found.append(segment)
        if len(found) == MAX_SEGMENTS:
            break
    return tuple(found)


def _parsed(source: bytes) -> Node:
    import tree_sitter  # noqa: PLC0415 - the daemon loads the grammar at the first shell command, not at its start

    # A parser of its own for every call: they are cheap, and not safe to share between threads.
    return tree_sitter.Parser(_bash()).parse(source).root_node


@functools.cache
def _bash() -> Language:
    import tree_sitter  # noqa: PLC0415
    import tree_sitter_bash  # noqa: PLC0415

    return tree_sitter.Language(tree_sitter_bash.language())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    """A simple command: its words, the names set for it and for the rest of the line, and its source."""

    words: list[str]
    env: list[str]
    text: str


def _commands(root: Node) -> Iterator[_Command]:
    """Yield every `command` node in source order; by a stack, because nesting is the agent's choice."""
    stack = [root]
    exported: list[str] = []
    while stack:
        node = stack.pop()
        if node.type == "command":
            children = node.named_children[:MAX_WORDS]
            yield _Command(
                words=[_word(child) for child in children if _is_word(child)],
                env=[*exported, *_names_set(children)],
                text=(node.text or b"").decode("utf-8", "replace")[:MAX_TEXT_CHARS],
            )
        elif node.type == "declaration_command" and (node.text or b"").startswith(b"export"):
            exported += _names_set(node.named_children[:MAX_WORDS])
        stack.extend(reversed(node.named_children))


def _names_set(nodes: Sequence[Node]) -> list[str]:
    texts = ((node.text or b"").decode("utf-8", "replace") for node in nodes if node.type == "variable_assignment")
    return [found[0].rstrip("+=") for text in texts if (found := _ASSIGNMENT.match(text))]


def _is_word(node: Node) -> bool:
    return node.type not in {
        "variable_assignment",
        "file_redirect",
        "herestring_redirect",
        "heredoc_redirect",
        "comment",
    }


def _word(node: Node) -> str:
    """Return a word as the shell would pass it, quotes and backslashes gone, expansions left as written."""
    text = (node.text or b"").decode("utf-8", "replace")
    match node.type:
        case "command_name" | "concatenation":
            return "".join(_word(child) for child in node.children) or text
        case "raw_string":
            return text[1:-1]
        case "string":
            return text[1:-1].replace('\\"', '"')
        case "word":
            return text.replace("\\\n", "").replace("\\", "")
        case _:
            return text


def _segment(command: _Command) -> ShellSegment | None:
    words, before = _unwrapped(command.words)
    if not words or not words[0]:
        return None
    program = words[0].rpartition("/")[2] or words[0]
    rest = words[1:]
    subcommand = ""
    options: Sequence[str] = ()
    if program in _MULTI:
        at = _skip_options(rest, _MULTI[program].__contains__)
        if at < len(rest) and _SUBCOMMAND.match(rest[at]):
            subcommand = rest[at]
            options = rest[:at]
            rest = rest[at + 1 :]
    elif program not in EVERYBODYS and rest and _SUBCOMMAND.match(rest[0]):
        subcommand, rest = rest[0], rest[1:]  # a program of somebody's own: most take commands
    assigned = [word.partition("=")[0].rstrip("+") for word in before if _ASSIGNMENT.match(word)]
    return ShellSegment(
        program=program,
        subcommand=subcommand,
        flags=_flags(rest),
        words=tuple(word for word in rest if not _is_flag(word)),
        env=tuple(dict.fromkeys([*command.env, *assigned])),
        wrapper=tuple(word for word in before if not _ASSIGNMENT.match(word)),
        options=_flags(options),
        text=command.text,
    )


def _flags(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.partition("=")[0] for word in words if _is_flag(word))


def _unwrapped(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words from the program that does the work on, and the wrappers and assignments before it."""
    whole = words
    while words:
        if _ASSIGNMENT.match(words[0]):
            words = words[1:]
            continue
        inner = _inside_wrapper(words)
        if not inner:  # nothing is wrapped: the wrapper itself is the program
            break
        words = inner
    return words, whole[: len(whole) - len(words)]


def _inside_wrapper(words: Sequence[str]) -> Sequence[str]:
    name = words[0].rpartition("/")[2]
    for length in (2, 1):
        valued = _WRAPPERS.get((name, *words[1:length]))
        if valued is not None and len(words) >= length:
            rest = words[length:]
            return rest[_skip_options(rest, valued.__contains__) + _POSITIONALS.get(name, 0) :]
    return ()


def _skip_options(words: Sequence[str], takes_value: Callable[[str], bool]) -> int:
    """Return the index of the first word that is no option and no option's value."""
    at = 0
    while at < len(words) and _is_flag(words[at]):
        if words[at] == "--":
            return at + 1
        at += 2 if takes_value(words[at]) else 1
    return at


def _is_flag(word: str) -> bool:
    return len(word) > 1 and word.startswith("-")
