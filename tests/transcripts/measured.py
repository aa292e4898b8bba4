"""Reads a session file in a process of its own and says what that took: `python measured.py FILE [redact]`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from wisen.adapters.claude_file import read
from wisen.core.records import ReadMark
from wisen.redact import FloorRedactor


def peak_mb() -> float:
    """Return the most resident memory this program ever had, in MB; `getrusage` tells that of whoever started it."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.split("\n") if line.startswith("VmHWM:")) * 1024 / 1e6


def main(path: str, redact: str = "") -> None:
    before = peak_mb()
    began = time.perf_counter()
    reading = read(
        path, ReadMark(), assume_interactive=True, known=(), redact=FloorRedactor().redact if redact else str
    )
    events = sum(1 for _ in reading)
    took = {
        "events": events,
        "skipped": reading.skipped,
        "offset": reading.mark.offset,
        "seconds": time.perf_counter() - began,
        "grown_mb": peak_mb() - before,
        "peak_mb": peak_mb(),
    }
    print(json.dumps(took))


if __name__ == "__main__":
    main(*sys.argv[1:])
