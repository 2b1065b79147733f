"""Making the bare `datasets.load_dataset("jfleg")` find our builders.

`datasets` has no public hook for this; its table of packaged modules comes before files and the Hub, so
a name entered there is never answered by another dataset, cached or not.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from gecbench.corpora.catalog import DATASETS, code_hash
from gecbench.corpora.hub import module_name

_FACTORY = "PackagedDatasetModuleFactory"


def register_datasets() -> list[str]:
    """Let `datasets.load_dataset` find our datasets by bare name; return the names. Safe to call again."""
    import datasets.load
    import datasets.packaged_modules

    table = datasets.packaged_modules._PACKAGED_DATASETS_MODULES
    for name in DATASETS:
        table[name] = (module_name(name), code_hash())
    factory = getattr(datasets.load, _FACTORY)
    if not hasattr(factory, "before_gecbench"):
        setattr(datasets.load, _FACTORY, _factory_for_our_names(factory, datasets.load))
    return list(DATASETS)


def unregister_datasets() -> None:
    """Undo `register_datasets`."""
    import datasets.load
    import datasets.packaged_modules

    for name in DATASETS:
        datasets.packaged_modules._PACKAGED_DATASETS_MODULES.pop(name, None)
    factory = getattr(datasets.load, _FACTORY)
    setattr(datasets.load, _FACTORY, getattr(factory, "before_gecbench", factory))


def _factory_for_our_names(original: Any, load: ModuleType) -> Any:
    """Return the factory of packaged modules, without its search of the current folder for our names."""

    class Factory(original):  # type: ignore[misc]
        before_gecbench = original

        def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
            if name in DATASETS:
                self.name = name
            else:
                super().__init__(name, *args, **kwargs)

        def get_module(self) -> Any:
            if self.name in DATASETS:
                builder_arguments = {"data_files": {}, "dataset_name": self.name}
                return load.DatasetModule(module_name(self.name), code_hash(), builder_arguments)
            return super().get_module()

    return Factory
