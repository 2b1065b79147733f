"""Correct a corpus with a model: in batches, with progress, a resumable journal and a record of the run."""

from __future__ import annotations

import hashlib
import json
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path
from typing import Any

from gecbench.corpora.load import CorpusLike, is_known_name, resolve_corpus
from gecbench.corpus.corpus import Corpus
from gecbench.corpus.tokenize import detokenize
from gecbench.display import progress
from gecbench.errors import InputError, did_you_mean
from gecbench.formats.text import STANDARD_INPUT, check_not_overwriting, lock, read_text, write_bytes, write_lines
from gecbench.models.base import Answer, Model, ModelError, flatten
from gecbench.models.function import FunctionModel
from gecbench.version import __version__

ENDING = ".run.json"
_MADE_BY = "Give what gecbench run wrote: its outputs, or the folder with them"


@dataclass(frozen=True)
class Run:
    """A finished run: its outputs' file, and its record."""

    outputs: Path
    record: Mapping[str, Any]

    @property
    def corpus(self) -> str | None:
        """The name of the corpus, if it has one that can be resolved."""
        corpus = self.record["corpus"]
        if "dataset" in corpus:
            return f"{corpus['dataset']}:{corpus['config']}:{corpus['split']}"
        return "demo" if corpus["name"] == "demo" else None

    @property
    def raw(self) -> bool:
        """Whether the model got natural sentences."""
        return bool(self.record["raw"])

    @property
    def notes(self) -> str:
        """Model, revision, prompt and what was not answered, in one line."""
        record = self.record
        outcomes = record.get("outcomes", {})
        parts = {
            "model": record["options"].get("name") or record["model"],
            "revision": record["revision"],
            "served": ", ".join(record.get("served", ())),
            "prompt": record["prompt"],
            "not answered": sum(outcomes.get(name, 0) for name in ("refused", "empty", "too long")),
        }
        return "; ".join(f"{name}: {value}" for name, value in parts.items() if value)

    def check_corpus(self, corpus: Corpus) -> None:
        """Refuse a corpus whose sentences are not those that the model corrected."""
        if _fingerprint(corpus) != self.record["corpus"]["sources"]:
            raise InputError(
                f"corrects other sentences than those of {corpus.name or 'this corpus'}", file=str(self.outputs)
            )


def record_path(output: Path) -> Path:
    """Return where the record of a run is kept."""
    return Path(f"{output}{ENDING}")


def write_record(output: Path, model: Model, corpus: Corpus, account: Mapping[str, Any], *, raw: bool) -> None:
    """Write down how outputs were made."""
    known = {key: corpus.metadata[key] for key in ("dataset", "config", "split") if key in corpus.metadata}
    record = {
        "gecbench": "run",
        "version": __version__,
        "finished": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "model": model.text,
        "revision": model.revision,
        "options": dict(model.options),
        "prompt": model.prompt.label if model.prompt else None,
        "corpus": {"name": corpus.name, **known, "sentences": len(corpus), "sources": _fingerprint(corpus)},
        "raw": raw,
        "outputs": _digest(output),
        **account,
    }
    write_bytes(record_path(output), f"{json.dumps(record, ensure_ascii=False, indent=2)}\n".encode())


def read_run(place: str | Path) -> Run:
    """Return the run whose outputs, record or folder is named."""
    path = Path(place)
    if path.is_dir():
        found = sorted(path.glob(f"*{ENDING}"))
        if len(found) != 1:
            raise InputError(f"{len(found)} records of runs in this folder", file=str(place), fix=_MADE_BY)
        path = found[0]
    outputs = path.with_name(path.name.removesuffix(ENDING))
    if not record_path(outputs).is_file():
        raise InputError("no record of a run beside it", file=str(outputs), fix=_MADE_BY)
    try:
        record = json.loads(read_text(record_path(outputs)))
        complete = record["gecbench"] == "run" and {"model", "revision", "options", "prompt", "raw"} <= set(record)
        changed = _digest(outputs) != record["outputs"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("not the record of a run", file=str(record_path(outputs)), fix=_MADE_BY) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(outputs)) from error
    if not complete:
        raise InputError("not the record of a run", file=str(record_path(outputs)), fix=_MADE_BY)
    if changed:
        raise InputError("not as the run left it", file=str(outputs), fix="Run it again")
    return Run(outputs, record)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _fingerprint(corpus: Corpus) -> str:
    """Return what records call `sources`: not the corpus's own fingerprint, so that old records stay good."""
    return hashlib.sha256("\n".join(corpus.sources).encode(errors="surrogatepass")).hexdigest()[:8]


