"""How is wisen registered with Claude Code?

Hooks in the user's own settings file, an MCP server in Claude Code's own file (`claude_json`), and nothing else: the
project's files and Claude Code's built-in memory are left alone. Or, in their place, as a plugin (`plugin`). Facts
about the harness were proven on 2.1.332: it runs hooks with `/bin/sh -c`, reads strict JSON with or without a byte
order mark, and ignores the whole file when that can't be parsed or `hooks` is no object.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from wisen.config import Paths, home_dir
from wisen.errors import Conflict, InstallError
from wisen.install import claude_json, files, hooks_file, jsonedit, manifest, plugin
from wisen.install import plan as plans
from wisen.install.command import guarded_command, program_of
from wisen.install.hooks_file import Wanted
from wisen.install.jsonedit import Document, Origin
from wisen.install.manifest import Manifest
from wisen.install.plan import HarnessStatus, InstallPlan, Standing, UninstallReport
from wisen.spawn import daemon_argv

HARNESS: Final = "claude-code"
HOOK: Final = Path(__file__).resolve().parent.parent / "hook.py"
PYTHON: Final = Path(sys.executable)

# Claude Code waits this long, in seconds, for a hook that hangs; hook.py's own deadlines are far shorter. Without one
# the default is 600 s, and SessionEnd hooks share 1.5 s.
_TIMEOUT_S: Final = 5

# Grep, because the place of a name helps before the search for it. In recorded sessions of five repositories the agent
# called it 0 to 10 times a session (4 % of all calls), so at some 20 ms a hook it costs less than 0.2 s a session.
_ASKED_BEFORE: Final = "Bash|Grep|Agent|Task|TaskCreate"


def wanted_hooks(command: str) -> tuple[Wanted, ...]:
    """Return the hooks to register: synchronous where an answer can be used. No Stop hook: it would end no session."""
    return (
        Wanted(event="SessionStart", command=command, timeout_s=_TIMEOUT_S),
        Wanted(event="UserPromptSubmit", command=command, timeout_s=_TIMEOUT_S),
        Wanted(event="PreToolUse", command=command, timeout_s=_TIMEOUT_S, matcher=_ASKED_BEFORE),
        Wanted(event="PostToolUse", command=command, timeout_s=_TIMEOUT_S, is_async=True),
        Wanted(event="PostToolUseFailure", command=command, timeout_s=_TIMEOUT_S, is_async=True),
        Wanted(event="PostToolBatch", command=command, timeout_s=_TIMEOUT_S, is_async=True),
        Wanted(event="PreCompact", command=command, timeout_s=_TIMEOUT_S, is_async=True),
        Wanted(event="SessionEnd", command=command, timeout_s=_TIMEOUT_S),
    )


def settings_file(env: Mapping[str, str]) -> Path:
    """Return the user's settings file, whether it is there or not."""
    chosen = env.get("CLAUDE_CONFIG_DIR")
    return (Path(chosen).absolute() if chosen else home_dir(env) / ".claude") / "settings.json"


def plan(env: Mapping[str, str], paths: Paths, python: Path = PYTHON, hook: Path = HOOK) -> InstallPlan:
    """Return what an installation would change. Writes nothing.

    Raises InstallError when the settings can't be edited safely, or the hook could not run.
    """
    if plugin.is_there(paths):
        raise Conflict(
            f"wisen is a plugin already, in {plugin.folder(paths)}: each event would come twice", hint=_FIRST
        )
    wanted = _wanted(env, paths, python, hook)
    before = files.read(settings_file(env))
    doc = jsonedit.parse(before.data or b"", name=str(before.path))
    known, problem = manifest.load(paths)
    entry = known.entry(HARNESS, before.path)
    origins = entry.origins if entry else hooks_file.presumed_origins(doc)
    done = hooks_file.register(doc, wanted, origins)
    without = hooks_file.unregister(done.document, done.origins)
    if without.data != hooks_file.unregister(doc, origins).data:
        raise InstallError(
            f"{before.path} can't be edited so that the edit can be undone",
            hint="nothing was written; report this file",
        )
    if not hooks_file.is_current(done.document, wanted):
        raise InstallError(f"{before.path} can't hold the hooks", hint="nothing was written; report this file")
    lines = {"add hooks for": done.added, "renew the hooks for": done.renewed, "remove old hooks for": done.dropped}
    changes = [f"{what} {', '.join(events)}" for what, events in lines.items() if events]
    if not (changes or entry):
        changes = ["record the hooks that are there: without a record they are not heard"]
    hooks = plans.planned(
        HARNESS,
        paths,
        before,
        done.document.data,
        known=known,
        was_made=before.data is None or bool(entry and entry.was_made and hooks_file.found(doc)),
        without=without.data,
        origins=done.origins,
        changes=changes,
        command=wanted[0].command if done.added or done.renewed else "",
        notes=(*_notes(env, done.document), *((problem,) if problem else ())),
    )
    server, note = _with_server(env, paths, python)
    return replace(hooks, also=server, notes=(*hooks.notes, *note))


