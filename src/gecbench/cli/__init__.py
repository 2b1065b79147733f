"""The command line: `gecbench score | compare | convert | demo | doctor`."""

from gecbench.cli.main import main

__all__ = ["main"]