class Journal:
    """A JSON Lines file beside the output: a header that says whose outputs these are, then one row per sentence.

    They stand in the order in which they came. Rows go to the system in one write each time, so a kill leaves whole
    rows and at most one torn one at the end, which is dropped when the file is opened again.
    """

    def __init__(self, path: Path, header: Mapping[str, object], *, restart: bool = False) -> None:
        self.path = path
        self.answers: dict[int, Answer] = {}
        self._header = dict(header)
        self._sentences = int(str(header["sentences"]))
        self._finished = False
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise InputError("is no plain file", file=str(path), fix="Choose another -o")
        try:
            self._file = path.open("a+b", buffering=0)
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", file=str(path)) from error
        try:
            lock(self._file, str(self.path), "Choose another -o")
            if restart:
                self._file.truncate(0)
            self._recover()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._file.close()
        if self._finished or (kind is not None and not self.answers):
            self.path.unlink(missing_ok=True)

    def append(self, answers: Sequence[Answer]) -> None:
        """Add answers as they come."""
        rows = [{"line": each.line, "prediction": each.text, **each.facts} for each in answers]
        self._write("".join(f"{json.dumps(row)}\n" for row in rows))
        self.answers |= {each.line: each for each in answers}

    def cut(self, rows: int) -> None:
        """Keep the answers that came first only."""
        kept = self._content().split(b"\n")[: rows + 1]
        self._file.truncate(sum(len(row) + 1 for row in kept))
        self.answers = dict(islice(self.answers.items(), rows))

    def finish(self) -> None:
        """Have the file deleted when it is closed: the run is complete and written elsewhere."""
        self._finished = True

    def _write(self, text: str) -> None:
        data = text.encode()
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", file=str(self.path)) from error

    def _content(self) -> bytes:
        self._file.seek(0)
        return self._file.read()

    def _recover(self) -> None:
        """Read the answers; only a file that is ours throughout is changed."""
        content = self._content()
        *rows, torn = content.split(b"\n")
        header = f"{json.dumps(self._header)}\n"
        if not rows:
            if not header.encode().startswith(torn):
                raise self._damage(1)
            self._file.truncate(0)
            self._write(header)
            return
        found = self._row(rows[0], 1)
        if found != self._header:
            raise InputError(
                f"holds the outputs of another run ({_difference(found, self._header)})",
                file=str(self.path),
                fix="Choose another -o, or discard them with --restart",
            )
        for number, row in enumerate(rows[1:], start=2):
            fields = self._row(row, number)
            line, text = fields.pop("line", None), fields.pop("prediction", None)
            known = type(line) is int and isinstance(text, str) and 0 < line <= self._sentences and _is_text(text)
            if not known or line in self.answers:
                raise self._damage(number)
            self.answers[line] = Answer(line, text, fields)
        self._file.truncate(len(content) - len(torn))

    def _row(self, row: bytes, number: int) -> dict[str, Any]:
        try:
            fields = json.loads(row)
        except (ValueError, RecursionError) as error:
            raise self._damage(number) from error
        if not isinstance(fields, dict):
            raise self._damage(number)
        return fields

    def _damage(self, number: int) -> InputError:
        return InputError("damaged", file=str(self.path), line=number, fix="Discard it with --restart")


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _difference(found: Mapping[str, object], wanted: Mapping[str, object]) -> str:
    keys = [key for key in wanted if found.get(key) != wanted[key]]
    return "; ".join(f"{key}: {found.get(key)!r}, not {wanted[key]!r}" for key in keys) or "other fields"


_PARTIAL = ".partial.jsonl"
_KINDS = {
    "cmd": "gecbench.models.command:CommandModel",
    "python": "gecbench.models.function:FunctionModel",
    "transformers": "gecbench.models.pretrained:PretrainedModel",
    "endpoint": "gecbench.models.endpoint:EndpointModel",
}
_OPTIONS: dict[str, tuple[str, ...]] = {
    "cmd": ("timeout",),
    "transformers": ("prompt", "beams", "max_new_tokens", "device"),
    "endpoint": (
        *("name", "prompt", "concurrency", "timeout", "retries", "max_new_tokens", "request"),
        *("max_requests", "max_tokens", "key_variable"),
    ),
}


