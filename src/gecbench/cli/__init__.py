"""The command line: one module per command."""

from gecbench.cli.main import main

__all__ = ["main"]
