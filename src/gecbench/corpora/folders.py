"""Folders that travel with the package: the Hub modules in `metrics/` and `datasets/`."""

from __future__ import annotations

from pathlib import Path

from gecbench.errors import InputError

_PACKAGE = Path(__file__).parent.parent


def modules_folder(kind: str) -> Path:
    """Return the folder of the modules of a kind, installed with the package or in its source tree."""
    for folder in (_PACKAGE / "_modules" / kind, _PACKAGE.parent.parent / kind):
        if folder.is_dir():
            return folder
    raise InputError(f"this installation carries no {kind} modules", fix="Reinstall gecbench")
