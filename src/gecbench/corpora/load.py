"""Load a corpus from a name (`demo`, `jfleg:test`), a file, rows or a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from gecbench.corpora.catalog import ALIASES, DATASETS, HUMAN_JUDGMENTS, code_hash
from gecbench.corpora.declaration import DatasetDeclaration, Row, as_annotations
from gecbench.corpora.demo import load_demo
from gecbench.corpora.upstream import Upstream
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.derive import derive_annotations, derive_references
from gecbench.display import shorten
from gecbench.errors import GIVE_TABLE, GIVE_TEXT, InputError, MissingDependencyError, did_you_mean, type_name
from gecbench.formats.judgments import Ranking, read_judgments
from gecbench.formats.m2 import parse_m2
from gecbench.formats.tables import ENDINGS, is_m2, read_edits
from gecbench.formats.text import STANDARD_INPUT, read_lines
from gecbench.metrics.base import Metric, with_needed_references

if TYPE_CHECKING:
    import datasets

CORPUS_FILES = (".m2", ".xml", ".jsonl")
CorpusLike = Corpus | str | Path | Iterable[Mapping[str, Any]]
Mirror = str | Path | None
_HUB = "hf:"
_CORPUS_COLUMNS = {"id", "sentence", "corrections", "annotations", "upstream_annotations"}


def resolve_corpus(what: CorpusLike, metrics: Sequence[str | Metric] | None = None) -> Corpus:
    """Return a corpus from a name, a file, rows or a `Corpus`.

    A file has the ending .m2, .xml or .jsonl, optionally followed by .gz. A name is, for example, `demo` or
    `jfleg:test`. A name may be a dataset on the Hub: `hf:owner/name`, `hf:owner/name:split` or
    `hf:owner/name:configuration:split`. Rows (a `datasets.Dataset`, a pandas, polars or Arrow table, a list of
    dictionaries) have the columns `sentence` and `corrections` or `annotations`, or other common names of source and
    references. If one of `metrics` needs references and there are none, they are made by applying the edits. Without
    `metrics`, this is done for files if possible.

    >>> resolve_corpus("demo").reference_range()
    '4'
    """
    if isinstance(what, Corpus):
        return what if metrics is None else with_needed_references(what, metrics)
    if not isinstance(what, (str, Path)):
        return _corpus_of_table(what)
    name = str(what)
    if name.startswith(_HUB):
        return _load_from_hub(name)
    return load_corpus(name) if is_known_name(name) else with_needed_references(read_file(name), metrics)


def load_corpus(
    name: str,
    config: str | None = None,
    split: str | None = None,
    *,
    annotations: bool | None = None,
    mirror: Mirror = None,
    upstream: Upstream | None = None,
) -> Corpus:
    """Load a known corpus for scoring, and download it if needed.

    Args:
        name: The corpus, such as "conll14". It may include configuration and split ("jfleg:test"). For "demo", the
            other arguments are ignored.
        config: The configuration. By default the one in `name`, or the default of the dataset.
        split: The split. By default the one in `name`, or "test" if the configuration has it, otherwise its last split.
        annotations: None loads edits if the configuration has edits. True derives missing edits from the references.
            False loads no edits.
        mirror: A folder with the dataset's files. By default the folder in the environment variable GECBENCH_MIRROR.
        upstream: The source of the files (`gecbench.corpora.upstream.Upstream`), instead of `mirror`.

    Returns:
        The corpus. `metadata["columns"]` has the other columns of the dataset, with one value per sentence.

    Raises:
        InputError: The corpus, configuration or split is unknown, or has no references.
        gecbench.errors.UpstreamError: A file cannot be downloaded.

    >>> load_corpus("demo")
    Corpus(name='demo', sentences=42, references=4, annotators=2)
    """
    if not isinstance(name, str):
        raise InputError(f"name={name!r:.60} is not a string", fix='Pass a name such as "jfleg:test"')
    if name == "demo":
        return load_demo()
    name, named_config, named_split = parse_corpus_name(name)
    declared = DATASETS[name]
    chosen = declared.config(config or named_config)
    split = chosen.check_split(split or named_split or chosen.default_split)
    if not chosen.scorable:
        others = f"Choose one of {', '.join(map(declared.corpus_name, declared.scorable()))}"
        files = f"{declared.corpus_name(chosen)} -p output.txt -o {declared.name}.zip"
        submit = f"To submit to {chosen.submit_to}, run: gecbench data submission {files}"
        raise InputError(
            f"{declared.corpus_name(chosen)} has no references to score against",
            fix=submit if chosen.submit_to else others,
        )
    rows = load_rows(name, chosen.name, split, mirror=mirror, upstream=upstream)
    origin = {
        "tokenizer": declared.tokenizer,
        "dataset": declared.name,
        "config": chosen.name,
        "split": split,
        "version": declared.version,
        "metric": declared.official_metric(chosen),
    }
    return _corpus_of_rows(rows, f"{name}:{chosen.name}:{split}", annotations=annotations, metadata=origin)


def load_sources(name: str) -> list[str]:
    """Return the sentences of a known corpus.

    The corpus may be a test set with private references (`bea19:test`).
    """
    dataset, config, split = parse_corpus_name(name)
    chosen = DATASETS[dataset].config(config)
    if "sentence" not in chosen.columns:
        raise InputError(f"{name} has no sentences", fix="To list corpora that have sentences, run: gecbench corpora")
    return [row["sentence"] for row in load_rows(dataset, chosen.name, split or chosen.default_split)]


def load_rows(
    name: str,
    config: str | None = None,
    split: str | None = None,
    *,
    mirror: Mirror = None,
    upstream: Upstream | None = None,
) -> Any:
    """Load the rows of a dataset as dictionaries, without the `datasets` package.

    Args:
        name: The dataset, such as "jfleg". It may include configuration and split ("cweb:s:dev").
        config: The configuration. By default the one in `name`, or the default of the dataset.
        split: The split. By default the one in `name`, or all splits.
        mirror: A folder with the dataset's files. By default the folder in the environment variable GECBENCH_MIRROR.
        upstream: The source of the files (`gecbench.corpora.upstream.Upstream`), instead of `mirror`.

    Returns:
        The rows of one split as a list. If no split is given, a dictionary with the list of each split.

    Raises:
        InputError: The dataset, configuration or split is unknown.
        gecbench.errors.UpstreamError: A file cannot be downloaded.

    >>> len(load_rows("jfleg", split="test"))  # doctest: +SKIP
    747
    """
    declared, config, split = _parse_arguments(name, config, split)
    chosen = declared.config(config)
    source = upstream or Upstream.from_environment(mirror)
    if split is not None:
        return list(chosen.rows(source, chosen.check_split(split)))
    return {each: list(chosen.rows(source, each)) for each in chosen.splits}


@overload
def load_dataset(
    name: str,
    config: str | None = ...,
    *,
    split: str,
    streaming: Literal[False] = ...,
    cache_dir: str | Path | None = ...,
    mirror: Mirror = ...,
) -> datasets.Dataset: ...


@overload
def load_dataset(
    name: str,
    config: str | None,
    split: str,
    streaming: Literal[False] = ...,
    cache_dir: str | Path | None = ...,
    *,
    mirror: Mirror = ...,
) -> datasets.Dataset: ...


@overload
def load_dataset(
    name: str,
    config: str | None = ...,
    split: None = ...,
    streaming: Literal[False] = ...,
    cache_dir: str | Path | None = ...,
    *,
    mirror: Mirror = ...,
) -> datasets.DatasetDict: ...


@overload
def load_dataset(
    name: str,
    config: str | None = ...,
    split: str | None = ...,
    streaming: bool = ...,
    cache_dir: str | Path | None = ...,
    *,
    mirror: Mirror = ...,
) -> datasets.Dataset | datasets.DatasetDict | datasets.IterableDataset | datasets.IterableDatasetDict: ...


def load_dataset(
    name: str,
    config: str | None = None,
    split: str | None = None,
    streaming: bool = False,
    cache_dir: str | Path | None = None,
    *,
    mirror: Mirror = None,
) -> Any:
    """Load a dataset with the `datasets` package.

    On first use, the dataset is built in the Hugging Face cache.

    Args:
        name: The dataset, such as "jfleg". It may include configuration and split ("cweb:s:dev").
        config: The configuration. By default the one in `name`, or the default of the dataset.
        split: The split. By default the one in `name`, or all splits.
        streaming: Read rows one by one instead of building the dataset.
        cache_dir: The cache folder. By default the cache of `datasets`.
        mirror: A folder with the dataset's files. By default the folder in the environment variable GECBENCH_MIRROR.

    Returns:
        A `datasets.Dataset` for one split, or a `datasets.DatasetDict` for all splits. With `streaming`, a
        `datasets.IterableDataset` or a `datasets.IterableDatasetDict`.

    Raises:
        InputError: The dataset, configuration or split is unknown.
        gecbench.errors.MissingDependencyError: `datasets` is not installed.
        gecbench.errors.UpstreamError: A file cannot be downloaded.

    >>> load_dataset("jfleg", split="test").num_rows  # doctest: +SKIP
    747
    """
    declared, config, split = _parse_arguments(name, config, split)
    chosen = declared.config(config)
    try:
        from gecbench.corpora.dataset_builder import builder_class
    except ImportError as error:
        problem = "load_dataset needs the package datasets. Install it: pip install datasets"
        raise MissingDependencyError(problem) from error
    builder = builder_class(declared)(
        cache_dir=str(cache_dir) if cache_dir else None,
        dataset_name=declared.name,
        config_name=chosen.name,
        hash=code_hash(),
    )
    builder.mirror = str(mirror) if mirror else None
    if split is not None and split.isidentifier():  # a slice such as test[:10] is checked by datasets
        chosen.check_split(split)
    if streaming:
        return builder.as_streaming_dataset(split=split)
    builder.download_and_prepare()
    return builder.as_dataset(split=split)


def _parse_arguments(
    name: str, config: str | None, split: str | None
) -> tuple[DatasetDeclaration, str | None, str | None]:
    """Return the dataset, configuration and split of a name.

    Arguments override the parts of the name.
    """
    dataset, named_config, named_split = parse_corpus_name(name)
    return DATASETS[dataset], config or named_config, split or named_split


def load_rankings(name: str) -> list[Ranking]:
    """Return published human rankings, or the rankings in a file of judgments.

    The published rankings have names such as `demo` and `conll14`.

    >>> len(load_rankings("demo"))
    210
    """
    if name in HUMAN_JUDGMENTS:
        return HUMAN_JUDGMENTS[name].rankings()
    if not Path(name).is_file():
        fix = did_you_mean(name, HUMAN_JUDGMENTS, f"Give a file or one of {', '.join(HUMAN_JUDGMENTS)}")
        raise InputError(f"unknown human judgments {name!r}", fix=fix)
    return read_judgments(name)


def find_dataset(name: str) -> DatasetDeclaration:
    """Return a dataset by name or alias.

    An alias also sets its default configuration.
    """
    if name in ALIASES:
        declared = DATASETS[ALIASES[name]]
        return replace(declared, default_config=declared.aliases[name])
    if name not in DATASETS:
        fix = _suggest_name(name, f"Choose one of {', '.join(DATASETS)}")
        raise InputError(f"there is no dataset {name!r}", fix=fix)
    return DATASETS[name]


def parse_corpus_name(text: str) -> tuple[str, str | None, str | None]:
    """Return the dataset, configuration and split of a corpus name.

    Examples of names are `jfleg:test` and `conll14_fluency:nucle`.

    >>> parse_corpus_name("jfleg:m2:test")
    ('jfleg', 'm2', 'test')
    >>> parse_corpus_name("jfleg:dev")
    ('jfleg', None, 'validation')
    >>> parse_corpus_name("conll14"), parse_corpus_name("conll14:all")
    (('conll14_fluency', 'nucle', None), ('conll14_fluency', 'all', None))
    >>> parse_corpus_name("conll14:alt"), parse_corpus_name("cweb:g:dev")
    (('conll14_fluency', 'nucle_alt', None), ('cweb', 'g', 'validation'))
    """
    aliases = [alias for alias in ALIASES if f"{text}:".startswith(f"{alias}:")]
    name = max(aliases, key=len, default=text.partition(":")[0])
    rest = text[len(name) :].split(":")[1:]
    declared = find_dataset(name)
    config = split = None
    for part in ("validation" if part == "dev" else part for part in rest):
        if part in declared.configs and config is None:
            config = part
        elif split is None and part in declared.splits():
            split = part
        else:
            configs, splits = list(declared.configs), list(declared.splits())
            choices = f"Configurations: {', '.join(configs)}; splits: {', '.join(splits)}"
            others = ["dev"] if "validation" in splits else []
            fix = did_you_mean(part, configs + splits + others, choices)
            raise InputError(f"{part!r} is neither a configuration nor a split of {name}", fix=fix)
    return declared.name, config or (declared.default_config if name in ALIASES else None), split


def official_metric(name: str) -> str | None:
    """Return the metric of published results on a named corpus.

    Return None for `demo` and files.

    >>> official_metric("conll14"), official_metric("jfleg:test"), official_metric("demo")
    ('m2', 'gleu', None)
    """
    if name == "demo" or not is_known_name(name):
        return None
    dataset, config, _ = parse_corpus_name(name)
    return DATASETS[dataset].official_metric(DATASETS[dataset].config(config))


def is_known_name(text: str) -> bool:
    """Return whether a text names a corpus of gecbench, and not a file.

    Examples of names are `demo` and `jfleg:test`.
    """
    name = text.partition(":")[0]
    return text == "demo" or name in DATASETS or name in ALIASES


def _known_corpora() -> str:
    """Return a list of known corpora and kinds of files, for error messages."""
    names = [declared.corpus_name(config) for declared in DATASETS.values() for config in declared.scorable()]
    others = f"a file ({', '.join(CORPUS_FILES)}) or a dataset on the Hub (hf:owner/name:split)"
    return f"a corpus name (demo, {', '.join(names)}), {others}"


def _suggest_name(name: str, otherwise: str) -> str:
    """Suggest the corpus name that was meant, or another fix if none is close."""
    return did_you_mean(name, ["demo", *DATASETS, *ALIASES, *_full_names()], otherwise)


def _full_names() -> Iterator[str]:
    """Yield the corpus names with a configuration, a split or both."""
    for known, declared in (*DATASETS.items(), *((alias, DATASETS[name]) for alias, name in ALIASES.items())):
        for config in declared.configs.values():
            splits = ["dev" if split == "validation" else split for split in config.splits]
            yield from (f"{known}:{part}" for part in (config.name, *splits))
            yield from (f"{known}:{config.name}:{split}" for split in splits)


def read_file(name: str) -> Corpus:
    """Read a corpus file.

    The format is given by the ending or, if the ending does not show it, by the content.
    """
    ending = Path(name.removesuffix(".gz")).suffix
    if ending not in CORPUS_FILES and name != STANDARD_INPUT and not Path(name).exists():
        fix = _suggest_name(name, f"Give {_known_corpora()}")
        raise InputError(f"there is no corpus or file {name!r:.80}", fix=fix)
    if ending in (".m2", ".xml"):
        return read_edits(name)
    if ending in ENDINGS and ending != ".jsonl":
        raise InputError(f"a corpus cannot be a {ending} file", file=name, fix=GIVE_TABLE)
    from gecbench.formats.jsonl import parse_jsonl

    lines = read_lines(name)
    if ending != ".jsonl" and is_m2(lines):
        return parse_m2(lines, name)
    if ending != ".jsonl":
        _check_is_json(lines, name)
    return parse_jsonl(lines, name)


def _check_is_json(lines: Sequence[str], name: str) -> None:
    """Reject a file of plain text, which is neither M2 nor JSON Lines."""
    if lines and not lines[0].lstrip().startswith("{"):
        raise InputError(f"is plain text, not a corpus file ({', '.join(CORPUS_FILES)})", file=name, fix=GIVE_TEXT)


def _load_from_hub(text: str) -> Corpus:
    """Return the corpus of a dataset on the Hub. The default split is `test`."""
    name, *rest = text.removeprefix(_HUB).split(":")
    if not name or len(rest) > 2:
        raise InputError(f"{text!r} does not name a dataset on the Hub", fix="Write hf:owner/name:configuration:split")
    try:
        import datasets

        loaded = datasets.load_dataset(name, rest[0] if len(rest) == 2 else None, split=rest[-1] if rest else "test")
    except ImportError as error:
        problem = f"{text} needs the package datasets. Install it: pip install datasets"
        raise MissingDependencyError(problem) from error
    except (OSError, ValueError) as error:
        fix = "Check the name (hf:owner/name:configuration:split), and log in if the dataset is private"
        raise InputError(f"{text} cannot be loaded: {shorten(str(error), 300)}", fix=fix) from error
    return _corpus_of_table(loaded).replace(name=text)


def _corpus_of_table(table: Any) -> Corpus:
    """Return a corpus from a table.

    The columns of the table have our names or other common names.
    """
    from gecbench.formats.tables import REFERENCE_NAMES, SOURCE_NAMES, Columns, columns_of

    listed = list(table) if isinstance(table, Iterator) else table
    columns = columns_of(listed) if not isinstance(listed, list) or listed else Columns({})
    if columns is None:
        raise InputError(f"{type_name(table)} is not a corpus", fix=f"Give a Corpus, rows, {_known_corpora()}")
    values = dict(columns.values)
    for name, usual in (("sentence", SOURCE_NAMES), ("corrections", REFERENCE_NAMES)):
        found = [each for each in values if each.lower() in usual]
        if name not in values and "annotations" not in values and len(found) == 1:
            values[name] = values.pop(found[0])
    if "corrections" in values:
        values["corrections"] = [[texts] if isinstance(texts, str) else texts for texts in values["corrections"]]
    rows = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
    return _corpus_of_rows(rows, name="rows")


def _corpus_of_rows(
    rows: Sequence[Row], name: str, *, annotations: bool | None = None, metadata: Mapping[str, object] | None = None
) -> Corpus:
    """Return a corpus from rows.

    The rows have `sentence`, and `corrections` or `annotations` or both. They may have `id`. Without corrections,
    references are made by applying the annotations. `annotations` is as in `load_corpus`.
    """
    columns = list(rows[0]) if rows else ["sentence", "corrections"]
    if "sentence" not in columns or not {"corrections", "annotations"} & set(columns):
        found = ", ".join(columns)
        problem = f"the rows must have the columns sentence and corrections (or annotations), but have {found}"
        raise InputError(problem, fix="Add or rename columns")
    table = {column: tuple(row[column] for row in rows) for column in columns}
    corpus = Corpus(
        sources=table["sentence"],
        references=table.get("corrections"),
        annotations=[as_annotations(found) for found in table["annotations"]] if "annotations" in table else None,
        ids=[str(found) for found in table["id"]] if "id" in table else None,
        name=name,
        metadata={**(metadata or {}), "columns": {key: table[key] for key in columns if key not in _CORPUS_COLUMNS}},
    )
    if corpus.references is None:
        corpus = derive_references(corpus)
    if annotations is False:
        return corpus.replace(annotations=None)
    return derive_annotations(corpus) if annotations and corpus.annotations is None else corpus
