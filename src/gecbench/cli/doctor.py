"""`gecbench doctor`: show the installed versions, kernels, mirror and cache."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gecbench import kernels
from gecbench.cli.options import add_command
from gecbench.formats.text import cache_folder
from gecbench.version import REQUIREMENT, __version__

_PACKAGES = (
    *("numpy", "datasets", "evaluate", "huggingface_hub", "sacrebleu", "scipy", "rapidfuzz", "matplotlib"),
    *("torch", "transformers", "errant", "spacy"),
)
_EXAMPLES = """  gecbench doctor
  GECBENCH_KERNELS=python gecbench doctor
"""


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    add_command(commands, "doctor", summary, _EXAMPLES, run)


def run(options: argparse.Namespace) -> None:
    """Print the facts of this installation, one per line."""
    del options
    native = kernels.native_module()
    facts = {
        "gecbench": f"{__version__} in {Path(kernels.__file__).parent.parent}",
        "python": f"{sys.version.split()[0]} on {platform.platform()}",
        "kernels": f"{kernels.active()} (compiled kernels {'present' if native else 'absent'})",
        "GECBENCH_KERNELS": os.environ.get("GECBENCH_KERNELS") or "not set",
        "mirror": _mirror(),
        "corpora cache": str(cache_folder()),
        **{package: _version(package) for package in _PACKAGES},
    }
    width = max(map(len, facts))
    for name, fact in facts.items():
        print(f"{name:<{width}}  {fact}")
    if native is None:
        print(
            "\nThe Python fallback gives the same results, but is slower. "
            "To compile the kernels, install a C++17 compiler and run:"
        )
        print(f'GECBENCH_REQUIRE_NATIVE=1 pip install --force-reinstall --no-deps "{REQUIREMENT}"')
        print("In a clone of the repository, replace the last argument by a dot: .")


def _mirror() -> str:
    folder = os.environ.get("GECBENCH_MIRROR")
    if not folder:
        return "GECBENCH_MIRROR not set"
    return folder if Path(folder).is_dir() else f"{folder} (no such folder)"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
