"""Which SQL stands under which name? Reads `.sql` files of named queries.

A file holds queries like this; the sentence says what the query answers and is required:

    -- name: memory_by_id
    -- The memory with this id.
    SELECT body FROM memories WHERE memory_id = :memory_id;

A line `-- include: other_name` stands for the text of another query of the file, so that two queries share one filter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_QUERY = re.compile(r"^-- name: (?P<name>\w+)\n(?P<doc>(?:-- .*\n)+)(?P<sql>(?:(?!-- name: ).*\n)+)", re.MULTILINE)
_INCLUDE = re.compile(r"^[ ]*-- include: (\w+)$", re.MULTILINE)


@cache
def load(path: Path, *shared: Path) -> Mapping[str, str]:
    """Return the queries of a file by name; it may include those of other files, which are `shared`.

    Raises ValueError when a name comes twice or something is left over.
    """
    text = path.read_text(encoding="utf-8")
    found = [(m["name"], m["sql"].strip().rstrip(";")) for m in _QUERY.finditer(text)]
    queries = dict(found)
    if len(queries) != len(found) or len(found) != text.count("-- name:"):
        raise ValueError(f"{path.name}: every query needs its own name, a sentence and a statement")
    fragments = {name: sql for one in shared for name, sql in load(one).items()} | queries
    return {name: _whole(sql, fragments) for name, sql in found}


def _whole(sql: str, fragments: Mapping[str, str]) -> str:
    """Return a query with everything that it includes, and what that includes in turn."""
    return _INCLUDE.sub(lambda m: _whole(fragments[m[1]], fragments), sql)