class ExampleWarning(UserWarning):
    """The prompt shows sentences that the model is then scored on."""


def make_model(text: str, **options: Any) -> Model:
    """Return the model that a string names; options that are None count as not given.

    >>> make_model("cmd:sed 's/ a apple/ an apple/'").name
    "sed 's/ a apple/ an apple/'"
    """
    kind, _, rest = text.partition(":")
    if kind not in _KINDS or not rest.strip():
        raise InputError(
            f"cannot read the model {text!r}",
            fix=f"{did_you_mean(kind, _KINDS)}Write cmd:COMMAND, python:module:function, "
            "transformers:FOLDER-OR-NAME or endpoint:URL",
        )
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in _OPTIONS.get(kind, ()):
            homes = [home for home, names in _OPTIONS.items() if name in names]
            fix = f"It is for {', '.join(homes)}: models" if homes else None
            raise InputError(f"{kind}: models have no option {name!r}", fix=fix)
    model: Model = pkgutil.resolve_name(_KINDS[kind])(text, **given)
    return model


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
    """Return the model's corrections of a corpus (or its name), written to `output` as a whole when complete.

    Until then they are appended to `<output>.partial.jsonl`; calling again with the same model and corpus goes on
    from there, unless `restart`. An output with a line break inside is refused, or flattened on request. `batch` is
    the number of sentences handed over at once. Without `output` nothing is written, and nothing can go on. With `raw`
    the model gets natural, detokenised sentences; its answers are kept as they come, to be scored with `tokenize`.
    `<output>.run.json` records how they were made.
    """
    chosen, given = _as_model(model, options), resolve_corpus(corpus)
    wanted = Corpus(sources=detokenize(given.sources), ids=given.ids, name=given.name) if raw else given
    if batch is not None and batch < 1:
        raise InputError(f"batch={batch} is not at least 1")
    chosen.prepare()
    _warn_of_examples(chosen, given)
    if output is None:
        return [answer.text for answer in _Run(chosen, wanted, None, batch, flatten_lines).finish()]
    target = _checked_target(output, corpus)
    with Journal(partial_path(target), run_key(chosen, wanted), restart=restart) as journal:
        if journal.answers and say:
            say(f"{len(journal.answers)} of {len(wanted)} outputs are there already (--restart starts again)")
        chosen.resume(journal.answers.values())
        answers = _Run(chosen, wanted, journal, batch, flatten_lines).finish()
        outputs = [answer.text for answer in answers]
        _write(target, outputs, wanted)
        account = chosen.account(answers)
        write_record(target, chosen, given, account, raw=raw)
        journal.finish()
    if say:
        for line in chosen.summarise(account):
            say(line)
    return outputs


def _checked_target(output: str | Path, corpus: CorpusLike) -> Path:
    """Refuse an output that cannot be gone on with, or that would be written over the corpus."""
    target = Path(output)
    if str(output) == STANDARD_INPUT or (target.exists() and not target.is_file()):
        raise InputError("the outputs need a file, so that a stopped run can go on", fix="Give -o FILE")
    if isinstance(corpus, (str, Path)) and not is_known_name(str(corpus)):
        check_not_overwriting(written_paths(target), [corpus])
    return target


def partial_path(output: Path) -> Path:
    """Return where the outputs of an unfinished run are kept."""
    return Path(f"{output}{_PARTIAL}")


def written_paths(output: Path) -> tuple[Path, ...]:
    """Return every file that a run may write."""
    return output, partial_path(output), record_path(output), _rejected_path(output)


def _rejected_path(output: Path) -> Path:
    return Path(f"{output}.rejected.txt")


def run_key(model: Model, corpus: Corpus) -> dict[str, object]:
    """Return what must be equal for a run to go on with the outputs of another."""
    key = {"model": model.text, "options": dict(model.options), "corpus": corpus.fingerprint()}
    return {"gecbench": "outputs", **key, "sentences": len(corpus)}


