"""Power cuts over real processes: the daemon, and commands that edit files. Their system calls are the log."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.builders import FrozenClock, a_graph, a_memory
from tests.durability.daemons import a_transcript, broken, daemon_argv, environment
from tests.durability.disk import Disk, Op, written_below
from tests.durability.trace import Trace, traced, why_not
from tests.wire import a_home, a_payload

from wisen.client import Client, stop_daemon
from wisen.config import Paths, paths
from wisen.connection import Connection
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import UserPrompt
from wisen.daemon import spool
from wisen.errors import DaemonUnavailable, WisenError
from wisen.install import manifest
from wisen.store.sqlite.backup import verify_backup
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")]

WISEN = str(Path(sys.executable).with_name("wisen"))
CUTS, LONG_CUTS = 25, 1000


def cuts(disk: Disk, log: Sequence[Op], copies: Path, root: Path, *, number: int) -> Iterator[tuple[Path, list[str]]]:
    """Cut the power at `number` points of a log; yield each copy of the root, and what was promised by then."""
    chance = random.Random(1)
    for cut, point in enumerate(sorted(chance.choices(range(1, len(log) + 1), k=number))):
        while disk.position < point:
            disk.play(log[disk.position])
        copy = copies / str(cut)
        copy.mkdir(parents=True)
        written_below(copy, disk.image(chance), instead_of=root)
        yield copy, [promise.what for promise in disk.acknowledged]
        shutil.rmtree(copy)


# --- the daemon -----------------------------------------------------------------------------------------------------


@contextmanager
def a_traced_daemon(where: Paths, log: Path, *, script: str = "") -> Iterator[Client]:
    """Run a daemon whose system calls are logged, as the command line starts it or by a script of the test's own."""
    with subprocess.Popen(
        traced(daemon_argv(script), log), env=environment(where), stdin=subprocess.DEVNULL
    ) as process:
        try:
            until = time.monotonic() + 20
            while True:  # without a request: each answer in the trace is to be one of ours
                with suppress(DaemonUnavailable), Connection.open(where.socket, timeout_s=5):
                    break
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.02)
            yield Client(where)
        finally:
            if not stop_daemon(where):
                process.kill()


def a_pointer(where: Paths, session: str, transcript: Path) -> Path:
    """What a hook leaves when no daemon listens."""
    said = {
        "v": 1,
        "harness": "claude-code",
        "delivery": "0" * 32,
        "at_ns": 1,
        "event": "UserPromptSubmit",
        "session_id": session,
        "transcript_path": str(transcript),
        "transcript_bytes": transcript.stat().st_size,
        "cwd": str(transcript.parent),
        "entrypoint": "cli",
    }
    file = where.spool_dir / f"{len(list(where.spool_dir.iterdir())):020d}-{session}.json"
    file.write_text(json.dumps(said))
    return file


class Conversation:
    """What the daemon was asked, one request after the other, and what each 2xx answer promises."""

    def __init__(self, client: Client, project: Path) -> None:
        self.promises: list[list[str]] = []
        self._client = client
        self._project = project

    def remember(self, text: str) -> None:
        """A user command: on disk when it is answered."""
        self._client.call("POST", "/v1/memories", {"text": text, "everywhere": True})
        self.promises.append([f"memory {text}"])

    def session(self, session: str, *prompts: str) -> None:
        """Hook events, and an end: its job is on disk when it is answered, and all that came before with it."""
        for number, text in enumerate(prompts):
            self._hook("UserPromptSubmit", session, prompt=text, prompt_id=f"{session}-{number}")
            self.promises.append([])
        self._hook("SessionEnd", session, reason="other")
        self.promises.append([f"event {text}" for text in prompts])

    def _hook(self, event: str, session: str, **fields: object) -> None:
        common = {"hook_event_name": event, "session_id": session, "cwd": str(self._project)}
        self._client.call("POST", "/v1/hook/claude-code", {**common, "transcript_path": "", **fields})


class Answers:
    """Numbers the daemon's answers of 2xx as they go out."""

    def __init__(self) -> None:
        self.seen = 0

    def heard(self, data: bytes) -> str:
        if not data.startswith(b"HTTP/1.1 "):
            return ""
        assert data.startswith(b"HTTP/1.1 2"), data
        self.seen += 1
        return str(self.seen - 1)


def losses_of_daemon(copy: Path, promised: Sequence[str], pointers: Mapping[str, str]) -> list[str]:
    """Return what is missing of what was promised. `pointers`: name of a spool file -> the prompt it leads to."""
    where = paths({"WISEN_HOME": str(copy)})
    events, problems = events_of(where)
    there = {f"event {text}" for text in events} | {f"memory {text}" for text in memories_of(where)}
    lost = [what for what in promised if what not in there]
    lost += [name for name, text in pointers.items() if not (where.spool_dir / name).exists() and text not in events]
    return lost + problems


