"""The hot path: hand one hook event to the daemon and print its answer. `hook.py` enters here; nothing else does.

Every tool call of every session pays for this file, so it imports only sys, posix, time and _socket, and parses no
JSON but what it is about to print: nobody adds work here without a measured reason (`make bench`). Whatever happens,
it exits 0 inside one absolute deadline and prints nothing, or one whole JSON document that can only add context:
whoever answers, no prompt and no tool call is ever blocked.

An event the daemon did not take leaves a pointer in the spool, never its content: the daemon reads that from the
harness's own transcript, and redacts it first.
"""

import _socket
import posix
import sys
import time

VERSION = "0.1.0"
HARNESS = b"claude-code"  # whose hooks run this
DEADLINES_S = {b"SessionStart": 1.5, b"UserPromptSubmit": 0.4}  # total for the event, whatever it waits for
STARTERS, WAITS = (b"SessionStart", b"UserPromptSubmit"), b"SessionStart"
# Events to which the harness lets context be added; at a Stop that would make the agent go on.
ANSWERED = (*STARTERS, b"PreToolUse", b"PostToolUse", b"PostToolUseFailure", b"PostToolBatch", b"SubagentStart")
DEADLINE_S = 0.25  # of every other event, and of one that is not known yet
PAYLOAD_MAX, ANSWER_MAX = 8 << 20, 64 << 10  # bytes
SCAN_MAX, FIELD_MAX = 64 << 10, 4096  # bytes of a payload that are searched for fields, and of one field
REST_S = 60.0  # after a daemon was started that did not come up, none is started for so long: each costs 300 ms of CPU
SPOOL_MAX = 10_000  # pointers: some 5 MB
DROPS_MAX = 1 << 20  # counted drops, a byte each
ARGV_MIN = 4  # the script, the socket, the spool, and at least one word that starts the daemon
ENTRYPOINT_MAX = 64  # characters
BACKSLASH = 92
FIELDS = (b"hook_event_name", b"session_id", b"transcript_path", b"cwd")
SPACE = b" \t\r\n"
KEPT = (b"HOME", b"USER", b"LOGNAME", b"PATH", b"LANG", b"TMPDIR")  # what the daemon may see of the environment
KEPT_PREFIXES = (b"LC_", b"XDG_", b"WISEN_")
GIVEN = {b"MALLOC_ARENA_MAX": b"1", b"OPENBLAS_NUM_THREADS": b"1"}  # see spawn.py
NEW_FILE = posix.O_WRONLY | posix.O_CREAT | posix.O_CLOEXEC
# (level, option, size) that ask who listens; on macOS SOL_LOCAL and LOCAL_PEERCRED, which its Python does not name.
PEER = (0, 1, 76) if sys.platform == "darwin" else (_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)


class Undelivered(Exception):
    """The daemon did not take the event."""


def main(argv: list[str], env: dict[bytes, bytes], started: float) -> None:
    """Send the event on stdin, or spool it; print what came back."""
    if len(argv) < ARGV_MIN or b"1" in (env.get(b"WISEN_INTERNAL"), env.get(b"WISEN_DISABLE")) or is_paused(argv[2]):
        return
    payload, is_whole, found, deadline = read_payload(started)
    if not payload.strip(SPACE):
        return
    delivery, entrypoint = posix.urandom(16).hex().encode(), plain(env.get(b"CLAUDE_CODE_ENTRYPOINT", b""))
    event, is_taken = found.get(b"hook_event_name"), False
    try:
        if is_whole:
            sock = reach(argv, env, event, deadline)
            answer, is_kept = exchange(sock, request(payload, delivery, entrypoint, deadline), deadline)
            document, is_taken = answer and context(answer, event), is_kept
            if document and posix.write(1, document) == len(document):
                sock.send(b"\n")  # so the daemon knows that it is out; without, the next prompt brings it again
        if not (is_whole and event):
            debug(env, Undelivered("the payload is not all there, or names no event"))
    except (Undelivered, OSError) as error:
        debug(env, error)
    if event and not is_taken and is_installed(argv[2]):
        spool(argv[2], delivery, entrypoint, found)


# --- input ------------------------------------------------------------------------------------------------------


