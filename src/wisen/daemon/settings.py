"""What may the daemon do? The user's settings, or none of it where they can't be read."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from wisen.config import Paths, Settings, load_settings
from wisen.errors import SettingsError

log = logging.getLogger(__name__)


def settings_or_none(paths: Paths, env: Mapping[str, str]) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings and what is wrong with them. Settings that can't be read may say no: then nothing is done."""
    try:
        return load_settings(paths, env), ()
    except SettingsError as error:
        log.error("settings_refused", extra={"error": error.message})  # noqa: TRY400 - what happened is in the message
        return Settings(recall=False, learn=False), (error.message,)
