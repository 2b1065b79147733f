"""The `evaluate` modules that travel with gecbench: loading them, and making their bare names known."""

from __future__ import annotations

import sys
from functools import wraps
from pathlib import Path
from typing import Any

from gecbench.errors import InputError

_PACKAGE = Path(__file__).parent


def modules_folder(kind: str) -> Path:
    """Return the folder of the modules of a kind, installed with the package or in its source tree."""
    for folder in (_PACKAGE / "_modules" / kind, _PACKAGE.parent.parent / kind):
        if folder.is_dir():
            return folder
    raise InputError(f"this installation carries no {kind} modules", fix="Reinstall gecbench")


def metric_modules() -> dict[str, Path]:
    """Return the folders of the `evaluate` metric modules by name."""
    folders = sorted(modules_folder("metrics").iterdir())
    return {folder.name: folder for folder in folders if (folder / f"{folder.name}.py").is_file()}


def load_metric(name: str, **options: Any) -> Any:
    """Load one of gecbench's `evaluate` modules by name, offline, from the installed package.

    Options are those of `evaluate.load`: `experiment_id`, `num_process`, `process_id`, `keep_in_memory`, …
    """
    import evaluate

    known = metric_modules()
    if name not in known:
        raise InputError(f"no evaluate module {name!r}", fix=f"Known modules: {', '.join(known)}")
    return evaluate.load(str(known[name]), **options)


def register(*, quiet: bool = False) -> list[str]:
    """Make `evaluate.load("gleu")` find gecbench's modules, in this process, offline too.

    Says on standard error what it did unless `quiet`, and returns the names. `unregister()` undoes it.
    """
    from evaluate import loading

    names = metric_modules()
    original = loading.evaluation_module_factory
    if not hasattr(original, "gecbench_original"):

        @wraps(original)
        def factory(path: str, *arguments: Any, **options: Any) -> Any:
            return original(str(names.get(path, path)), *arguments, **options)

        factory.gecbench_original = original  # type: ignore[attr-defined]
        loading.evaluation_module_factory = factory
    if not quiet:
        listed = ", ".join(f'evaluate.load("{name}")' for name in names)
        print(
            f"gecbench: in this process {listed} now loads gecbench's module; undo: gecbench.unregister()",
            file=sys.stderr,
        )
    return list(names)


def unregister() -> None:
    """Give bare names in `evaluate.load` back their usual meaning."""
    from evaluate import loading

    loading.evaluation_module_factory = getattr(
        loading.evaluation_module_factory, "gecbench_original", loading.evaluation_module_factory
    )