def read_payload(started: float) -> tuple[bytes, bool, dict[bytes, bytes], float]:
    """Return (stdin, whether it is all there, the fields in it, the event's deadline), by that deadline."""
    data, found, deadline, nap = bytearray(), fields(b""), started + DEADLINE_S, 0.0005
    was_blocking = posix.get_blocking(0)
    posix.set_blocking(0, False)
    try:
        while len(data) <= PAYLOAD_MAX:
            try:
                chunk = posix.read(0, 1 << 20)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return bytes(data), False, found, deadline
                time.sleep(nap)
                nap = min(nap * 2, 0.005)
                continue
            if not chunk:
                return bytes(data), True, found, deadline
            if len(found) < len(FIELDS) and len(data) < SCAN_MAX:
                found = fields(bytes((data + chunk)[:SCAN_MAX]))
                deadline = started + DEADLINES_S.get(found.get(b"hook_event_name", b""), DEADLINE_S)
            data += chunk
        return bytes(data), False, found, deadline
    finally:
        posix.set_blocking(0, was_blocking)  # the shell that started us shares the open file


def fields(text: bytes) -> dict[bytes, bytes]:
    """Return FIELDS as found at the top level of a JSON object, still escaped. Stops when it has them all."""
    found: dict[bytes, bytes] = {}
    depth, end, key = 0, 0, b""
    while len(found) < len(FIELDS):
        start = text.find(b'"', end)
        stop = closing_quote(text, start + 1)
        if start < 0 or stop < 0:
            break
        gap = text[end:start]
        depth += gap.count(b"{") + gap.count(b"[") - gap.count(b"}") - gap.count(b"]")
        literal, end = text[start + 1 : stop], stop + 1
        if depth == 1 and gap.strip(SPACE) != b":":
            key = literal
        elif depth == 1 and key in FIELDS:
            found.setdefault(key, literal)
    return found


def closing_quote(text: bytes, at: int) -> int:
    """Return where the string that begins at `at` ends, or -1."""
    while (at := text.find(b'"', at)) > 0:
        slash = at
        while text[slash - 1] == BACKSLASH:
            slash -= 1
        if (at - slash) % 2 == 0:
            return at
        at += 1
    return -1


def unescaped(literal: bytes) -> str:
    """Return the text of a JSON string. Raises ValueError when it is not one, SystemError as `context` has it."""
    text = literal.decode()
    if "\\" in text:
        import _json  # noqa: PLC0415 - 0.3 ms, and paths seldom need it

        text, _ = _json.scanstring(text + '"', 0)
        text.encode()  # half a surrogate pair is no text
    return text


def plain(value: bytes) -> bytes:
    """Return a value that can stand in a header and in JSON, else nothing."""
    return value if len(value) <= ENTRYPOINT_MAX and value.translate(None, b"-_.").isalnum() else b""


# --- daemon -----------------------------------------------------------------------------------------------------


def left(deadline: float) -> float:
    """Return the seconds left. Raises TimeoutError when there are none."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def reach(argv: list[str], env: dict[bytes, bytes], event: bytes | None, deadline: float) -> _socket.socket:
    """Return a connection to our daemon.

    When none listens, a session start starts it and waits; a prompt starts it for the next one and does not. Neither
    does when one that was started before should listen by now: it can't, and every prompt would pay for that.
    """
    is_looked_after = event not in STARTERS
    while True:
        try:
            return connect(argv[1], deadline)
        except BlockingIOError:
            pass  # its backlog is full: it is there
        except (FileNotFoundError, ConnectionRefusedError):
            if not is_looked_after:
                is_looked_after = True
                look_after(argv, env)
            if event != WAITS:
                raise
        time.sleep(min(0.005, left(deadline)))


def look_after(argv: list[str], env: dict[bytes, bytes]) -> None:
    """Start the daemon, unless that was done a moment ago. Raises Undelivered when that was, or would be, in vain.

    The mark in the spool tells when; a daemon that came up takes it away.
    """
    if not is_installed(argv[2]):
        raise Undelivered("wisen is not installed any more")
    mark = argv[2] + "/started"
    try:
        age = time.time() - posix.stat(mark).st_mtime
    except OSError:
        age = REST_S
    if not 0 <= age < REST_S:
        try:
            touch(mark)
        except OSError as error:  # there is no spool yet
            debug(env, error)
        start_daemon(argv[3:], env)
    elif age > DEADLINES_S[WAITS]:
        raise Undelivered("the daemon does not come up")


def is_installed(spool_dir: str) -> bool:
    """Return whether wisen is registered: a session that was open when it was taken out goes on calling this script.

    The manifest (`install/manifest.py`) is gone then; with it there is nothing here that we may start or leave.
    """
    return posix.access(spool_dir.rpartition("/")[0] + "/installed.json", posix.F_OK)


def is_paused(spool_dir: str) -> bool:
    """Return whether the user paused wisen everywhere: until when stands in a mark (`pausing.py`), else there is none.

    One from after now is the daemon's to settle. Raises OSError or ValueError for one that can't be read: that says no.
    """
    try:
        fd = posix.open(spool_dir.rpartition("/")[0] + "/paused", posix.O_RDONLY | posix.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return posix.fstat(fd).st_mtime <= time.time() < float(posix.read(fd, 32))


def connect(path: str, deadline: float) -> _socket.socket:
    """Return a connection to a socket that is ours and behind which we are. Raises Undelivered for a stranger's."""
    if posix.lstat(path).st_uid != posix.getuid():
        raise Undelivered("the socket belongs to another user")
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    sock.settimeout(left(deadline))
    sock.connect(path)
    if peer_uid(sock) != posix.getuid():
        sock.close()
        raise Undelivered("another user listens")
    return sock


