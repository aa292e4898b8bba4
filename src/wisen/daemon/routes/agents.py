"""What may an agent have the daemon do? One table of every route; one that is not in it does not come to be.

The command line holds to the same rule for its commands (`cli/agents.py`). An agent is whoever says `by_agent`: in the
body of what changes something, in the query of what is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wisen.core.types import Memory, Status
from wisen.daemon.routes.call import Call, Handler, Reply
from wisen.daemon.views import View, memory_view
from wisen.errors import Refused

# Nothing to refuse: harmless, or the harness's own hook.
OPEN: Final = frozenset(
    {
        "GET /v1/health", "GET /v1/status", "GET /v1/troubles", "GET /v1/repo", "GET /v1/graphs/stats",
        "POST /v1/hook/{harness}", "POST /v1/flush", "POST /v1/mend",
    }
)  # fmt: skip

# Not all that is asked for is done or shown: the route sees to it, because it depends on the memory or on the deed.
LIMITED: Final = frozenset(
    {
        "GET /v1/memories", "GET /v1/memories/{ref}", "GET /v1/review", "GET /v1/journal", "GET /v1/receipts",
        "GET /v1/heard", "POST /v1/recall", "POST /v1/memories", "POST /v1/memories/{ref}/forget", "POST /v1/deeds",
        "POST /v1/review/{ref}", "POST /v1/mcp",
    }
)  # fmt: skip

REFUSED: Final[Mapping[str, str]] = {
    "POST /v1/shutdown": "stop the daemon: that ends learning",
    "POST /v1/memories/{ref}/edit": "reword or pin a memory",
    "POST /v1/undo": "take a change back",
    "POST /v1/repo/trust": "say that a clone is to be trusted",
    "POST /v1/graphs/remove": "delete a graph",
    "GET /v1/why-not": "ask what became of its user's words",
    "GET /v1/export": "export memories",
    "GET /v1/export/page": "export memories",
    "POST /v1/import": "import memories",
    "GET /v1/guide": "compare its user's memories with a guide",
    "POST /v1/learn": "learn from its user's past sessions",
}


def guarded(route: str, handler: Handler) -> Handler:
    """Return a handler that does what the table says of its route, such as `GET /v1/status`."""
    if route in OPEN or route in LIMITED:
        return handler
    what = REFUSED[route]

    def for_people(call: Call) -> Reply:
        refuse_agent(call, what)
        return handler(call)

    return for_people


def refuse_agent(call: Call, what: str) -> None:
    """Raise Refused for what an agent asks for and may not do."""
    if call.is_by_agent:
        raise Refused(f"an agent may not {what}", hint="run it in a terminal of your own")


def is_shown(call: Call, memory: Memory | None) -> bool:
    """Return whether who asks may read a memory: to an agent, what was put away or waits has no text."""
    return not call.is_by_agent or memory is None or memory.status is Status.ACTIVE


def veiled(view: View) -> View:
    """Return a memory, a change or a sentence without what it says: '' where there was a text, None where none was."""
    return {name: type(value)() if name in _SAYING and value is not None else value for name, value in view.items()}


def seen(call: Call, memory: Memory) -> View:
    """Return the view of a memory as who asks may see it; its evidence may be words that the user took back since."""
    view = memory_view(memory)
    if not call.is_by_agent:
        return view
    return view | {"evidence": []} if is_shown(call, memory) else veiled(view)


# The fields of those views that hold words: strings and lists.
_SAYING: Final = frozenset(
    {
        "text", "title", "why", "how_to_apply", "category", "tags", "evidence",
        "before_text", "after_text", "reason", "sentence", "rule",
    }
)  # fmt: skip
