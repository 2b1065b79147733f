"""A builder for the `datasets` library.

It provides our datasets as Arrow tables.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
from datasets.load import BuilderConfigsParameters, configure_builder_class

from gecbench.corpora.catalog import DATASETS
from gecbench.corpora.declaration import Config, DatasetDeclaration, features
from gecbench.corpora.upstream import Upstream
from gecbench.errors import GecbenchError
from gecbench.formats.text import write_bytes

_HASHES = "gecbench_sha256.json"


class RowsBuilder(datasets.GeneratorBasedBuilder):  # type: ignore[misc]
    """Build the dataset `dataset_name` from upstream files.

    A mirror folder can be given as `mirror` or `data_dir`.
    """

    mirror: str | None = None

    def __init__(self, *args: Any, data_files: Any = None, **kwargs: Any) -> None:
        del data_files  # never used: a bare name must not pick up files of the current folder
        super().__init__(*args, **kwargs)

    @property
    def declared(self) -> DatasetDeclaration:
        """The dataset in the catalog."""
        return DATASETS[self.dataset_name]

    @property
    def chosen(self) -> Config:
        """The configuration in the catalog."""
        return self.declared.config(self.config.name)

    def _info(self) -> Any:
        return datasets.DatasetInfo(
            description=f"{self.declared.title}: {self.chosen.description}",
            features=features(self.chosen.fields),
            homepage=self.declared.homepage,
            license=self.declared.license,
            citation=self.declared.citation,
        )

    def download_and_prepare(self, *args: Any, **kwargs: Any) -> None:
        """Prepare the dataset. If its prepared files have been changed, prepare it again."""
        self._prepare(*args, **kwargs)
        if Path(self._output_dir).is_dir() and _hashes(self._output_dir) != _recorded(self._output_dir):
            self._prepare(*args, **{**kwargs, "download_mode": "force_redownload"})

    def _prepare(self, *args: Any, **kwargs: Any) -> None:
        """Prepare the dataset.

        If `datasets` wraps an error of gecbench in a general error, raise the original error.
        """
        try:
            super().download_and_prepare(*args, **kwargs)
        except Exception as error:
            if isinstance(error.__cause__, GecbenchError):
                raise error.__cause__ from None
            raise

    def _download_and_prepare(self, *args: Any, **kwargs: Any) -> None:
        super()._download_and_prepare(*args, **kwargs)
        if Path(self._output_dir).is_dir():
            write_bytes(Path(self._output_dir) / _HASHES, json.dumps(_hashes(self._output_dir)).encode())

    def _split_generators(self, dl_manager: Any) -> list[Any]:
        del dl_manager
        return [datasets.SplitGenerator(name=split, gen_kwargs={"split": split}) for split in self.chosen.splits]

    def _generate_examples(self, split: str) -> Iterator[tuple[int, dict[str, Any]]]:
        upstream = Upstream.from_environment(self.mirror or self.config.data_dir)
        return enumerate(self.chosen.rows(upstream, split))


def _hashes(folder: str) -> dict[str, str]:
    """Return the SHA-256 of every Arrow and Parquet file in a prepared folder."""
    files = sorted(path for ending in ("arrow", "parquet") for path in Path(folder).glob(f"*.{ending}"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _recorded(folder: str) -> object:
    try:
        return json.loads((Path(folder) / _HASHES).read_bytes())
    except (OSError, ValueError):
        return None


def builder_parameters(declared: DatasetDeclaration) -> Any:
    """Return a dataset's configurations in the form that `datasets` expects."""
    version = datasets.Version(declared.version)
    configs = [
        datasets.BuilderConfig(name=config.name, version=version, description=config.description)
        for config in declared.configs.values()
    ]
    return BuilderConfigsParameters(builder_configs=configs, default_config_name=declared.default_config)


def builder_class(declared: DatasetDeclaration) -> Any:
    """Return a subclass of `RowsBuilder` with the configurations of a dataset."""
    found = builder_parameters(declared)
    return configure_builder_class(RowsBuilder, found.builder_configs, found.default_config_name, declared.name)
