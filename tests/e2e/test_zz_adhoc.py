import json
from tests.e2e.test_driver import *
from tests.e2e.test_install import SHAPES
import pytest
@pytest.mark.parametrize("n",["98500","150000"])
def test_auto(home, repo, model,n):
    model.script(Turn(text="ONE", input_tokens=int(n)), Turn(text="TWO"), Turn(text="THREE"))
    run = ClaudeCode(home, repo).feed(["hello", "carry on", "thank you"], "--autocompact", "100000")
    print(run, [r.kind for r in model.requests]); print(calls(home))
    for r in model.requests: print(r.kind,[ (m.role,m.text[-60:]) for m in r.messages])
def test_clear(home, repo, model):
    run = ClaudeCode(home, repo).feed(["hello", "/compact", "/clear", "thank you"])
    print(run, [r.kind for r in model.requests]); print(calls(home))
