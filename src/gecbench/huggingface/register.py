"""Load gecbench's modules, and let `evaluate` and `datasets` find them by name."""

from __future__ import annotations

import shutil
import sys
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gecbench.corpora.catalog import DATASETS, code_hash, modules_folder
from gecbench.display import log_info
from gecbench.errors import InputError

if TYPE_CHECKING:
    import evaluate


def metric_modules() -> dict[str, Path]:
    """Return the folders of the `evaluate` metric modules by name."""
    folders = sorted(modules_folder("metrics").iterdir())
    return {folder.name: folder for folder in folders if (folder / f"{folder.name}.py").is_file()}


def load_metric(name: str, **options: Any) -> evaluate.EvaluationModule:
    """Load an `evaluate` module of gecbench from the installed package.

    This needs no network.

    Args:
        name: The metric, such as "gleu".
        **options: Options of `evaluate.load`: `experiment_id`, `num_process`, `process_id`, `keep_in_memory`, …

    Returns:
        The module. Call its `compute` with `sources`, `predictions` and `references`.

    Raises:
        InputError: There is no such module.

    >>> load_metric("gleu").name  # doctest: +SKIP
    'gleu'
    """
    import evaluate

    known = metric_modules()
    if name not in known:
        raise InputError(f"gecbench has no evaluate module {name!r}", fix=f"Known modules: {', '.join(known)}")
    return evaluate.load(str(known[name]), **options)


def register(*, quiet: bool = False) -> list[str]:
    """Let `evaluate` and `datasets` find gecbench's modules in this process.

    Afterwards, `evaluate.load("gleu")` and `datasets.load_dataset("jfleg")` load gecbench's modules. In a clone of
    gecbench's repository, `datasets.load_dataset("./datasets/jfleg")` first builds the dataset if its `data` folder is
    missing. Call `unregister()` to undo `register()`.

    Args:
        quiet: Print nothing. By default, standard error shows the calls that now load gecbench's modules.

    Returns:
        The names of the metrics and datasets.

    >>> "gleu" in register(quiet=True)  # doctest: +SKIP
    True
    """
    metrics, names = _register_metrics(), register_datasets()
    if not quiet:
        calls = [
            *(f'evaluate.load("{name}")' for name in metrics),
            *(f'datasets.load_dataset("{name}")' for name in names),
        ]
        print(
            f"gecbench: {', '.join(calls)} now load gecbench's modules. Undo this with gecbench.unregister()",
            file=sys.stderr,
        )
    return [*metrics, *names]


def unregister() -> None:
    """Undo `register`.

    `evaluate.load` and `datasets.load_dataset` then search the Hub again.

    >>> unregister()  # doctest: +SKIP
    """
    from evaluate import inspect, loading

    for module in (loading, inspect):
        found = module.evaluation_module_factory
        module.evaluation_module_factory = getattr(found, "gecbench_original", found)
    unregister_datasets()


def _register_metrics() -> list[str]:
    from evaluate import inspect, loading

    folders = metric_modules()
    original = loading.evaluation_module_factory
    if not hasattr(original, "gecbench_original"):

        @wraps(original)
        def factory(path: str, *arguments: Any, revision: Any = None, **options: Any) -> Any:
            if path in folders:
                _refuse_revision(path, revision)
                if options.get("force_local_path"):  # from `inspect_evaluation_module`, which copies only from the Hub
                    shutil.copytree(folders[path], options["force_local_path"], dirs_exist_ok=True)
            return original(str(folders.get(path, path)), *arguments, revision=revision, **options)

        factory.gecbench_original = original  # type: ignore[attr-defined]
        loading.evaluation_module_factory = inspect.evaluation_module_factory = factory
    return list(folders)


def _refuse_revision(name: str, revision: object) -> None:
    """Raise an error for a revision.

    The installed package has only one version of each module.
    """
    if revision is not None:
        problem = f"revision={str(revision)!r} cannot be loaded: {name!r} comes from the installed gecbench"
        fix = "Leave out revision and install that version of gecbench, or call gecbench.unregister() to use the Hub"
        raise InputError(problem, fix=fix)


_FACTORY = "PackagedDatasetModuleFactory"
_BUILDER = "gecbench.corpora.dataset_builder"


def register_datasets() -> list[str]:
    """Let `datasets.load_dataset` find gecbench's datasets, and return their names.

    A second call has no effect.
    """
    import datasets.load
    import datasets.packaged_modules

    table = datasets.packaged_modules._PACKAGED_DATASETS_MODULES
    for name in DATASETS:
        table[name] = (_BUILDER, code_hash())
    factory = getattr(datasets.load, _FACTORY)
    if not hasattr(factory, "before_gecbench"):
        setattr(datasets.load, _FACTORY, _factory_for_our_names(factory, datasets.load))
        datasets.load.dataset_module_factory = _with_our_checks(datasets.load.dataset_module_factory)
    return list(DATASETS)


def unregister_datasets() -> None:
    """Undo `register_datasets`."""
    import datasets.load
    import datasets.packaged_modules

    for name in DATASETS:
        datasets.packaged_modules._PACKAGED_DATASETS_MODULES.pop(name, None)
    factory = getattr(datasets.load, _FACTORY)
    setattr(datasets.load, _FACTORY, getattr(factory, "before_gecbench", factory))
    found = datasets.load.dataset_module_factory
    datasets.load.dataset_module_factory = getattr(found, "gecbench_original", found)


def _with_our_checks(original: Any) -> Any:
    """Wrap the function that finds a dataset.

    For a dataset of gecbench, a revision raises an error. A dataset folder in a fresh clone is built first.
    """

    @wraps(original)
    def factory(path: str, revision: Any = None, *arguments: Any, **options: Any) -> Any:
        if path in DATASETS:
            _refuse_revision(path, revision)
        else:
            _build_folder(Path(path))
        return original(path, revision, *arguments, **options)

    factory.gecbench_original = original  # type: ignore[attr-defined]
    return factory


def _build_folder(folder: Path) -> None:
    """Build the Parquet files of `datasets/<name>` in a fresh clone."""
    if folder.name in DATASETS and (folder / "build.py").is_file() and not (folder / "data").exists():
        from gecbench.corpora.build import build_dataset

        log_info(f"building {folder / 'data'}, as `python {folder / 'build.py'}` does")
        build_dataset(folder.name, folder)


def _factory_for_our_names(original: Any, load: ModuleType) -> Any:
    """Return the factory of packaged modules.

    For gecbench's names, this factory does not search the current folder.
    """

    class Factory(original):  # type: ignore[misc]
        before_gecbench = original

        def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
            if name in DATASETS:
                self.name = name
            else:
                super().__init__(name, *args, **kwargs)

        def get_module(self) -> Any:
            if self.name in DATASETS:
                from gecbench.corpora.dataset_builder import builder_parameters

                named = {"data_files": {}, "dataset_name": self.name}
                return load.DatasetModule(_BUILDER, code_hash(), named, builder_parameters(DATASETS[self.name]))
            return super().get_module()

    return Factory