def events_of(where: Paths) -> tuple[list[str], list[str]]:
    """Return the prompts in a control file, and what is wrong with it."""
    if not where.control_file.exists():
        return [], []
    store = SqliteControl(where.control_file)
    try:
        sessions = [one.session_id for one in store.sessions()]
        events = [event.body for one in sessions for event in store.events("claude-code", one)]
        return [body.text for body in events if isinstance(body, UserPrompt)], list(store.problems())
    finally:
        store.close()


def memories_of(where: Paths) -> list[str]:
    """Return the texts of all memories."""
    stores = SqliteGraphs(where.graphs_dir, FrozenClock())
    try:
        found = [store for graph in stores.graphs() if (store := stores.existing(graph))]
        return [memory.text for store in found for memory in store.list(MemoryFilter())]
    finally:
        stores.close()


def daemon_losses(tmp_path: Path, *, number: int, script: str = "") -> list[list[str]]:
    """Return what each of `number` power cuts lost of a daemon's life."""
    with a_home() as where:
        root = where.config_file.parent
        waiting = {f"s{n}": f"it rained {n} times" for n in range(4)}
        files = {s: a_pointer(where, s, a_transcript(tmp_path, s, text)) for s, text in waiting.items()}
        pointers = {file.name: waiting[s] for s, file in files.items()}
        answers = Answers()
        trace = Trace(str(root), answers.heard)
        disk = trace.begins_with(root)
        with a_traced_daemon(where, tmp_path / "trace", script=script) as client:
            talk = Conversation(client, tmp_path)
            for n in range(4):
                talk.remember(f"we build with tool {n}")
                talk.session(f"live-{n}", f"please look at file {n}", f"and at page {n}")
        log = trace.read(tmp_path / "trace")
        assert answers.seen > len(talk.promises), "the answer to the stop is seen as well"
        return [
            losses_of_daemon(copy, [what for n in numbers for what in promised_by(talk, n)], pointers)
            for copy, numbers in cuts(disk, log, tmp_path / "copies", root, number=number)
        ]


def promised_by(talk: Conversation, number: str) -> list[str]:
    return talk.promises[int(number)] if int(number) < len(talk.promises) else []


def test_a_daemon_keeps_what_it_answered_and_what_the_spool_pointed_at(tmp_path: Path) -> None:
    assert [lost for lost in daemon_losses(tmp_path, number=CUTS) if lost] == []


WEAKENED = broken(
    """
    from wisen.store.sqlite.connection import Database
    opened = Database.__init__
    def weakened(self, path, *, read_only=False):
        opened(self, path, read_only=read_only)
        self.run("PRAGMA synchronous = NORMAL")
    Database.__init__ = weakened
    """
)


def test_the_harness_finds_the_losses_of_a_daemon_that_is_weakened_to_normal(tmp_path: Path) -> None:
    assert any(daemon_losses(tmp_path, number=CUTS, script=WEAKENED))


@pytest.mark.stress
def test_a_thousand_power_cuts_lose_nothing_of_a_daemon(tmp_path: Path) -> None:
    for name in ("full", "normal"):
        (tmp_path / name).mkdir()
    full = daemon_losses(tmp_path / "full", number=LONG_CUTS)
    normal = daemon_losses(tmp_path / "normal", number=LONG_CUTS, script=WEAKENED)
    lost, weak = (sum(map(bool, one)) for one in (full, normal))
    print(f"\npower cuts, daemon process: {lost:,} of {LONG_CUTS:,} lost something (FULL); {weak:,} (NORMAL)")
    assert lost == 0
    assert weak


# --- commands that write files --------------------------------------------------------------------------------------

UNSYNCED = "import os, sys; os.fsync = lambda _: None; sys.argv[0] = 'wisen'; from wisen.cli.main import main; main()"
NOT_SYNCING = f'{sys.executable} -c "{UNSYNCED}"'  # a build that skips every sync of its own


