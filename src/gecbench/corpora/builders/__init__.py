"""Builders for the `datasets` library; a module here is named like its dataset, as `datasets` expects."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def module_name(dataset: str) -> str:
    """Return the module that holds a dataset's builder."""
    return f"{__name__}.{dataset}"


def builder_class(dataset: str) -> Any:
    """Return a dataset's builder class."""
    return import_module(module_name(dataset)).Builder
