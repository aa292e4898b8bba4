"""The recall blocks inside a model request: what of the memory really reached the model, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.e2e.mockllm import Request

_BLOCK = re.compile(
    r'<wisen-memory id="(?P<nonce>[^"]+)"(?P<head>[^\n]*)\n(?P<body>.*?)</wisen-memory id="(?P=nonce)">', re.DOTALL
)
_LINE = re.compile(r"^- \[(?P<short>[^\]]+)\] (?P<text>.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block. `memories`: short id -> text; `trigger`: the moment it was recalled for."""

    nonce: str
    first_line: str
    trigger: str
    memories: dict[str, str]

    def has(self, text: str) -> bool:
        """Say whether a memory's line contains `text`."""
        return any(text in line for line in self.memories.values())


def blocks(request: Request) -> list[Block]:
    """Return the blocks in the messages of a request, in order."""
    return [_parsed(found) for message in request.messages for found in _BLOCK.finditer(message.text)]


def fences(request: Request) -> int:
    """Count every trace of a fence in a request, the top-level system prompt included."""
    return request.raw.count(b"wisen-memory")


def shown(request: Request) -> list[str]:
    """Return the short ids of all memories in a request's blocks; one shown twice stands there twice."""
    return [short for block in blocks(request) for short in block.memories]


def _parsed(found: re.Match[str]) -> Block:
    trigger = re.search(r'trigger="([^"]*)"', found["head"])
    return Block(
        nonce=found["nonce"],
        first_line=found[0].split("\n", 1)[0],
        trigger=trigger[1] if trigger else "",
        memories={line["short"]: line["text"] for line in _LINE.finditer(found["body"])},
    )
