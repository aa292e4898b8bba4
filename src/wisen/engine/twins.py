"""Is that known already? The memory of a graph that states the same rule, in other dress or in other words.

What a person does (reword, bring back, undo) is compared word for word; what was heard is compared by what it is about.
"""

from __future__ import annotations

from collections.abc import Sequence

from wisen.core.lifecycle import fingerprint, same_rule
from wisen.core.recalls import MemoryFilter
from wisen.core.sameness import gives_up, is_change, is_same, key_words
from wisen.core.triggers import is_same_call, same_recipe
from wisen.core.types import Memory, MemoryKind, Status, Trigger
from wisen.ports import GraphStore

# Beyond so many memories only equal wordings are found; a graph of rules is far smaller.
MOST_COMPARED = 2000
# A wording of the same rule shares most of its words: the rarest are looked for, and of them the common ones only where
# there is no other.
_WORDS_COUNTED = 8
_LOOKED_FOR = 3
_RARE = 200
_LOOKED_AT = 40  # memories that hold them
_STANDING = frozenset(status for status in Status if status is not Status.SUPERSEDED)


def most_of(store: GraphStore, statuses: frozenset[Status] = frozenset(Status)) -> Sequence[Memory]:
    """Return the memories of a graph that are compared; each is read and checked, which costs some 15 us."""
    return store.list(MemoryFilter(statuses=statuses), limit=MOST_COMPARED)


def twin_of(
    store: GraphStore,
    text: str,
    *,
    but_not: str = "",
    among: frozenset[Status] = _STANDING,
    known: Sequence[Memory] | None = None,
    trigger: Trigger | None = None,
) -> Memory | None:
    """Return the oldest memory that says the same, an active one before all others; or None.

    One that was superseded does not count unless `among` has it. An active twin hides those that were put away: to
    bring one of them back beside it would recall the same rule twice. `known` is what `most_of` said a moment ago.
    One step may mend two commands: with another `trigger` it is another recipe.
    """
    digest = fingerprint(text)
    same = [m for m in store.by_digest(digest) if m.status in among and m.memory_id != but_not]
    same = [m for m in same if is_same_call(m.trigger, trigger)]
    if not any(m.status is Status.ACTIVE for m in same):
        known = [m for m in known if m.status in among] if known is not None else most_of(store, among)
        known = [m for m in known if is_same_call(m.trigger, trigger)]
        same += [m for m in known if m.memory_id != but_not and _says_the_same(m, text, trigger)]
    return min(same, key=lambda m: (m.status is not Status.ACTIVE, m.created_at, m.memory_id), default=None)


def _says_the_same(memory: Memory, text: str, trigger: Trigger | None) -> bool:
    return same_rule(memory.text, text) if trigger is None else same_recipe(memory, text, trigger)


def near_of(store: GraphStore, text: str, *, trigger: Trigger | None = None) -> Memory | None:
    """Return the memory that states the same rule, maybe in other words; an active one before all others; or None.

    The same dress is looked for first; a recipe is only ever the same so (see `same_recipe`). Costs about the same
    however many memories there are: few are read, those that share the rarest words.
    """
    found = _sharing(store, text)
    twin = twin_of(store, text, known=found, trigger=trigger)
    if trigger is not None or (twin is not None and twin.status is Status.ACTIVE):
        return twin
    near = [memory for memory in found if _is_rule(memory) and is_same(text, memory.text)]
    both = [*near, *([twin] if twin is not None else [])]
    return min(both, key=lambda m: (m.status is not Status.ACTIVE, m.created_at, m.memory_id), default=None)


def given_up_by(store: GraphStore, text: str) -> tuple[Memory, ...]:
    """Return the active rules that the words take back explicitly, as "we moved from A to B" does "use A"."""
    found = _sharing(store, text) if is_change(text) else ()
    return tuple(m for m in found if _is_rule(m) and m.status is Status.ACTIVE and gives_up(text, m.text))


def _is_rule(memory: Memory) -> bool:
    return memory.kind is MemoryKind.SEMANTIC and memory.trigger is None


def _sharing(store: GraphStore, text: str) -> Sequence[Memory]:
    """Return the memories that share the rarest words of a text; of one that has none, all that are compared."""
    words = key_words(text)
    if not words:
        return most_of(store, _STANDING)
    _, counts = store.occurrences(words[:_WORDS_COUNTED])
    known = sorted((word for word in counts if counts[word]), key=lambda word: counts[word])
    rarest = [word for n, word in enumerate(known[:_LOOKED_FOR]) if n == 0 or counts[word] <= _RARE]
    if not rarest:
        return ()
    found = store.search(rarest, MemoryFilter(statuses=_STANDING), limit=_LOOKED_AT)
    return tuple(hit.memory for hit in found.hits)
