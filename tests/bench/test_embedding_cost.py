"""What the packaged model costs: time to load, memory, a query, texts a second."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

PROGRAM = """
import statistics, time
from pathlib import Path
from wisen.models.chain import EmbedderChain, EmbeddingConfig

def mb():
    said = Path("/proc/self/status").read_text()
    return {key: int(said.split(key + ":")[1].split()[0]) // 1024 for key in ("VmRSS", "VmHWM")}

words = "the tests of the parser fail on windows because a path has another separator there".split()
now = [0.0]
chain = EmbedderChain(EmbeddingConfig(), monotonic=lambda: now[0])
print("before", mb()["VmRSS"], "MB")
start = time.perf_counter()
chain.space()
print(f"foreseen in {time.perf_counter() - start:.2f} s")
start = time.perf_counter()
model = chain.now(within=60)
print(f"loaded in {time.perf_counter() - start:.2f} s,", mb()["VmRSS"], "MB")
taken = []
for number in range(200):
    start = time.perf_counter()
    chain.query(f"why does the test {number} fail on windows?", within=60)
    taken.append(1000 * (time.perf_counter() - start))
taken.sort()
print(f"a query: median {statistics.median(taken):.1f} ms, 95 of 100 within {taken[190]:.1f} ms")
for name, size in (("14 words", 1), ("80 words", 6), ("300 words", 22)):
    texts = [" ".join((words * size)[number % 5:]) for number in range(1280 // size // 4)]
    start = time.perf_counter()
    for at in range(0, len(texts), 64):
        model.embed(texts[at : at + 64])
    print(f"{name}: {len(texts) / (time.perf_counter() - start):.0f} a second, most", mb()["VmHWM"], "MB")
print("after", mb()["VmRSS"], "MB")
start = time.process_time()
time.sleep(1)
print(f"idle: {1000 * (time.process_time() - start):.1f} ms of CPU in a second")
del model
now[0] += 3600
chain.release_if_idle()
print("let go", mb()["VmRSS"], "MB")
"""


def test_what_a_model_costs() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    print(f"\n{run.stdout}")
    assert "let go" in run.stdout