def default_output(model: Model, corpus: Corpus) -> Path:
    """Return the file name of a run without one: corpus, model, and a hash of both."""
    digest = hashlib.sha256(json.dumps(run_key(model, corpus), sort_keys=True).encode()).hexdigest()[:8]
    words = [re.sub(r"[^A-Za-z0-9_]+", "-", word).strip("-")[:40] for word in (corpus.name, model.name)]
    return Path(".".join(filter(None, [*words, digest, "txt"])))


def _warn_of_examples(model: Model, corpus: Corpus) -> None:
    shown = model.prompt.shows(detokenize(corpus.sources)) if model.prompt else []
    if shown:
        problem = f"{len(shown)} sentences of the corpus stand in the prompt, the first in line {shown[0]}"
        warnings.warn(f"{problem}: the score says less about the model", ExampleWarning, stacklevel=3)


def _as_model(model: str | Model | Callable[..., Any], options: dict[str, Any]) -> Model:
    if isinstance(model, str):
        return make_model(model, **options)
    if options:
        raise InputError(f"options {', '.join(options)} go with a model's string only")
    if isinstance(model, Model):
        return model
    if not callable(model):
        raise InputError(f"a model is a string or a function, not a {type(model).__name__}")
    name = getattr(model, "__qualname__", type(model).__name__)
    return FunctionModel(f"python:{getattr(model, '__module__', '')}:{name}", model)


class _Run:
    def __init__(self, model: Model, corpus: Corpus, journal: Journal | None, batch: int | None, flat: bool) -> None:
        self.model, self.corpus, self.journal, self.flat = model, corpus, journal, flat
        self.batch = batch or model.batch or len(corpus)
        self.answers = dict(journal.answers) if journal else {}

    def finish(self) -> list[Answer]:
        """Correct what is left and return all answers, in order."""
        missing = [line for line in range(1, len(self.corpus) + 1) if line not in self.answers]
        with progress(len(self.corpus), "correcting", start=len(self.answers)) as bar:
            for start in range(0, len(missing), self.batch):
                self._correct(missing[start : start + self.batch], bar)
        return [self.answers[line] for line in range(1, len(self.corpus) + 1)]

    def _correct(self, lines: Sequence[int], bar: Any) -> None:
        before, numbers = len(self.answers), iter(lines)
        sentences = [self.corpus.sources[line - 1] for line in lines]
        try:
            with closing(self.model.correct(sentences, lines)) as outputs:
                for found in outputs:
                    self._keep(each if isinstance(each, Answer) else Answer(next(numbers), each) for each in found)
                    bar.update(len(found))
        except ModelError as error:
            if error.rejected is None:
                raise
            raise self._reject(before, error, error.rejected) from error
        if any(line not in self.answers for line in lines):
            raise AssertionError(f"{self.model.text} gave {len(self.answers) - before} outputs for {len(lines)}")

    def _keep(self, answers: Iterable[Answer]) -> None:
        checked: list[Answer] = []
        try:
            for each in answers:
                checked.append(replace(each, text=self._check(each.text, each.line)))
        finally:
            if self.journal:
                self.journal.append(checked)
            self.answers |= {each.line: each for each in checked}

    def _reject(self, before: int, error: ModelError, rejected: Sequence[str]) -> ModelError:
        if self.journal is None:
            return error
        self.journal.cut(before)
        place = _rejected_path(Path(str(self.journal.path).removesuffix(_PARTIAL)))
        write_lines(place, rejected)
        return ModelError(error.problem, fix=f"{error.fix}; what it printed is in {place}")

    def _check(self, text: str, line: int) -> str:
        source = self.corpus.sources[line - 1]
        if "\n" in text or "\r" in text:
            if not self.flat:
                fix = "Return one line, or make blanks of line breaks with --flatten"
                raise self.model.failure("an output has a line break inside", line, source, fix=fix)
            text = flatten(text)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise self.model.failure("an output is not text: it holds a lone surrogate", line, source) from error
        return text


def _write(target: Path, outputs: Sequence[str], corpus: Corpus) -> None:
    if not target.name.removesuffix(".gz").endswith(".jsonl"):
        write_lines(target, outputs)
        return
    rows = zip(corpus.ids or (), outputs, strict=True)
    write_lines(target, [json.dumps({"id": name, "prediction": text}, ensure_ascii=False) for name, text in rows])
