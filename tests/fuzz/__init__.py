"""Automatic attacks on gecbench: `python -m tests.fuzz --minutes N`."""

import sys
from pathlib import Path

_TESTS = Path(__file__).parents[1]
for _folder in (str(_TESTS), str(_TESTS / "support")):
    if _folder not in sys.path:
        sys.path.insert(0, _folder)  # as pytest does
