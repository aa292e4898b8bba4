"""How does a database file become what this version expects?

Migrations are numbered files `NNNN_verb_noun.sql`. Each runs in one transaction with the version it leads to. The
version number alone is not believed: tables and columns are compared with what the migrations build in memory, and
what is missing is added. Nothing is ever deleted here, and rows that break a rule are kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from wisen.errors import StoreDamaged, StoreError, StoreTooNew
