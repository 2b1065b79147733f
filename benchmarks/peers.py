"""Measure the same work by gecbench and by other programs, on the same text in the same run, for `run.py`.

    python benchmarks/peers.py ours|theirs NAME SECONDS TEXTS.json      measures one side and prints JSON

Other programs may be installed in their own environment, so this script imports only what one side needs. A side is
imported and run once before it is timed.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measure import FailedError, child, gecbench_program, measure_with_yardstick, quietly, run_program, split_files

Texts = dict[str, Any]
Side = Callable[[Texts], Callable[[], object]]


@dataclass(frozen=True)
class Peer:
    """Work that another package does too: what it is, the package, and the functions of both sides."""

    what: str
    package: str
    ours: Side
    theirs: Side


def measure(name: str, seconds: float, texts: Path, pythons: list[str]) -> dict[str, Any]:
    """Measure both sides, theirs in the first environment that has the package. `skipped` says why not."""
    try:
        theirs = _first_that_has(name, seconds, texts, pythons)
        ours = {} if "skipped" in theirs else child("peers.py", "ours", name, seconds, texts)
    except FailedError as problem:
        return {"skipped": str(problem)}
    for side in (theirs, ours):
        if "skipped" in side:
            return {"skipped": side["skipped"]}
    return {"ours": ours, "theirs": theirs, "cost": ours["cost"] / theirs["cost"]}


def _first_that_has(name: str, seconds: float, texts: Path, pythons: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for python in pythons:
        found = child("peers.py", "theirs", name, seconds, texts, python=python)
        if "skipped" not in found:
            break
    return found


def measure_here(side: str, name: str, seconds: float, texts: Path) -> dict[str, Any]:
    """Measure one side in this process. The yardstick is reading and splitting the texts."""
    peer = PEERS[name]
    if side == "theirs" and not _importable(peer.package.replace("-", "_")):
        return {"skipped": f"{peer.package} is not installed"}
    warnings.simplefilter("ignore")
    content = json.loads(texts.read_text(encoding="utf-8"))
    try:
        work = getattr(peer, side)(content)
    except LookupError as missing:
        return {"skipped": str(missing.args[0])}
    value = work()
    found = measure_with_yardstick(work, partial(split_files, [texts] * 5), seconds)
    names = {"version": version(peer.package)} if side == "theirs" else {}
    return {**found, **names, "value": value if isinstance(value, float) else None}


def _importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:
        return False


def _our_gleu(draws: str, texts: Texts) -> Callable[[], object]:
    from gecbench import GLEU

    references = list(zip(*texts["references"], strict=True))
    given = {"sources": texts["sources"], "predictions": texts["predictions"], "references": references}
    return lambda: GLEU(draws=draws).score(**given).value


def _gec_metrics_gleu(texts: Texts) -> Callable[[], object]:
    from gec_metrics.metrics.gleu import GLEUOfficial

    given = {"sources": texts["sources"], "hypotheses": texts["predictions"], "references": texts["references"]}
    return lambda: float(GLEUOfficial().score_corpus(**given))


def _sacrebleu(texts: Texts) -> Callable[[], object]:
    from sacrebleu.metrics import BLEU

    def run() -> float:
        metric = BLEU(tokenize="none", force=True)
        return metric.corpus_score(texts["predictions"], texts["references"]).score / 100

    return run


def _our_ter(texts: Texts) -> Callable[[], object]:
    from gecbench.human.change import change

    return lambda: change(texts["sources"], texts["references"][0]).ster


def _sacrebleu_ter(texts: Texts) -> Callable[[], object]:
    from sacrebleu.metrics import TER

    def run() -> float:
        metric = TER()
        pairs = zip(texts["sources"], texts["references"][0], strict=True)
        edits = [metric.corpus_score([after], [[before]]).num_edits for before, after in pairs]
        return float(sum(edits)) / len(edits)

    return run


def _pairs(texts: Texts) -> list[tuple[str, str]]:
    return [pair for column in texts["references"] for pair in zip(texts["sources"], column, strict=True)]


def _our_edits(texts: Texts) -> Callable[[], object]:
    from gecbench import Corpus, derive_annotations

    references = list(zip(*texts["references"], strict=True))
    return lambda: derive_annotations(Corpus(sources=texts["sources"], references=references))


def _rapidfuzz_edits(texts: Texts) -> Callable[[], object]:
    from rapidfuzz.distance import Levenshtein

    pairs = _pairs(texts)
    return lambda: [Levenshtein.opcodes(one.split(), other.split()).as_list() for one, other in pairs]


def _jiwer_edits(texts: Texts) -> Callable[[], object]:
    import jiwer

    sources, references = map(list, zip(*_pairs(texts), strict=True))
    return lambda: jiwer.process_words(sources, references).alignments


def _our_errant(texts: Texts) -> Callable[[], object]:
    from gecbench.cli.main import main

    return lambda: quietly(main, _errant_arguments(texts))


def _errant(texts: Texts) -> Callable[[], object]:
    from errant.commands.compare_m2 import main

    arguments = _errant_arguments(texts)

    def run() -> object:
        sys.argv = arguments
        return quietly(main)

    return run


def _errant_program(command: list[str], texts: Texts) -> Callable[[], object]:
    arguments = [*command, *_errant_arguments(texts)[1:]]
    return lambda: run_program(arguments)


def _errant_arguments(texts: Texts) -> list[str]:
    if "errant" not in texts:
        raise LookupError(texts["no errant"])
    return list(texts["errant"])


_OFFICIAL = [sys.executable, "-c", "from errant.commands.compare_m2 import main; main()"]
PEERS: dict[str, Peer] = {
    "gec-metrics": Peer("GLEU, 500 draws", "gec-metrics", partial(_our_gleu, "py3"), _gec_metrics_gleu),
    "sacrebleu-gleu": Peer("GLEU (ours), BLEU (theirs)", "sacrebleu", partial(_our_gleu, "py2"), _sacrebleu),
    "sacrebleu-ter": Peer("TER edits of each pair", "sacrebleu", _our_ter, _sacrebleu_ter),
    "rapidfuzz": Peer("edits of each pair", "rapidfuzz", _our_edits, _rapidfuzz_edits),
    "jiwer": Peer("edits of each pair", "jiwer", _our_edits, _jiwer_edits),
    "errant-compare": Peer("errant_compare, in process", "errant", _our_errant, _errant),
    "errant-program": Peer(
        "errant_compare, the program",
        "errant",
        partial(_errant_program, gecbench_program("errant_compare")),
        partial(_errant_program, _OFFICIAL),
    ),
}


if __name__ == "__main__":
    print(json.dumps(measure_here(sys.argv[1], sys.argv[2], float(sys.argv[3]), Path(sys.argv[4]))))
