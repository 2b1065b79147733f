"""Records scored again from their own outputs: a static board takes them as pull requests, and trusts none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isclose
from pathlib import Path
from typing import Any

from gecbench.corpus.corpus import Corpus
from gecbench.errors import InputError
from gecbench.leaderboard.comparable import how_scored
from gecbench.leaderboard.records import BoardTable, Figure, Record
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import Submission, score_submission
from gecbench.metrics.signature import Signature
from gecbench.progress import tracked

_FIELDS = ("corpus", "reference_set", "fingerprint", "sentences", "outputs", "unchanged")


@dataclass(frozen=True)
class Verdict:
    """What scoring a record again showed: the `problems`, none where all figures come out; None: it was not scored."""

    file: str
    system: str
    problems: Sequence[str] | None


def verify(store: FolderStore, corpora: Mapping[BoardTable, Corpus], files: Sequence[str] = ()) -> Iterator[Verdict]:
    """Score every record of a board again, or those of some files, and say what differs."""
    wanted = {Path(file).stem for file in files}
    paths = sorted((store.folder / "records").glob("*"))
    if missing := wanted - {path.stem for path in paths}:
        raise InputError(f"the board has no record {min(missing)[:80]!r}", fix="Give files of its folder records")
    chosen = [path for path in paths if not files or path.stem in wanted]
    for path in tracked(chosen, len(chosen), "scoring records again"):
        try:
            record = store.record(path)
        except (InputError, OSError) as error:
            yield Verdict(path.name, "", [str(error)])
        else:
            yield Verdict(path.name, record.system, _problems(record, store, corpora.get(record.table)))


def _problems(record: Record, store: FolderStore, corpus: Corpus | None) -> list[str] | None:
    if record.kind == "reported":
        return None
    if corpus is None:
        return [f"the board has no corpus {record.corpus} ({record.reference_set})"]
    details = store.details(record)
    if details is None:
        return ["its outputs are missing or damaged"]
    again = Submission(
        **{name: getattr(record, name) for name in ("system", "submitter", "description", "date", "role")},
        predictions=details.predictions,
        aligned=True,
        tokenized=True,
    )
    try:
        scored = score_submission(again, corpus, sealed=store.settings.sealed, resamples=_resamples(record))
    except InputError as error:
        return [str(error)]
    found = [f"{name} differs" for name in _FIELDS if getattr(record, name) != getattr(scored.record, name)]
    if record.role == "source" and record.unchanged != 1:
        found.append("it is called the source, but differs from it")
    kept, made = asdict(details), asdict(scored.details)
    found += [f"{name} of its details differ" for name in kept if kept[name] and not _equal(kept[name], made[name])]
    metrics = {*record.scores, *scored.record.scores}
    return [*found, *(line for metric in sorted(metrics) for line in _difference(metric, record, scored.record))]


def _resamples(record: Record) -> int:
    signatures = (Signature.parse(figure["signature"]) for figure in record.scores.values())
    found = {signature.get("resamples", "0").partition(":")[0] for signature in signatures}
    return min(int(max(found, key=int)), 10_000) if all(map(str.isdecimal, found)) else 0


def _difference(metric: str, claimed: Record, scored: Record) -> Iterator[str]:
    if metric not in claimed.scores or metric not in scored.scores:
        whose = "it claims" if metric in claimed.scores else "it lacks"
        yield f"{metric}: {whose} a figure"
        return
    if how_scored(claimed, metric) != how_scored(scored, metric):
        yield f"{metric}: other settings, {claimed.scores[metric]['signature']}"
    ours, theirs = scored.scores[metric], claimed.scores[metric]
    for name in ours:
        if name != "signature" and not _equal(theirs[name], ours[name]):
            yield f"{metric}: {name} {_shown(theirs[name])} is {_shown(ours[name])} here"


def _equal(claimed: Any, scored: Any) -> bool:
    """Return whether two values are the same, up to the last digits of floating-point numbers."""
    if isinstance(claimed, dict) and isinstance(scored, dict):
        return claimed.keys() == scored.keys() and all(_equal(claimed[name], scored[name]) for name in scored)
    if isinstance(claimed, (list, tuple)) and isinstance(scored, (list, tuple)):
        return len(claimed) == len(scored) and all(map(_equal, claimed, scored))
    if isinstance(claimed, float) and isinstance(scored, float):
        return isclose(claimed, scored, rel_tol=1e-9, abs_tol=1e-9)
    return bool(claimed == scored)


def _shown(value: Figure | float | None) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value)
