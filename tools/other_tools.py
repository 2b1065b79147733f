"""Update the table of docs/tools.md, which compares scores of other tools and of gecbench on the demo outputs.

python tools/other_tools.py [--write]      (needs gec-metrics, nltk, sacrebleu and errant)
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import gecbench

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tools.md"
BEGIN, END = "<!-- tools:begin -->\n", "<!-- tools:end -->"
SYSTEMS = ("do-nothing", "spell-checker", "rule-based", "good-corrector")
Texts = Sequence[str]


def ours(metric: str) -> Callable[[Texts], float]:
    """Return a function that scores outputs with a metric of gecbench."""
    return lambda outputs: 100 * next(iter(gecbench.score(outputs, "demo", metric).values())).value


def our_errant(outputs: Texts) -> float:
    """Return ERRANT of edits extracted by gecbench."""
    from gecbench.formats.tables import read_predictions

    with system_m2(outputs) as path:
        return ours("errant")(read_predictions(str(path), gecbench.load_demo()))


@contextmanager
def system_m2(outputs: Texts) -> Iterator[Path]:
    """Write the edits from the sources to the outputs, as gecbench extracts them, to an M2 file."""
    blocks = []
    for source, output in zip(gecbench.load_demo().sources, outputs, strict=True):
        edits = gecbench.extract_edits(source, output)
        lines = [f"A {e.start} {e.end}|||{e.type}|||{e.corrections[0]}|||REQUIRED|||-NONE-|||0" for e in edits]
        blocks.append("".join(f"{line}\n" for line in [f"S {source}", *lines]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "system.m2"
        path.write_text("\n".join([*blocks, ""]), encoding="utf-8")
        yield path


def gec_metrics(name: str) -> Callable[[Texts], float]:
    """Return a function that scores outputs with gec-metrics, which takes one list of texts per reference file."""

    def value(outputs: Texts) -> float:
        from gec_metrics.metrics import gleu

        demo = gecbench.load_demo()
        references = [list(texts) for texts in zip(*demo.references, strict=True)]
        metric = getattr(gleu, name)()
        given = {"sources": list(demo.sources), "hypotheses": list(outputs), "references": references}
        return 100 * float(metric.score_corpus(**given))

    return value


def nltk_gleu(outputs: Texts) -> float:
    """Return Google's GLEU."""
    from nltk.translate.gleu_score import corpus_gleu

    references = [[text.split() for text in texts] for texts in gecbench.load_demo().references]
    return 100 * float(corpus_gleu(references, [text.split() for text in outputs]))


def sacrebleu_bleu(outputs: Texts) -> float:
    """Return the BLEU of sacrebleu without tokenization."""
    import sacrebleu

    references = [list(texts) for texts in zip(*gecbench.load_demo().references, strict=True)]
    return float(sacrebleu.corpus_bleu(list(outputs), references, tokenize="none", force=True).score)


def errant_compare(outputs: Texts) -> float:
    """Return the score that errant_compare prints for the same edits."""
    from gecbench.corpora.demo import DATA

    with system_m2(outputs) as path:
        program = Path(sys.executable).parent / "errant_compare"
        command = [sys.executable, str(program), "-hyp", str(path), "-ref", str(DATA / "gold.m2")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return 100 * float(done.stdout.strip().splitlines()[-2].split("\t")[-1])


def rows() -> Mapping[tuple[str, str, str], Callable[[Texts], float]]:
    """Return the scoring functions by (tool, name in the tool, description)."""
    ours_is, theirs = "gecbench", {name: f"{name} {version(name)}" for name in ("nltk", "sacrebleu", "errant")}
    metrics = f"gec-metrics {version('gec-metrics')}"
    return {
        (ours_is, "`gleu`", "GLEU as published, with the random draws of Python 2"): ours("gleu"),
        (ours_is, "`gleu(draws=py3)`", "GLEU as published, with the random draws of Python 3"): ours("gleu(draws=py3)"),
        (metrics, "`GLEUOfficial`", "a port of the official script"): gec_metrics("GLEUOfficial"),
        (metrics, "`GLEU`", "GLEU+, a corrected form of GLEU"): gec_metrics("GLEU"),
        (theirs["nltk"], "`corpus_gleu`", "Google's GLEU, which ignores the source"): nltk_gleu,
        (ours_is, "`bleu`", "BLEU without tokenization"): ours("bleu"),
        (theirs["sacrebleu"], "`BLEU`, `tokenize=none`", "BLEU without tokenization"): sacrebleu_bleu,
        (ours_is, "`errant`", "ERRANT on edits that gecbench extracts"): our_errant,
        (theirs["errant"], "`errant_compare`", "ERRANT on the edits that gecbench extracted"): errant_compare,
        (ours_is, "`m2`", "edits of the alignment that fits the gold best"): ours("m2"),
        (ours_is, "`imeasure`", "improvement over the source"): ours("imeasure"),
    }


def table() -> str:
    """Return the table as Markdown."""
    outputs = gecbench.load_demo_systems()
    lines = [
        f"| tool | name in the tool | description | {' | '.join(SYSTEMS)} |",
        "|---|---|---|" + "---:|" * len(SYSTEMS),
    ]
    for names, value in rows().items():
        cells = [f"{value(outputs[system]):.2f}" for system in SYSTEMS]
        lines.append(f"| {' | '.join([*names, *cells])} |")
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    made = table()
    if "--write" in sys.argv:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(before + BEGIN + made + END + rest.partition(END)[2], encoding="utf-8")
    else:
        print(made, end="")
