"""Correct a corpus with a model, in batches. An interrupted run can be resumed.

During a run, answers are saved in the journal `<output>.partial.jsonl`. When the run is complete, `<output>` has the
corrections and `<output>.run.json` the record: model, prompt, corpus and hashes.
"""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from gecbench.corpora.load import CorpusLike, is_known_name, resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.tokenize import detokenize
from gecbench.display import progress
from gecbench.errors import InputError, counted, type_name
from gecbench.formats.journal import RowJournal
from gecbench.formats.text import STANDARD_INPUT, check_not_overwriting, read_text, write_bytes, write_lines
from gecbench.models.base import Answer, Model, ModelError, flatten, make_model
from gecbench.models.function import FunctionModel
from gecbench.models.replies import UNANSWERED
from gecbench.version import __version__

_RECORD = ".run.json"
_MADE_BY = "Give the output file of a finished run, or the folder with this file"


class PromptOverlapWarning(UserWarning):
    """The prompt contains sentences of the corpus that the model corrects."""


def correct(
    model: str | Model | Callable[..., Any],
    corpus: CorpusLike,
    output: str | Path | None = None,
    *,
    batch: int | None = None,
    restart: bool = False,
    flatten_lines: bool = False,
    raw: bool = False,
    say: Callable[[str], None] | None = None,
    **options: Any,
) -> list[str]:
    """Correct a corpus with a model, and write the corrections to `output`.

    `output` is written when all sentences are corrected. Until then, the corrections are saved in
    `<output>.partial.jsonl`, and the same call resumes from there. `<output>.run.json` records the model, the corpus
    and the options.

    Args:
        model: A string such as `cmd:COMMAND` (see `gecbench.models.base.make_model`), a `gecbench.models.base.Model`,
            or a function. A function takes a string and returns a string, or takes a list of strings and returns a
            list. The type annotation of its parameter says which. Without an annotation, the function is first called
            with one sentence. If it then returns a string, it is called once per sentence, otherwise with lists.
        corpus: A `Corpus`, a name such as "jfleg:test", a file or rows, as in `score`.
        output: A file, `.txt` or `.jsonl`. Without it nothing is written, and nothing can be resumed.
        batch: The number of sentences per call of the model. By default 16 for `transformers:`, 32 for functions, and
            all sentences for `cmd:` and `endpoint:`.
        restart: Discard the outputs of an interrupted run.
        flatten_lines: Replace line breaks inside an output with spaces. Otherwise they are an error.
        raw: Send raw, detokenized sentences. Answers are saved as they are; tokenize them when you score them.
        say: A function to call with progress messages.
        **options: Options of a model that is given as a string.

    Returns:
        The corrections, one per sentence.

    Raises:
        gecbench.models.base.ModelError: The model failed. With `output`, the outputs so far are saved.
        InputError: The model, the corpus or the output cannot be used.
        gecbench.errors.MissingDependencyError: The model needs a package that is not installed.
        gecbench.errors.UpstreamError: A named corpus cannot be downloaded.

    >>> correct(lambda sentence: sentence.replace("beatiful", "beautiful"), "demo")[3]
    'The weather was very beautiful so we was decided to make a picnic in park .'
    """
    chosen, given = _as_model(model, options), resolve_corpus(corpus)
    wanted = Corpus(sources=detokenize(given.sources), ids=given.ids, name=given.name) if raw else given
    if batch is not None and batch < 1:
        raise InputError(f"batch={batch} is less than 1", fix="Give at least 1")
    chosen.prepare()
    _warn_of_prompt_overlap(chosen, given)
    correction = _Correction(chosen, wanted, batch, flatten_lines)
    if output is None:
        return [answer.text for answer in _run_or_explain(correction)]
    target = _checked_target(output, corpus)
    with RowJournal(partial_path(target), run_key(chosen, wanted), "Choose another -o") as journal:
        correction.load(journal, restart=restart)
        if correction.answers and say:
            say(f"{len(correction.answers)} of {len(wanted)} outputs are already done (use --restart to discard them)")
        answers = _run_or_explain(correction, target)
        outputs = [answer.text for answer in answers]
        _write_outputs(target, outputs, wanted)
        account = chosen.account(answers)
        _write_record(target, chosen, given, account, raw=raw)
        journal.finish()
    if say:
        for line in chosen.summarize(account):
            say(line)
    return outputs


def partial_path(output: Path) -> Path:
    """Return the path of the journal of a run."""
    return Path(f"{output}.partial.jsonl")


def record_path(output: Path) -> Path:
    """Return the path of the record of a run."""
    return Path(f"{output}{_RECORD}")


def _rejected_path(output: Path) -> Path:
    return Path(f"{output}.rejected.txt")


def written_paths(output: Path) -> tuple[Path, ...]:
    """Return every file that a run may write."""
    return output, partial_path(output), record_path(output), _rejected_path(output)


def run_key(model: Model, corpus: Corpus) -> dict[str, object]:
    """Return the settings that must be equal for a run to resume an earlier run."""
    key = {"model": model.text, "options": dict(model.options), "corpus": corpus.fingerprint()}
    return {"gecbench": "outputs", **key, "sentences": len(corpus)}


