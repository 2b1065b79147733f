"""Measure the points that raw text costs: a human rewrite is detokenized in three ways, then tokenized by common tools.

    GECBENCH_MIRROR=folder python benchmarks/raw_text.py

Prints GLEU and the share of sentences that come back unchanged, for the first rewrite of each corpus against the
others. Then it prints M2, the sentences of every annotator that `auto` restores, by language, and the time of the check
for raw text compared with scoring GLEU. It needs pytest, sacremoses, NLTK and spaCy (no model) and takes four minutes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from measure import best, mirror, print_row, time_label

import gecbench
from gecbench.corpus.prepare import Preprocessing, check_tokenization, check_wrappers

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))
from detokenizers import WAYS
from mirror_files import M2_FILES, annotators, m2_file, mucgec, split_annotator

Split = Callable[[str], str]
CORPORA = ("jfleg:test", "jfleg:validation", "conll14_fluency:nucle")
REPEATS = 25


class Rewrite(NamedTuple):
    """A human rewrite, the gold without it (from which `auto` learns), and the gold as users have it."""

    lines: list[str]
    others: gecbench.Corpus
    gold: gecbench.Corpus


def main() -> None:
    if mirror() is None:
        sys.exit("Set GECBENCH_MIRROR to a folder with the corpora.")
    warnings.simplefilter("ignore")
    rewrites = {name: first_rewrite(name) for name in CORPORA}
    for metric in ("gleu", "m2"):
        table(metric, rewrites)
    language_table()
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
    print(f"| corpus (tokenized) | detokenized by | as is | {' | '.join(tools)} | `auto` |")
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
    """Return common tokenizers, each from its own package."""
    moses = import_module("sacremoses").MosesTokenizer(lang="en")
    treebank = import_module("nltk.tokenize.treebank").TreebankWordTokenizer()
    pipeline = import_module("spacy").blank("en")
    return {
        "sacremoses": lambda text: str(moses.tokenize(text, return_str=True, escape=False)),
        "NLTK Treebank": lambda text: " ".join(treebank.tokenize(text)),
        "spaCy": lambda text: " ".join(token.text for token in pipeline(text) if not token.is_space),
    }


def by_auto(corpus: gecbench.Corpus, raw: list[str]) -> list[str]:
    return list(Preprocessing(tokenize="auto", tokenized=True, aligned=True).prepare(corpus, raw).lines)


def cell(metric: str, corpus: gecbench.Corpus, lines: list[str], wanted: list[str]) -> str:
    same = sum(map(str.__eq__, lines, wanted)) / len(wanted)
    return f"{points(metric, corpus, lines):.2f} ({same:.3f})".replace("(0.", "(.")


def points(metric: str, corpus: gecbench.Corpus, lines: list[str]) -> float:
    return 100 * gecbench.score(lines, corpus, metric, tokenized=True, aligned=True)[metric].value


def language_table() -> None:
    """Print how many sentences of each annotator come back unchanged, and the largest changes of the scores."""
    print("\nThe texts of all annotators, detokenized and read back by `auto`\n")
    tools = ("gecbench", *WAYS)
    print(f"| language | corpus | sentences | {' | '.join(tools)} | GLEU | M2 |")
    print(f"|---|---|---:|{'---:|' * (len(tools) + 2)}")
    for language, corpora in rewrites_by_language().items():
        total, back = 0, dict.fromkeys(tools, 0)
        label = "**all, by character**" if language == "Chinese" else "**all**"
        for name, rewrites in corpora.items():
            count, same, gleu, m2 = read_back(language, list(rewrites))
            print_row(language, name, f"{count:,}", *(share(same[way], count) for way in tools), gleu, m2)
            if name.endswith("words"):
                continue
            total += count
            back = {way: back[way] + same[way] for way in tools}
        print_row(language, label, f"{total:,}", *(f"**{share(back[way], total)}**" for way in tools), "", "")


def rewrites_by_language() -> dict[str, dict[str, Iterator[Rewrite]]]:
    corpora = {
        language: {name: annotated(path) for name, path in files.items()} for language, files in M2_FILES.items()
    }
    corpora["English"] = {name: referenced(name) for name in CORPORA} | corpora["English"]
    corpora["Chinese"]["MuCGEC dev, characters"] = in_characters()
    return corpora


def annotated(path: str) -> Iterator[Rewrite]:
    gold = m2_file(path)
    for annotator in annotators(gold):
        yield Rewrite(*split_annotator(gold, annotator))


def referenced(name: str) -> Iterator[Rewrite]:
    whole = gecbench.load_corpus(name)
    whole = whole.replace(references=[[" ".join(text.split()) for text in texts] for texts in whole.references or ()])
    columns = range(len(whole.references[0])) if whole.references else ()
    for k in columns:
        others = whole.with_references([other for other in columns if other != k]).replace(annotations=None)
        yield Rewrite(whole.reference_columns()[k], others, whole if whole.annotations else others)


def in_characters() -> Iterator[Rewrite]:
    """Yield the first reference of each sentence that has two."""
    rows = [texts[:3] for texts in mucgec() if len(texts) > 2]
    sources, first, second = zip(*rows, strict=True)
    others = gecbench.Corpus(sources=sources, references=[[text] for text in second])
    yield Rewrite(list(first), others, others)


def read_back(language: str, rewrites: list[Rewrite]) -> tuple[int, dict[str, int], str, str]:
    """Return the number of sentences, how many each tool restores, and the largest changes of GLEU and M2."""
    same: dict[str, int] = {}
    changes: dict[str, list[float]] = {"gleu": [], "m2": []}
    for lines, others, gold in rewrites:
        for way, raw in detokenized(language, lines):
            found = by_auto(others, raw)
            same[way] = same.get(way, 0) + sum(map(str.__eq__, found, lines))
            scored = others if others.references else gecbench.derive_references(others)
            changes["gleu"].append(points("gleu", scored, found) - points("gleu", scored, lines))
            changes["m2"].append(points("m2", gold, by_auto(gold, raw)) - points("m2", gold, lines))
    count = sum(len(rewrite.lines) for rewrite in rewrites)
    gleu, m2 = (f"{max(values, key=abs):+.2f}" for values in changes.values())
    return count, same, gleu, m2


def detokenized(language: str, lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the lines as each tool detokenizes them. Chinese skips the tools for European languages."""
    yield "gecbench", gecbench.detokenize(lines)
    for way, make in WAYS.items():
        yield way, ["".join(line.split()) for line in lines] if language == "Chinese" else list(map(make(), lines))


def share(same: int, count: int) -> str:
    return f"{100 * same / count:.2f}%"


def check_table(names: tuple[str, ...]) -> None:
    """Print the times of checking predictions, of checking references (once per corpus), and of scoring GLEU."""
    print("\nThe check compared with scoring GLEU (the first reference as prediction)\n")
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
        shares = (f"{100 * part / scoring:.1f}%" for part in (wrappers + tokens, wrappers + 2 * tokens))
        print_row(name, f"{len(corpus):,}", *times, *shares)


if __name__ == "__main__":
    main()
