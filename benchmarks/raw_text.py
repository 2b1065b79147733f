"""What natural text costs in points: a human rewrite detokenized three ways, then tokenized by the usual tools.

    GECBENCH_MIRROR=folder python benchmarks/raw_text.py

Prints GLEU and the share of sentences that come back as they were, for the first rewrite of each corpus against the
others; then M2; then the time of the check for raw text beside that of scoring GLEU. It needs sacremoses, NLTK and
spaCy (no model), and takes about a minute.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from measure import best, mirror, print_row, time_label

import gecbench
from gecbench.corpus.prepare import Preprocessing, check_tokenization, check_wrappers

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from detokenizers import WAYS

Split = Callable[[str], str]
CORPORA = ("jfleg:test", "jfleg:validation", "conll14_fluency:nucle")
REPEATS = 25


def main() -> None:
    if mirror() is None:
        sys.exit("Set GECBENCH_MIRROR to a folder with the corpora.")
    warnings.simplefilter("ignore")
    rewrites = {name: first_rewrite(name) for name in CORPORA}
    for metric in ("gleu", "m2"):
        table(metric, rewrites)
    check_table(("demo", *CORPORA))


def first_rewrite(name: str) -> tuple[gecbench.Corpus, list[str]]:
    """Return a corpus without its first reference, and that reference as a prediction."""
    whole = gecbench.load_corpus(name)
    references = whole.references or ()
    others = whole.with_references(range(1, len(references[0]))).replace(annotations=None)
    return others, [" ".join(texts[0].split()) for texts in references]


def table(metric: str, rewrites: dict[str, tuple[gecbench.Corpus, list[str]]]) -> None:
    tools = naive_tools()
    print(f"\n{metric.upper()} of the first rewrite (in brackets: sentences that come back as they were)\n")
    print(f"| corpus (tokenised) | detokenised by | as is | {' | '.join(tools)} | `auto` |")
    print(f"|---|---|---:|{'---:|' * len(tools)}---:|")
    for name, (corpus, rewrite) in rewrites.items():
        first = f"{name} ({points(metric, corpus, rewrite):.2f})"
        for way, make in WAYS.items():
            raw = list(map(make(), rewrite))
            cells = [f"{points(metric, corpus, raw):.2f}"]
            cells += [cell(metric, corpus, [split(line) for line in raw], rewrite) for split in tools.values()]
            cells.append(cell(metric, corpus, by_auto(corpus, raw), rewrite))
            print_row(first, way, *cells)
            first = ""


def naive_tools() -> dict[str, Split]:
    """Return the tokenizers that people use, each from its own package."""
    moses = import_module("sacremoses").MosesTokenizer(lang="en")
    treebank = import_module("nltk.tokenize.treebank").TreebankWordTokenizer()
    pipeline = import_module("spacy").blank("en")
    return {
        "sacremoses": lambda text: str(moses.tokenize(text, return_str=True, escape=False)),
        "NLTK Treebank": lambda text: " ".join(treebank.tokenize(text)),
        "spaCy": lambda text: " ".join(token.text for token in pipeline(text) if not token.is_space),
    }


def by_auto(corpus: gecbench.Corpus, raw: list[str]) -> list[str]:
    return list(Preprocessing(tokenize="auto").prepare(corpus, raw).lines)


def cell(metric: str, corpus: gecbench.Corpus, lines: list[str], wanted: list[str]) -> str:
    same = sum(map(str.__eq__, lines, wanted)) / len(wanted)
    return f"{points(metric, corpus, lines):.2f} ({same:.3f})".replace("(0.", "(.")


def points(metric: str, corpus: gecbench.Corpus, lines: list[str]) -> float:
    return 100 * gecbench.score(lines, corpus, metric, tokenized=True, aligned=True)[metric].value


def check_table(names: tuple[str, ...]) -> None:
    """Compare the check of predictions, and that of references (once per corpus), with scoring GLEU."""
    print("\nThe check beside scoring GLEU (the first reference as prediction)\n")
    print(
        "| corpus | sentences | check of predictions | of references, once | scoring GLEU | share | with references |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in names:
        corpus = gecbench.load_corpus(name)
        sources, lines = corpus.sources, [texts[0] for texts in corpus.references or ()]
        wrappers = best(lambda: check_wrappers(sources, lines), REPEATS)  # noqa: B023
        tokens = best(lambda: check_tokenization(sources, lines), REPEATS)  # noqa: B023
        scoring = best(lambda: gecbench.score(lines, corpus, tokenized=True), REPEATS)  # noqa: B023
        times = map(time_label, (wrappers + tokens, tokens, scoring))
        shares = (f"{100 * part / scoring:.1f} %" for part in (wrappers + tokens, wrappers + 2 * tokens))
        print_row(name, f"{len(corpus):,}", *times, *shares)


if __name__ == "__main__":
    main()
