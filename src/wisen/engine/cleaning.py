"""What leaves a text before anything is made of it: first what hides in it, then what is secret.

In this order, because a hidden character in the middle of a key would hide the key. Names of files and directories are
redacted and nothing else: a tidied one may name another file.
"""

from __future__ import annotations

from wisen.core.hygiene import tidied
from wisen.ports import Redactor


def clean_words(text: str, redactor: Redactor) -> str:
    """Return words as they may be kept; idempotent."""
    return redactor.redact(tidied(text))