def peer_uid(sock: _socket.socket) -> int:
    """Return who listens. Linux answers a ucred, macOS an xucred; the uid is the second word of both."""
    return int.from_bytes(sock.getsockopt(*PEER)[4:8], sys.byteorder)


def request(payload: bytes, delivery: bytes, entrypoint: bytes, deadline: float) -> bytes:
    """Return the event as an HTTP request. Its deadline goes along: the monotonic clock is one for all processes."""
    return (
        b"POST /v1/hook/%b HTTP/1.1\r\nhost: wisen\r\ncontent-type: application/json\r\nx-wisen-version: %b\r\n"
        b"x-wisen-delivery: %b\r\nx-wisen-entrypoint: %b\r\nx-wisen-deadline: %.3f\r\nx-wisen-confirms: printed\r\n"
        b"content-length: %d\r\n\r\n%b"
    ) % (HARNESS, VERSION.encode(), delivery, entrypoint, deadline, len(payload), payload)


def exchange(sock: _socket.socket, message: bytes, deadline: float) -> tuple[bytes, bool]:
    """Return the answer's body, b"" for none, and whether the daemon has the event. Raises Undelivered without one."""
    sock.settimeout(left(deadline))
    sock.sendall(message)
    answer = b""
    while len(answer) <= ANSWER_MAX:
        head, gap, body = answer.partition(b"\r\n\r\n")
        if gap:
            status = head[9:12]
            if not head.startswith(b"HTTP/1.") or status not in (b"200", b"204"):
                raise Undelivered(f"status {status!r}")
            length = content_length(head) if status == b"200" else 0
            if len(body) >= length:
                return body[:length], b"\r\nx-wisen-kept: no" not in head
        sock.settimeout(left(deadline))
        chunk = sock.recv(1 << 16)
        if not chunk:
            break
        answer += chunk
    raise Undelivered("the answer is cut or too long")


def content_length(head: bytes) -> int:
    """Return the length of the body; one that is not said is longer than any answer may be."""
    digits = head.lower().partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0].strip(SPACE)
    return int(digits) if digits.isdigit() else ANSWER_MAX + 1


def context(answer: bytes, event: bytes | None) -> bytes:
    """Return an answer that is one JSON document and does nothing but add context to this event, or tell the user.

    Raises Undelivered for any other. `_json` is what `json` is made of; it costs 0.3 ms, and only when needed. Without
    `json` being loaded it can't name its own error: Python 3.11 makes a SystemError of that.
    """
    import _json  # noqa: PLC0415

    try:
        text = answer.decode()
        said, end = _json.make_scanner(Reading)(text, 0)  # type: ignore[arg-type]  # it needs no more than the names
        name, notice = event.decode() if event in ANSWERED else "", said.pop("systemMessage", "")
        output = said.pop("hookSpecificOutput", {"hookEventName": name, "additionalContext": ""})
        words = (notice + output.pop("additionalContext")).encode()  # half a surrogate pair is no text
        if words and name and output == {"hookEventName": name} and not said and end == len(text):
            return answer
    except (ValueError, KeyError, AttributeError, TypeError, StopIteration, RecursionError, SystemError):
        pass
    raise Undelivered("the answer is not one for this event")


