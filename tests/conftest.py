"""What holds for every test: no deadline for a generated example, so that a busy machine fails nothing."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("wisen", deadline=None, max_examples=60)
settings.load_profile("wisen")