def default_output(model: Model, corpus: Corpus) -> Path:
    """Return the default file name of a run: corpus, model, and a hash of both."""
    digest = hashlib.sha256(json.dumps(run_key(model, corpus), sort_keys=True).encode()).hexdigest()[:8]
    words = [re.sub(r"[^A-Za-z0-9_]+", "-", word).strip("-")[:40] for word in (corpus.name, model.name)]
    return Path(".".join(filter(None, [*words, digest, "txt"])))


def _as_model(model: str | Model | Callable[..., Any], options: dict[str, Any]) -> Model:
    if isinstance(model, str):
        return make_model(model, **options)
    if options:
        fix = "Give the model as a string, or leave the options out"
        raise InputError(f"options ({', '.join(options)}) are only for models given as strings", fix=fix)
    if isinstance(model, Model):
        return model
    if not callable(model):
        fix = "Give a string such as cmd:COMMAND, a Model or a function"
        raise InputError(f"{type_name(model)} is not a model", fix=fix)
    name = getattr(model, "__qualname__", type(model).__name__)
    return FunctionModel(f"python:{getattr(model, '__module__', '')}:{name}", model)


def _warn_of_prompt_overlap(model: Model, corpus: Corpus) -> None:
    shown = model.prompt.shows(detokenize(corpus.sources)) if model.prompt else []
    if shown:
        problem = f"the prompt contains {counted(len(shown), 'sentence')} of the corpus (first: line {shown[0]})"
        warnings.warn(f"{problem}. The score may be too high", PromptOverlapWarning, stacklevel=3)


def _checked_target(output: str | Path, corpus: CorpusLike) -> Path:
    """Raise an error if the output cannot be resumed, or would overwrite the corpus."""
    target = Path(output)
    if str(output) == STANDARD_INPUT or (target.exists() and not target.is_file()):
        raise InputError(
            "the outputs need a regular file, so that an interrupted run can be resumed", fix="Give -o FILE"
        )
    if isinstance(corpus, (str, Path)) and not is_known_name(str(corpus)):
        check_not_overwriting(written_paths(target), [corpus])
    return target


def _run_or_explain(correction: _Correction, target: Path | None = None) -> list[Answer]:
    """Return all answers, or raise an error that says what was saved.

    Outputs that cannot be paired with sentences are saved in a file of their own.
    """
    try:
        return correction.run()
    except ModelError as error:
        if error.rejected is not None and target:
            write_lines(_rejected_path(target), error.rejected)
            more = f" (rejected output: {_rejected_path(target)})"
        elif error.rejected is None and error.fix and correction.answers:
            more = ", then repeat the run to resume" if target else ", and pass output=FILE to be able to resume"
        else:
            raise
        raise ModelError(error.problem, fix=f"{error.fix}{more}") from error


class _Correction:
    """The answers so far, and the loop that gets the remaining ones from the model."""

    def __init__(self, model: Model, corpus: Corpus, batch: int | None, flat: bool) -> None:
        self.model, self.corpus, self.flat = model, corpus, flat
        self.batch = batch or model.batch or len(corpus)
        self.journal: RowJournal | None = None
        self.answers: dict[int, Answer] = {}

    def load(self, journal: RowJournal, *, restart: bool) -> None:
        """Load the answers of an earlier run, and append new ones to its journal."""
        for number, row in enumerate(journal.load(restart=restart)):
            line, text = row.pop("line", None), row.pop("prediction", None)
            is_line = type(line) is int and 0 < line <= len(self.corpus) and line not in self.answers
            if not is_line or not isinstance(text, str) or any("\ud800" <= letter <= "\udfff" for letter in text):
                raise journal.damaged(number)
            self.answers[line] = Answer(line, text, row)
        self.journal = journal
        self.model.resume(self.answers.values())

    def run(self) -> list[Answer]:
        """Correct the remaining sentences, and return all answers in order."""
        missing = [line for line in range(1, len(self.corpus) + 1) if line not in self.answers]
        with progress(len(self.corpus), "correcting", start=len(self.answers)) as bar:
            for start in range(0, len(missing), self.batch):
                self._correct_batch(missing[start : start + self.batch], bar)
        return [self.answers[line] for line in range(1, len(self.corpus) + 1)]

    def _correct_batch(self, lines: Sequence[int], bar: Any) -> None:
        before, numbers = len(self.answers), iter(lines)
        sentences = [self.corpus.sources[line - 1] for line in lines]
        try:
            with closing(self.model.correct(sentences, lines)) as outputs:
                for found in outputs:
                    self._save(each if isinstance(each, Answer) else Answer(next(numbers), each) for each in found)
                    bar.update(len(found))
        except ModelError as error:
            if error.rejected is not None and self.journal:
                self.journal.truncate(before)
            raise
        if any(line not in self.answers for line in lines):
            raise AssertionError(
                f"{self.model.text} gave {len(self.answers) - before} of {counted(len(lines), 'output')}"
            )

    def _save(self, answers: Iterable[Answer]) -> None:
        """Save answers up to the first that is not one line of text."""
        checked: list[Answer] = []
        try:
            for each in answers:
                checked.append(replace(each, text=self._one_line(each.text, each.line)))
        finally:
            if self.journal:
                self.journal.append([{"line": each.line, "prediction": each.text, **each.facts} for each in checked])
            self.answers |= {each.line: each for each in checked}

    def _one_line(self, text: str, line: int) -> str:
        source = self.corpus.sources[line - 1]
        if "\n" in text or "\r" in text:
            if not self.flat:
                fix = "Return one line, or pass flatten_lines=True to replace line breaks with spaces"
                raise self.model.failure("the output contains a line break", line, source, fix=fix)
            text = flatten(text)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise self.model.failure(
                "the output contains a character that cannot be encoded as UTF-8 (a lone surrogate)", line, source
            ) from error
        return text


