"""The one builder: rows of the catalogue as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import datasets

from gecbench.corpora.catalog import DatasetDeclaration
from gecbench.corpora.schema import features
from gecbench.corpora.upstream import Upstream


def builder_configs(declared: DatasetDeclaration) -> list[Any]:
    """Return the configurations as `datasets` wants them."""
    return [
        datasets.BuilderConfig(
            name=config.name, version=datasets.Version(declared.version), description=config.description
        )
        for config in declared.configs.values()
    ]


class RowsBuilder(datasets.GeneratorBasedBuilder):  # type: ignore[misc]
    """Make a dataset from upstream files; `mirror`, or `data_dir`, may name a mirror folder."""

    DECLARED: ClassVar[DatasetDeclaration]
    mirror: str | None = None

    def __init__(self, *args: Any, data_files: Any = None, **kwargs: Any) -> None:
        del data_files  # never used: a bare name must not pick up files of the current folder
        super().__init__(*args, **kwargs)

    def _info(self) -> Any:
        config = self.DECLARED.config(self.config.name)
        return datasets.DatasetInfo(
            description=f"{self.DECLARED.title}: {config.description}",
            features=features(config.fields),
            homepage=self.DECLARED.homepage,
            license=self.DECLARED.licence,
        )

    def _split_generators(self, dl_manager: Any) -> list[Any]:
        del dl_manager
        splits = self.DECLARED.config(self.config.name).splits
        return [datasets.SplitGenerator(name=split, gen_kwargs={"split": split}) for split in splits]

    def _generate_examples(self, split: str) -> Iterator[tuple[int, dict[str, Any]]]:
        upstream = Upstream.from_environment(self.mirror or self.config.data_dir)
        return enumerate(self.DECLARED.config(self.config.name).rows(upstream, split))