def _with_server(env: Mapping[str, str], paths: Paths, python: Path) -> tuple[tuple[InstallPlan, ...], tuple[str, ...]]:
    """Return the plan for the MCP server if there is a file for it, and what to tell: the hooks do without."""
    try:
        found = plan_server(env, paths, python)
    except InstallError as error:
        return (), (f"note: no MCP server is added: {error.message}",)
    if found is None:
        return (), (
            f"note: the MCP server waits for {claude_json.file_of(env)}: install again after the first session",
        )
    return (found,), ()


def plan_server(env: Mapping[str, str], paths: Paths, python: Path = PYTHON) -> InstallPlan | None:
    """Return what registering the MCP server would change; None before Claude Code has made its file.

    Raises InstallError when the file can't be edited safely.
    """
    before = files.read(claude_json.file_of(env))
    if before.data is None:
        return None
    doc = jsonedit.parse(before.data, name=str(before.path))
    known, _ = manifest.load(paths)
    entry = known.entry(HARNESS, before.path)
    done = claude_json.register(doc, claude_json.wanted_server(python, HARNESS, env), entry.origins if entry else ())
    without = claude_json.unregister(done.document, done.origins)
    if done.changes and not claude_json.found(doc) and without.data != before.data:
        raise InstallError(f"{before.path} can't be edited so that the edit can be undone", hint="report this file")
    made = plans.planned(
        HARNESS,
        paths,
        before,
        done.document.data,
        known=known,
        was_made=False,
        without=without.data,
        origins=done.origins,
        changes=done.changes,
        command="",
        notes=(done.note,) if done.note else (),
        keeps_copy=False,
    )
    anew = partial(plan_server, env, paths, python)
    is_recorded = made.is_recorded or not claude_json.found(done.document)
    return replace(made, what="the MCP server is", anew=anew, is_recorded=is_recorded)


_FIRST: Final = f"`wisen uninstall {HARNESS}` first"


def plan_plugin(env: Mapping[str, str], paths: Paths, python: Path = PYTHON, hook: Path = HOOK) -> InstallPlan:
    """Return what installing wisen as a plugin would change; Claude Code's files are its user's to change then.

    Raises Conflict where the hooks or the server are registered already, InstallError when the hook could not run.
    """
    for file, found in ((settings_file(env), hooks_file.found), (claude_json.file_of(env), claude_json.found)):
        if found(jsonedit.parse(files.read(file).data or b"", name=str(file))):
            raise Conflict(f"wisen is registered in {file}: each event would come twice", hint=_FIRST)
    hooks = _wanted(env, paths, python, hook)
    known, problem = manifest.load(paths)
    wanted = plugin.contents(paths, hooks, claude_json.wanted_server(python, HARNESS, env))
    first, *others = [_plan_file(paths, known, file, data, hooks[0].command) for file, data in wanted.items()]
    return replace(first, also=tuple(others), notes=(problem,) if problem else ())


def _plan_file(paths: Paths, known: Manifest, file: Path, data: bytes, command: str) -> InstallPlan:
    before = files.read(file)
    has_hooks = file.name == plugin.HOOKS_FILE and before.data != data
    made = plans.planned(
        HARNESS,
        paths,
        before,
        data,
        known=known,
        was_made=True,
        without=b"",
        origins=(),
        changes=() if before.data in {None, data} else ("renew it",),
        command=command if has_hooks else "",
        notes=(),
        keeps_copy=False,
    )
    return replace(made, what="it is")


def apply(plan: InstallPlan) -> None:
    """Make the change. Raises as `plans.apply`; the hooks are in when only the MCP server could not be added."""
    plans.apply(plan)
    for one in plan.also:
        with claude_json.locked(one.before.path):
            fresh = one.anew() if one.anew is not None else one
            if fresh is not None:
                plans.apply(fresh)


def uninstall(env: Mapping[str, str], paths: Paths) -> UninstallReport:
    """Take our hooks and our MCP server out, wherever they were registered. Memories stay.

    The report has the files in which that failed. Raises InstallError for a manifest that can't be used.
    """
    own = claude_json.file_of(env)
    was_plugin = plugin.is_there(paths)
    with claude_json.locked(own):
        taken_out = partial(_unregister, plugin.folder(paths))
        report = plans.undo(HARNESS, paths, settings_file(env), taken_out, also=(own,))
    return replace(report, notes=(*report.notes, _UNPLUG)) if was_plugin else report


_UNPLUG: Final = (
    f"Claude Code still lists the plugin: `claude plugin uninstall {plugin.PLUGIN}`, then "
    f"`claude plugin marketplace remove {claude_json.NAME}`."
)