class Reading:
    """How `_json` reads: strictly, and no constants that JSON does not have."""

    strict, object_hook, object_pairs_hook = True, None, None
    parse_float, parse_int, parse_constant = float, int, None


def start_daemon(argv: list[str], env: dict[bytes, bytes]) -> None:
    """Start the daemon in a session of its own, with nothing of ours but the part of the environment it may see."""
    kept = {name: env[name] for name in env if name in KEPT or name.startswith(KEPT_PREFIXES)} | GIVEN
    if posix.fork():
        return
    try:
        posix.setsid()
        posix.chdir("/")
        posix.umask(0o077)
        null = posix.open("/dev/null", posix.O_RDWR)
        for fd in (0, 1, 2):
            posix.dup2(null, fd)
        posix.closerange(3, 1024)
        posix.execve(argv[0], argv, kept)
    finally:
        posix._exit(127)


# --- spool ------------------------------------------------------------------------------------------------------


def spool(directory: str, delivery: bytes, entrypoint: bytes, found: dict[bytes, bytes]) -> None:
    """Leave a pointer to the event: a small file, whole or not there. Not synced: the transcript is the other copy."""
    try:
        posix.mkdir(directory, 0o700)
    except FileExistsError:
        if is_full(directory, delivery):
            return
    at_ns = max(time.time_ns(), 0)  # a clock may say that it is before 1970
    event, session, transcript, cwd = (checked(found.get(name, b"")) for name in FIELDS)
    entry = (
        b'{"v":1,"harness":"%b","delivery":"%b","at_ns":%d,"event":"%b","session_id":"%b","transcript_path":"%b",'
        b'"transcript_bytes":%d,"cwd":"%b","entrypoint":"%b"}\n'
    ) % (HARNESS, delivery, at_ns, event, session, transcript, size_of(transcript), cwd, entrypoint)
    name = f"{directory}/{at_ns:020d}-{delivery.decode()}"
    fd = posix.open(name + ".tmp", NEW_FILE | posix.O_EXCL, 0o600)
    try:
        if posix.write(fd, entry) == len(entry):
            posix.rename(name + ".tmp", name + ".json")
    except OSError:  # the disk is full: an empty file takes room too
        posix.unlink(name + ".tmp")
        raise


def size_of(literal: bytes) -> int:
    """Return the size in bytes of the file that a JSON string names, -1 when there is none."""
    try:
        return posix.stat(unescaped(literal)).st_size
    except OSError:
        return -1


def is_full(directory: str, delivery: bytes) -> bool:
    """Return whether the spool holds enough; then the event is dropped, and counted: a byte in a file, 1 MB at most.

    A listing costs milliseconds: one event in 64 makes it, and marks what it found for the others.
    """
    mark = directory + "/full"
    if delivery[:2] in (b"00", b"40", b"80", b"c0") and len(posix.listdir(directory)) > SPOOL_MAX:
        touch(mark)
    if not posix.access(mark, posix.F_OK):
        return False
    fd = posix.open(directory + "/dropped", NEW_FILE | posix.O_APPEND, 0o600)
    if posix.fstat(fd).st_size < DROPS_MAX:
        posix.write(fd, b".")
    return True


def touch(path: str) -> None:
    """Make an empty file, or give the one that is there the present time."""
    posix.close(posix.open(path, NEW_FILE, 0o600))
    posix.utime(path)


def checked(literal: bytes) -> bytes:
    """Return a JSON string as it stands when it is a sound one of sensible length, else nothing."""
    try:
        is_sound = len(literal) <= FIELD_MAX and min(literal, default=32) >= ord(" ") and "\0" not in unescaped(literal)
    except (ValueError, SystemError):
        is_sound = False
    return literal if is_sound else b""


def debug(env: dict[bytes, bytes], error: BaseException) -> None:
    """Say on stderr what went wrong, only when asked to."""
    if env.get(b"WISEN_DEBUG"):
        posix.write(2, f"wisen: {type(error).__name__}: {error}\n".encode("utf-8", "backslashreplace"))


def run() -> None:
    """Handle the event on stdin and leave at once with exit code 0, without the interpreter's own goodbye (0.5 ms)."""
    try:
        main(sys.argv, posix.environ, time.monotonic())
    except BaseException as error:  # noqa: BLE001 - the hook's edge: silence, exit 0
        debug(posix.environ, error)
    finally:
        posix._exit(0)
