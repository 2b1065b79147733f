"""The campaign: attacks on gecbench that machines repeat, `python -m tests.campaign --minutes N`."""

import sys
from pathlib import Path

if (_TESTS := str(Path(__file__).parents[1])) not in sys.path:
    sys.path.insert(0, _TESTS)  # as pytest does
