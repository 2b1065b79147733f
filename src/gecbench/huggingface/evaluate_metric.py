"""Base classes of gecbench's `evaluate` modules.

These classes declare features, check every row and return a dictionary.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import datasets
import evaluate

from gecbench.analysis.significance import warn_of_small_sample, with_interval
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.edits import Annotation
from gecbench.corpus.prepare import Preprocessing, check_predictions
from gecbench.errors import InputError, counted
from gecbench.formats.m2 import parse_m2
from gecbench.formats.tables import edited_texts
from gecbench.huggingface.accumulator import OrderWarning, in_order, list_ids
from gecbench.metrics.base import Metric


def text_features() -> Any:
    """Return the features `sources`, `predictions` and `references` (lists)."""
    return _features(datasets.Sequence(datasets.Value("string")))


def text_or_m2_features() -> list[Any]:
    """Return the features of both forms of gold.

    The gold of a sentence is a list of rewrites, or an M2 block as a string.
    """
    return [text_features(), _features(datasets.Value("string"))]


def _features(references: Any) -> Any:
    text = datasets.Value("string")
    return datasets.Features({"sources": text, "predictions": text, "references": references})


class ReferenceMetric(evaluate.Metric):  # type: ignore[misc]
    """An `evaluate.Metric` that checks the type of every row.

    A row has a source, a prediction and references. `evaluate` itself checks only the first row and silently converts
    all other rows to strings. A subclass sets `metric`, whose parameters are options of `compute`. If rows have `ids`,
    they are scored in the order of their ids, and a repeated id counts once.
    """

    metric: ClassVar[type[Metric]]
    _has_ids: bool = False

    def compute(self, *, ids: Any = None, **inputs: Any) -> Any:
        """Compute the metric. All arguments are keyword arguments."""
        if inputs.get("predictions") is not None:
            inputs |= self._start_ids(ids, inputs["predictions"])
        elif ids is not None:
            raise InputError("ids were passed without predictions", fix="Pass ids in the same call as the predictions")
        try:
            return self._compute_rows(**inputs)
        finally:
            self._has_ids = self._has_ids and self.writer is not None

    def _compute_rows(self, **inputs: Any) -> Any:
        given = [name for name in self._feature_names() if inputs.get(name) is not None]
        missing = sorted(set(self._feature_names()) - set(given))
        if given and missing:
            raise InputError(f"no {' and no '.join(missing)}", fix=f"Pass {', '.join(self._feature_names())}")
        if given and len(inputs["sources"]) == 0:
            raise InputError("the corpus is empty", fix="Give at least one source sentence")
        return super().compute(**inputs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, ids: Any = None, **inputs: Any) -> None:
        """Check some sentences and add them."""
        self.check_rows(predictions=predictions, references=references, **inputs)
        columns = self._start_ids(ids, predictions)
        super().add_batch(predictions=predictions, references=references, **columns, **inputs)

    def add(self, *, prediction: Any = None, reference: Any = None, ids: Any = None, **inputs: Any) -> None:
        """Check one sentence and add it."""
        columns = {name: [value] for name, value in inputs.items()}
        self.check_rows(predictions=[prediction], references=[reference], **columns)
        own = self._start_ids(None if ids is None else [ids], [prediction])
        super().add(prediction=prediction, reference=reference, **{name: row for name, (row,) in own.items()}, **inputs)

    def _start_ids(self, ids: Any, predictions: Any) -> dict[str, list[str]]:
        """Return the column of ids if there is one.

        Raise an error if only some batches have ids.
        """
        names = None if ids is None else [*map(str, list_ids(ids))]
        if names is not None and len(names) != len(predictions):
            problem = f"{counted(len(names), 'id')} for {counted(len(predictions), 'prediction')}"
            raise InputError(problem, fix="Pass one id for each prediction")
        if self.writer is not None and self._has_ids != (names is not None):
            raise InputError("some batches have ids and others do not", fix="Give ids with every batch, or with none")
        self._has_ids = names is not None
        return {} if names is None else {"ids": names}

    def _feature_names(self) -> list[str]:
        return [*super()._feature_names(), *(["ids"] if self._has_ids else [])]

    def _infer_feature_from_batch(self, batch: Any) -> Any:
        return self._infer_feature_from_example({name: rows[0] for name, rows in batch.items()})

    def _infer_feature_from_example(self, example: Any) -> Any:
        found = super()._infer_feature_from_example({name: row for name, row in example.items() if name != "ids"})
        return datasets.Features({**found, "ids": datasets.Value("string")}) if self._has_ids else found

    def check_rows(self, *, predictions: Any, references: Any, sources: Any = None, **unknown: Any) -> None:
        """Raise an error for a wrong type or number of rows."""
        if unknown:
            fix = f"Pass {', '.join(self._feature_names())}"
            raise InputError(f"unknown argument{'s' if len(unknown) > 1 else ''} {', '.join(unknown)}", fix=fix)
        if references is None:
            raise InputError("references is None", fix="references[i] must be the list of references of sentence i")
        check_predictions(predictions, len(self.corpus(sources, references)))
        for name, rows in (("sources", sources), ("predictions", predictions), ("references", references)):
            _check_unicode(rows, name)

    def corpus(self, sources: Sequence[str], references: Sequence[Any]) -> Corpus:
        """Return rows as a corpus, or raise an error that names the first invalid row."""
        return Corpus(sources=sources, references=references)

    def outputs(self, sources: Sequence[str], predictions: Sequence[str]) -> Sequence[str]:
        """Return predictions in the form that the metric scores."""
        return predictions

    def _compute(
        self,
        sources: Sequence[str],
        predictions: Sequence[str],
        references: Sequence[Any],
        ids: Sequence[str] | None = None,
        resamples: int = 0,
        per_sentence: bool = False,
        aligned: bool = False,
        tokenize: str = "none",
        tokenized: bool = False,
        **options: Any,
    ) -> dict[str, Any]:
        """Return score, parts, diagnostics, interval and signature in a flat dictionary."""
        self.metric.check_parameters(options)
        if ids is not None:
            sources, predictions, references = in_order(ids, sources, predictions, references)
        elif self.num_process > 1:
            problem = f"the sentences of {self.num_process} processes may be out of order"
            warnings.warn(f"{problem}. Pass ids to restore the order of the corpus", OrderWarning, stacklevel=2)
        preprocessing = Preprocessing(tokenize, tokenized, aligned)
        prepared = preprocessing.prepare(self.corpus(sources, references), self.outputs(sources, predictions))
        score = self.metric(**options).score_prepared(prepared)
        if resamples:
            score = with_interval(score, resamples)
            warn_of_small_sample(score.sentences)
        result: dict[str, Any] = {score.name: score.value, **score.parts, **score.diagnostics}
        if score.interval is not None:
            result |= {"interval_low": score.interval.low, "interval_high": score.interval.high}
        if per_sentence:
            result["sentence_scores"] = score.sentence_scores().tolist()
        result["signature"] = str(score.signature)
        return result


class EditMetric(ReferenceMetric):
    """A metric of edits.

    The gold of a sentence is a list of rewrites, or one string with its M2 block.
    """

    def check_rows(self, *, predictions: Any, references: Any, sources: Any = None, **unknown: Any) -> None:
        """Raise an error for invalid rows, or if batches mix rewrites and M2 blocks."""
        super().check_rows(predictions=predictions, references=references, sources=sources, **unknown)
        if self.writer is not None:
            blocks_before = isinstance(self.selected_feature_format["references"], datasets.Value)
            if blocks_before != isinstance(references[0], str):
                raise _mixed_forms("this batch", "the rows before it")

    def corpus(self, sources: Sequence[str], references: Sequence[Any]) -> Corpus:
        """Return rows as a corpus of references or of annotations."""
        if isinstance(references, str) or not any(isinstance(row, str) for row in references):
            return super().corpus(sources, references)
        for i, row in enumerate(references):
            if not isinstance(row, str):
                raise _mixed_forms(f"references[{i}]", "other rows")
        return corpus_of_blocks(sources, references)


class EditToEditMetric(EditMetric):
    """A metric of edits whose predictions may be texts or M2 blocks."""

    def outputs(self, sources: Sequence[str], predictions: Sequence[str]) -> Sequence[str]:
        """Return texts unchanged, and M2 blocks as edits.

        A prediction is a block if it starts with `S ` and has several lines, or consists of `S ` and its source.
        """
        pairs = zip(sources, predictions, strict=True)
        if not any(
            text.startswith("S ") and ("\n" in text or text[2:].split() == source.split()) for source, text in pairs
        ):
            return predictions
        return edited_texts(corpus_of_blocks(sources, predictions, "predictions"), Corpus(sources=sources))


def corpus_of_blocks(sources: Sequence[str], blocks: Sequence[str], argument: str = "references") -> Corpus:
    """Return a corpus from one M2 block per source.

    The S line of a block must have the tokens of its source.
    """
    bare = Corpus(sources=sources)
    if len(blocks) != len(bare):
        problem = f"{counted(len(bare), 'source')}, but {argument} for {counted(len(blocks), 'sentence')}"
        raise InputError(problem, fix="Pass one M2 block for each source")
    annotations: list[Sequence[Annotation]] = []
    for i, (source, block) in enumerate(zip(bare.sources, blocks, strict=True)):
        place = f"{argument}[{i}]"
        if not block.startswith("S"):
            raise InputError(
                f"{place} is a string that is not an M2 block: {block[:40]!r}",
                fix="Give 'S …' and 'A …' lines, or put a rewrite in a list",
            )
        found = parse_m2([line.removesuffix("\r") for line in block.split("\n")], place)
        if len(found) != 1:
            raise InputError(
                f"the string has {len(found)} M2 blocks", file=place, fix="Pass one block for each sentence"
            )
        if found.sources[0].split() != source.split():
            raise InputError(
                f"the S line of sentence {i + 1} differs from its source: {found.sources[0]!r}, not {source!r}",
                file=place,
                fix="Pass the blocks in the order of the sources",
            )
        annotations += found.annotations or ()
    return bare.replace(annotations=annotations)


def _check_unicode(rows: Sequence[Any], name: str) -> None:
    """Raise an error for text that Arrow cannot store."""
    for i, row in enumerate(rows):
        try:
            "".join([row] if isinstance(row, str) else row).encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{name}[{i}] contains a character that cannot be encoded as UTF-8 (a lone surrogate)",
                fix="Pass valid Unicode",
            ) from error


def _mixed_forms(one: str, other: str) -> InputError:
    return InputError(
        f"{one} and {other} mix rewrites and M2 blocks",
        fix="Give a list of rewrites for every sentence, or one M2 block (a string) for every sentence",
    )