def run_traced(
    root: Path, log: Path, program: str, commands: Sequence[str], *, heard: Callable[[bytes], str]
) -> tuple[Disk, list[Op]]:
    """Run commands of wisen one after the other; return the disk they began with, and the log."""
    trace = Trace(str(root), heard)
    disk = trace.begins_with(root)
    script = " && ".join(f"{program} {command}" for command in commands)
    around = {"HOME": str(root), "PATH": os.environ["PATH"], "WISEN_HOME": str(root / "wisen")}
    done = subprocess.run(
        traced(["/bin/sh", "-c", f"exec 2>&1; {script}"], log),
        env=around,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.returncode == 0, done.stdout
    return disk, trace.read(log)


def faults_of_settings(tmp_path: Path, program: str) -> list[str]:
    """A setting is the old or the new one at any time, and the new one once that was said."""
    root = tmp_path / "root"
    root.mkdir()
    values = [31, 32, 33]
    commands = [f"config set idle_exit_minutes {value}" for value in values]

    def heard(data: bytes) -> str:
        return data.decode().rpartition("= ")[2].strip() if data.startswith(b"idle_exit_minutes = ") else ""

    disk, log = run_traced(root, tmp_path / "trace", program, commands, heard=heard)
    faults, heard_of = [], 0
    for copy, promised in cuts(disk, log, tmp_path / "copies", root, number=4 * CUTS):
        file = copy / "wisen" / "config.toml"
        try:
            held = int(tomllib.loads(file.read_text())["idle_exit_minutes"]) if file.exists() else 0
        except (ValueError, KeyError):
            faults.append(f"half a file: {file.read_text()!r}")
            continue
        if held not in {0, *values} or held < max(map(int, promised), default=0):
            faults.append(f"{held} after {promised}")
        heard_of += len(promised)
    assert heard_of, "no cut came after a command had spoken"
    return faults


def faults_of_an_installation(tmp_path: Path, program: str) -> list[str]:
    """A harness's settings are whole at any time, and the manifest speaks of every edit that is in them."""
    root = tmp_path / "root"
    settings = root / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    own = '{\n  "model": "opus"\n}\n'
    settings.write_text(own)
    (root / "wisen").mkdir(mode=0o700)
    commands = ["install claude-code", "uninstall claude-code"]
    disk, log = run_traced(root, tmp_path / "trace", program, commands, heard=lambda _: "")
    final = settings.read_text()
    faults, edited = [], 0
    for copy, _ in cuts(disk, log, tmp_path / "copies", root, number=4 * CUTS):
        file = copy / ".claude" / "settings.json"
        held = file.read_text() if file.exists() else ""
        try:
            is_whole = json.loads(held)["model"] == "opus"
        except ValueError:
            is_whole = False
        if not is_whole:
            faults.append(f"half a file: {held!r}")
        elif held not in {own, final}:
            edited += 1
            known, problem = manifest.load(paths({"WISEN_HOME": str(copy / "wisen")}))
            if problem or not known.of("claude-code"):
                faults.append("an edit that nothing knows of")
    assert edited
    return faults


def faults_of_backups(tmp_path: Path, program: str) -> list[str]:
    """A backup is whole when it has its name, and there once that was said."""
    root = tmp_path / "root"
    where = paths({"WISEN_HOME": str(root / "wisen")})
    stores = SqliteGraphs(where.graphs_dir, FrozenClock())
    stores.open(a_graph()).add(a_memory("we build with make"), key="k", actor=Actor.USER, reason="")
    stores.close()
    SqliteControl(where.control_file).close()
    where.state_dir.mkdir(mode=0o700)
    commands = [f"backup make --to {root}/backups/{name}" for name in ("one", "two")]

    def heard(data: bytes) -> str:
        return data.decode().split()[-1] if data.startswith(b"Backed up ") else ""

    disk, log = run_traced(root, tmp_path / "trace", program, commands, heard=heard)
    faults, heard_of = [], 0
    for copy, promised in cuts(disk, log, tmp_path / "copies", root, number=4 * CUTS):
        there = {path.name for path in (copy / "backups").glob("[!.]*")}
        faults += [path for path in promised if Path(path).name not in there]
        for name in there:
            try:
                verify_backup(copy / "backups" / name)
            except WisenError as error:
                faults.append(error.message)
        heard_of += len(promised)
    assert heard_of, "no cut came after a command had spoken"
    return faults


WRITES = pytest.mark.parametrize("faults", [faults_of_settings, faults_of_an_installation, faults_of_backups])


@WRITES
def test_a_file_that_a_command_writes_is_whole_at_any_time(
    tmp_path: Path, faults: Callable[[Path, str], list[str]]
) -> None:
    # known fault B41
    assert faults(tmp_path, WISEN) == []


@WRITES
def test_the_harness_finds_the_faults_of_commands_that_sync_nothing(
    tmp_path: Path, faults: Callable[[Path, str], list[str]]
) -> None:
    assert faults(tmp_path, NOT_SYNCING)


# --- the hook's pointers --------------------------------------------------------------------------------------------


def test_a_pointer_that_a_power_cut_left_half_is_in_nobodys_way(tmp_path: Path) -> None:
    """The hook does not sync: the harness's transcript is the other copy. What is whole is read, the rest set aside."""
    hook = [sys.executable, "-I", "-S", str(Path(spool.__file__).parents[1] / "hook.py")]
    with a_home() as where:
        root = where.config_file.parent
        trace = Trace(str(root), lambda _: "")
        disk = trace.begins_with(root)
        payload = a_payload("SessionEnd", session_id="s")
        subprocess.run(
            traced([*hook, str(where.socket), str(where.spool_dir), "/bin/false"], tmp_path / "trace"),
            input=payload,
            check=True,
            timeout=30,
        )
        log = trace.read(tmp_path / "trace")
        states = set()
        for copy, _ in cuts(disk, log, tmp_path / "copies", root, number=2 * CUTS):
            found = paths({"WISEN_HOME": str(copy)}).spool_dir
            found.mkdir(parents=True, exist_ok=True)
            whole = spool.pending(found)
            assert all((one.event_name, one.session_id) == ("SessionEnd", "s") for one in whole)
            assert list(found.glob("*.json")) == [one.file for one in whole]
            states.add("whole" if whole else "set aside" if spool.damaged(found) else "gone")
        assert states == {"whole", "set aside", "gone"}
