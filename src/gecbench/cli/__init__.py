"""The command line: `gecbench demo | score | compare | run | convert | results | leaderboard | push | doctor`."""

from gecbench.cli.main import main

__all__ = ["main"]
