"""A scripted model on 127.0.0.1 that speaks enough of the Anthropic Messages API for the real Claude Code.

The main conversation plays `turns` in order, then `after` for ever. A request whose last user text contains a key of
`asides` gets that turn instead, wherever it comes from (a subagent, say); compaction and tool-less side requests are
answered by themselves. Every request is kept, parsed, for the test to look into.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Literal, Self

import msgspec

COMPACTION_PROMPT = "Your task is to create a detailed summary of the conversation"
SUMMARY = "<analysis>short</analysis>\n<summary>SUMMARY-OF-THE-WORK-SO-FAR</summary>"

Kind = Literal["main", "aside", "compaction", "side"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call of the scripted model."""

    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the scripted model says and does next. `input_tokens`: the context size to claim; None counts the bytes."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    input_tokens: int | None = None


def shell(command: str) -> Call:
    """Return a call of the shell tool."""
    return Call(tool="Bash", arguments={"command": command, "description": "a scripted step"})


def subtask(prompt: str) -> Call:
    """Return a call that hands `prompt` to a subagent."""
    return Call(tool="Agent", arguments={"description": "a part", "prompt": prompt, "subagent_type": "general-purpose"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a request, its text parts joined, tool results included."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One model request as it arrived."""

    kind: Kind
    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    raw: bytes = field(repr=False)

    @property
    def last_user(self) -> str:
        """The text of the last user message."""
        return next((m.text for m in reversed(self.messages) if m.role == "user"), "")


@dataclass(slots=True)
class MockModel:
    """The server; a context manager. `url` is what ANTHROPIC_BASE_URL must be."""

    turns: tuple[Turn, ...] = ()
    after: Turn = Turn(text="DONE")
    asides: Mapping[str, Turn] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    _played: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: ThreadingHTTPServer | None = None

    def script(self, *turns: Turn, asides: Mapping[str, Turn] | None = None) -> None:
        """Play `turns` from here on."""
        with self._lock:
            self.turns, self.asides, self._played = turns, asides or {}, 0

    def main_requests(self) -> list[Request]:
        """Return the requests of the main conversation so far."""
        with self._lock:
            return [r for r in self.requests if r.kind == "main"]

    @property
    def url(self) -> str:
        """The address to send requests to."""
        assert self._server is not None, "the model is not started"
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, raw: bytes) -> tuple[Turn, _Body]:
        """Record a request and return the turn that answers it."""
        body = msgspec.json.decode(raw, type=_Body)
        messages = tuple(Message(role=m.role, text=_text(m.content)) for m in body.messages)
        tools = tuple(t.name for t in body.tools)
        last = next((m.text for m in reversed(messages) if m.role == "user"), "")
        with self._lock:
            kind, turn = self._choose(last, has_tools=bool(tools))
            request = Request(
                kind=kind, model=body.model, system=_text(body.system), messages=messages, tools=tools, raw=raw
            )
            self.requests.append(request)
        return turn, body

    def _choose(self, last: str, *, has_tools: bool) -> tuple[Kind, Turn]:
        if COMPACTION_PROMPT in last:
            return "compaction", Turn(text=SUMMARY)
        for key, turn in self.asides.items():
            if key in last:
                return "aside", turn
        if not has_tools:
            return "side", Turn(text="ok")
        self._played += 1
        return "main", self.turns[self._played - 1] if self._played <= len(self.turns) else self.after

    def __enter__(self) -> Self:
        model: MockModel = self

        class Handler(_Handler):
            mock = model

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._server is not None, "the model is not started"
        self._server.shutdown()
        self._server.server_close()


# --- the wire ---------------------------------------------------------------------------------------------------


class _Block(msgspec.Struct):
    type: str = "text"
    text: str = ""
    content: str | list[_Block] | None = None


class _Message(msgspec.Struct):
    role: str
    content: str | list[_Block]


class _Tool(msgspec.Struct):
    name: str = ""


class _Body(msgspec.Struct):
    messages: list[_Message]
    model: str = ""
    stream: bool = False
    system: str | list[_Block] = ""
    tools: list[_Tool] = []


def _text(content: str | list[_Block] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(filter(None, (block.text or _text(block.content) for block in content)))


class _Handler(BaseHTTPRequestHandler):
    mock: MockModel
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Keep the test output clean."""

    def do_HEAD(self) -> None:
        self._send(200, "application/json", b"")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.split("?")[0]
        if path == "/v1/messages/count_tokens":
            self._send(200, "application/json", b'{"input_tokens": %d}' % (len(raw) // 4 + 1))
            return
        if path != "/v1/messages":
            self.mock.unexpected.append(self.path)
            self._send(404, "application/json", b'{"type":"error","error":{"type":"not_found_error","message":"?"}}')
            return
        turn, body = self.mock.answer(raw)
        message = _message(turn, body.model, len(raw))
        if body.stream:
            self._send(200, "text/event-stream", b"".join(_stream(message)))
        else:
            self._send(200, "application/json", json.dumps(message).encode())

    def _send(self, status: int, content_type: str, data: bytes) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except ConnectionError:  # the harness was stopped or interrupted: its right
            self.close_connection = True


def _message(turn: Turn, model: str, request_bytes: int) -> dict[str, object]:
    content: list[dict[str, object]] = [{"type": "text", "text": turn.text}] if turn.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:20]}", "name": call.tool, "input": dict(call.arguments)}
        for call in turn.calls
    ]
    tokens = request_bytes // 4 + 1 if turn.input_tokens is None else turn.input_tokens
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens,
            "output_tokens": 20,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def _stream(message: dict[str, object]) -> Iterator[bytes]:
    yield _sse({"type": "message_start", "message": {**message, "content": [], "stop_reason": None}})
    content = message["content"]
    assert isinstance(content, list)
    for index, block in enumerate(content):
        if block["type"] == "text":
            opening: dict[str, object] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            opening = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _sse({"type": "content_block_start", "index": index, "content_block": opening})
        yield _sse({"type": "content_block_delta", "index": index, "delta": delta})
        yield _sse({"type": "content_block_stop", "index": index})
    yield _sse(
        {
            "type": "message_delta",
            "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
            "usage": message["usage"],
        }
    )
    yield _sse({"type": "message_stop"})


def _sse(event: dict[str, object]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