def status(env: Mapping[str, str], paths: Paths, python: Path = PYTHON, hook: Path = HOOK) -> HarnessStatus:
    """Return how the registration stands. A settings file that can't be read is a standing, not an error."""
    file, next_step = settings_file(env), ""
    if plugin.is_there(paths):
        return _status_of_plugin(env, paths, python, hook)
    try:
        doc = jsonedit.parse(files.read(file).data or b"", name=str(file))
    except InstallError as error:
        reason, next_step = error.message, "mend the file there: wisen changes none that it can't read"
        return HarnessStatus(harness=HARNESS, file=file, standing=Standing.BROKEN, reason=reason, next_step=next_step)
    try:
        standing, reason = _standing(doc, _wanted(env, paths, python, hook))
        if standing is Standing.CURRENT and not manifest.names(paths, HARNESS):
            standing, reason = Standing.BROKEN, f"the hooks are not heard: {_not_on_record(paths)}"
        elif reason == _SWITCHED_OFF:
            next_step = f"take `disableAllHooks` out of {file}"
        if standing is Standing.CURRENT:
            standing, reason = _standing_of_server(env, python)
    except InstallError as error:
        standing, reason = Standing.BROKEN, error.message
    return HarnessStatus(harness=HARNESS, file=file, standing=standing, reason=reason, next_step=next_step)


def _not_on_record(paths: Paths) -> str:
    file = manifest.path(paths)
    return f"{file} does not tell of them" if file.exists() else f"{file} is gone"


def _unregister(own: Path, data: bytes, name: str, origins: Sequence[Origin] | None) -> bytes:
    if Path(name).is_relative_to(own):
        return b""
    doc = jsonedit.parse(data, name=name)
    doc = hooks_file.unregister(doc, hooks_file.presumed_origins(doc) if origins is None else origins)
    return claude_json.unregister(doc, origins).data


_SWITCHED_OFF: Final = "disableAllHooks is set in the settings"


def _standing(doc: Document, wanted: tuple[Wanted, ...]) -> tuple[Standing, str]:
    hits = hooks_file.found(doc)
    if not hits:
        return Standing.ABSENT, ""
    for hit in hits:
        if gone := _gone(hit.command):
            return Standing.BROKEN, f"the {hit.event} hook runs {gone}, which is gone"
    if _is_switched_off(doc):
        return Standing.BROKEN, _SWITCHED_OFF
    if not hooks_file.is_current(doc, wanted):
        return Standing.OUTDATED, "the hooks are not those of this wisen"
    return Standing.CURRENT, ""


def _status_of_plugin(env: Mapping[str, str], paths: Paths, python: Path, hook: Path) -> HarnessStatus:
    standing, reason = Standing.CURRENT, ""
    try:
        if plan_plugin(env, paths, python, hook).is_needed:
            standing, reason = Standing.OUTDATED, "the plugin is not that of this wisen"
    except (InstallError, Conflict) as error:
        standing, reason = Standing.BROKEN, error.message
    return HarnessStatus(
        harness=HARNESS,
        file=plugin.folder(paths),
        standing=standing,
        reason=reason,
        next_step="" if standing is Standing.CURRENT else f"`wisen install {HARNESS} --plugin`",
    )


def _standing_of_server(env: Mapping[str, str], python: Path) -> tuple[Standing, str]:
    """Return how the MCP server stands, where there is one: a user may do without."""
    file = claude_json.file_of(env)
    try:
        doc = jsonedit.parse(files.read(file).data or b"", name=str(file))
    except InstallError:
        return Standing.CURRENT, ""
    if gone := claude_json.gone(doc):
        return Standing.BROKEN, f"the MCP server runs {gone}, which is gone"
    wanted = claude_json.wanted_server(python, HARNESS, env)
    if any(not jsonedit.holds(doc, one.node, wanted) for one in claude_json.found(doc)):
        return Standing.OUTDATED, "the MCP server is not that of this wisen"
    return Standing.CURRENT, ""


def _wanted(env: Mapping[str, str], paths: Paths, python: Path, hook: Path) -> tuple[Wanted, ...]:
    for program, way in ((python, os.X_OK), (hook, os.R_OK)):
        if not program.is_absolute() or not os.access(program, way):
            raise InstallError(f"{program} can't be run", hint="install wisen again")
    daemon = daemon_argv(str(python), HARNESS)
    return wanted_hooks(guarded_command(python, hook, paths.socket, paths.spool_dir, daemon, env=env))


def _gone(command: str) -> Path | None:
    """Return the program of a command that can't be run any more, or None."""
    programs = program_of(command) or ()
    return next((one for one, way in zip(programs, (os.X_OK, os.R_OK), strict=False) if not os.access(one, way)), None)


def _is_switched_off(doc: Document) -> bool:
    node = jsonedit.members(doc.root).get("disableAllHooks")
    return node is not None and node.kind == "true"


def _notes(env: Mapping[str, str], doc: Document) -> tuple[str, ...]:
    notes = []
    if shutil.which("claude", path=env.get("PATH", "")) is None and not settings_file(env).parent.exists():
        notes.append("note: there is no Claude Code here yet; the hooks wait for it")
    if _is_switched_off(doc):
        notes.append("note: disableAllHooks is set in the settings: no hook runs, ours neither")
    return tuple(notes)