def _write_outputs(target: Path, outputs: Sequence[str], corpus: Corpus) -> None:
    if not target.name.removesuffix(".gz").endswith(".jsonl"):
        write_lines(target, outputs)
        return
    rows = zip(corpus.ids or (), outputs, strict=True)
    write_lines(target, [json.dumps({"id": name, "prediction": text}, ensure_ascii=False) for name, text in rows])


def _write_record(output: Path, model: Model, corpus: Corpus, account: Mapping[str, Any], *, raw: bool) -> None:
    known = {key: corpus.metadata[key] for key in ("dataset", "config", "split") if key in corpus.metadata}
    record = {
        "gecbench": "run",
        "version": __version__,
        "finished": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "model": model.text,
        "revision": model.revision,
        "options": dict(model.options),
        "prompt": model.prompt.label if model.prompt else None,
        "corpus": {"name": corpus.name, **known, "sentences": len(corpus), "sources": _hash_sources(corpus)},
        "raw": raw,
        "outputs": _hash_file(output),
        **account,
    }
    write_bytes(record_path(output), f"{json.dumps(record, ensure_ascii=False, indent=2)}\n".encode())


@dataclass(frozen=True)
class Run:
    """A finished run: the file of its outputs, and its record."""

    outputs: Path
    record: Mapping[str, Any]

    @property
    def corpus(self) -> str | None:
        """The name of the corpus, or None if gecbench cannot load it by name."""
        corpus = self.record["corpus"]
        if "dataset" in corpus:
            return f"{corpus['dataset']}:{corpus['config']}:{corpus['split']}"
        return "demo" if corpus["name"] == "demo" else None

    @property
    def raw(self) -> bool:
        """Whether the model received raw text."""
        return bool(self.record["raw"])

    @property
    def notes(self) -> str:
        """Model, revision, prompt and the number of unanswered sentences, in one line."""
        record = self.record
        outcomes = record.get("outcomes", {})
        parts = {
            "model": record["options"].get("name") or record["model"],
            "revision": record["revision"],
            "served": ", ".join(record.get("served", ())),
            "prompt": record["prompt"],
            "not answered": sum(outcomes.get(name, 0) for name in UNANSWERED),
        }
        return "; ".join(f"{name}: {value}" for name, value in parts.items() if value)

    def check_corpus(self, corpus: Corpus) -> None:
        """Raise an error unless the model corrected the sentences of this corpus."""
        if _hash_sources(corpus) != self.record["corpus"]["sources"]:
            problem = f"the sources of the run are not the sentences of {corpus.name or 'this corpus'}"
            raise InputError(problem, file=str(self.outputs), fix="Give the corpus that the run corrected")


def read_run(place: str | Path) -> Run:
    """Read a finished run, given its outputs, its record or the folder with them."""
    path = Path(place)
    if path.is_dir():
        found = sorted(path.glob(f"*{_RECORD}"))
        if len(found) != 1:
            problem = f"has {len(found)} records of runs (.run.json), but needs exactly one"
            raise InputError(problem, file=str(place), fix=_MADE_BY)
        path = found[0]
    outputs = path.with_name(path.name.removesuffix(_RECORD))
    if not record_path(outputs).is_file():
        raise InputError("the record of the run (.run.json) is missing", file=str(outputs), fix=_MADE_BY)
    try:
        record = json.loads(read_text(record_path(outputs)))
        complete = record["gecbench"] == "run" and {"model", "revision", "options", "prompt", "raw"} <= set(record)
        changed = _hash_file(outputs) != record["outputs"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("is not the record of a run", file=str(record_path(outputs)), fix=_MADE_BY) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(outputs)) from error
    if not complete:
        raise InputError("is not the record of a run", file=str(record_path(outputs)), fix=_MADE_BY)
    if changed:
        raise InputError("was changed after the run", file=str(outputs), fix="Repeat the run: gecbench run")
    return Run(outputs, record)


def _hash_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash_sources(corpus: Corpus) -> str:
    """Return the hash stored as `sources` in records.

    The way to compute this hash must not change, so that old records stay valid.
    """
    return hashlib.sha256("\n".join(corpus.sources).encode(errors="surrogatepass")).hexdigest()[:8]
