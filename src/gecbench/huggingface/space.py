"""A web form to try a metric with text or M2 edits.

It shows a table and a colored diff of every sentence. The Spaces in `metrics/` use this form. Only `build_space` needs
gradio.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Callable, Sequence
from html import escape
from importlib import import_module
from typing import Any

from gecbench.corpus.corpus import Corpus
from gecbench.corpus.prepare import Prepared, Preprocessing
from gecbench.display import percent
from gecbench.errors import InputError, MissingDependencyError, counted
from gecbench.formats.m2 import parse_m2
from gecbench.formats.tables import edited_texts
from gecbench.metrics.base import Metric, Parameter, Score
from gecbench.metrics.explain import legend

_REFERENCES = 4
_SOURCES = "She like cats very much.\nI am agree with you.\nHe go to school by feet every day."
_OUTPUTS = "She likes the cats very much.\nI agree with you.\nHe goes to school by feet every day."
_EXAMPLE_REFERENCES = (
    "She likes cats very much.\nI agree with you.\nHe walks to school every day.",
    "She is very fond of cats.\nI agree with you.\nHe goes to school on foot every day.",
)
_GOLD = """S She like cats very much .
A 1 2|||{sva}|||likes|||REQUIRED|||-NONE-|||0

S I am agree with you .
A 1 2|||{verb}||||||REQUIRED|||-NONE-|||0

S He go to school by feet every day .
A 1 2|||{sva}|||goes|||REQUIRED|||-NONE-|||0
A 4 6|||{idiom}|||on foot|||REQUIRED|||-NONE-|||0"""
_SYSTEM = """S She like cats very much .
A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||0

S I am agree with you .
A 1 2|||U:VERB||||||REQUIRED|||-NONE-|||0

S He go to school by feet every day .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0"""
_CONLL14_TYPES = {"sva": "SVA", "verb": "Vform", "idiom": "Wci"}
_ERRANT_TYPES = {"sva": "R:VERB:SVA", "verb": "U:VERB", "idiom": "R:OTHER"}
# The parts that the table shows, in this order. Those in _COUNTS are whole numbers, the others are percentages.
_LABELS = {
    "precision": "Precision",
    "recall": "Recall",
    "correction_precision": "Precision",
    "correction_recall": "Recall",
    "hit": "Hit rate",
    "err": "Wrong-correction rate",
    "und": "Under-correction rate",
    "ove": "Over-correction rate",
    "correction_weighted_accuracy": "Weighted accuracy",
    "baseline_weighted_accuracy": "Weighted accuracy of the source",
    "precision_1": "Precision of single words",
    "precision_2": "Precision of 2-grams",
    "precision_3": "Precision of 3-grams",
    "precision_4": "Precision of 4-grams",
    "brevity_penalty": "Brevity penalty",
}
_COUNTS = {
    "correct": "Correct edits",
    "proposed": "Proposed edits",
    "gold": "Gold edits",
    "tp": "Correct (true positives)",
    "fp": "Wrong (false positives)",
    "fn": "Missed (false negatives)",
}
_ADVICE = re.compile(r"(?:\. If this is intended,|;|, or) pass aligned=True to skip this check")
_STYLE = """<style>
.gec { --good: #0a6b2d; --bad: #b3261e; --missed: #7d5200; --soft: #5c625f; }
.dark .gec { --good: #6fd08c; --bad: #ff8a80; --missed: #e6b450; --soft: #a3aca7; }
.gec .value { font-size: 2rem; font-weight: 650; margin: 0; }
.gec table { border-collapse: collapse; width: auto; margin: .3rem 0; }
.gec :is(table, tr, th, td) { border: 0 !important; }
.gec :is(th, td) { padding: .15rem .8rem .15rem 0 !important; text-align: left; font-weight: 400; vertical-align: top; }
.gec td.number { text-align: right; font-variant-numeric: tabular-nums; }
.gec th, .gec .soft, .gec code { color: var(--soft); overflow-wrap: anywhere; }
.gec section { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .5rem 0; }
.gec :is(h2, h3) { font-size: 1rem !important; margin: .3rem 0 !important; }
.gec details th { white-space: nowrap; } .gec details span { margin-right: .3rem; }
.gec details { overflow-x: auto; }
.gec :is(ins, .match) { color: var(--good); } .gec ins { text-decoration: underline; }
.gec :is(del, .wrong) { color: var(--bad); } .gec del { text-decoration: line-through; }
.gec .miss { color: var(--missed); } .gec .note { color: var(--soft); }
.gec .diff { font-size: 1.1rem; margin: .2rem 0; }
</style>"""


def score_text(metric: Metric, sources: str, outputs: str, references: Sequence[str]) -> str:
    """Score text, raw or tokenized, and return the result as HTML.

    Args:
        metric: The metric.
        sources: The sentences before correction, one per line.
        outputs: The corrected sentences, one per line.
        references: One text for each reference, with one sentence per line. Empty texts are ignored. An empty line
            means that the sentence lacks this reference.

    Returns:
        A table of the score and its parts, and a diff of each sentence.

    Raises:
        InputError: The texts have different numbers of lines, or cannot be scored.
    """
    lines, corrected = _lines(sources), _lines(outputs)
    columns = [[line.strip() for line in text.removesuffix("\n").split("\n")] for text in references if text.strip()]
    named = {"Corrected sentences": corrected}
    named |= {f"Reference {k}": column for k, column in enumerate(columns, start=1)}
    for name, column in named.items():
        if len(column) != len(lines):
            problem = f"{name}: {counted(len(column), 'line')}, but {counted(len(lines), 'source sentence')}"
            raise InputError(problem, fix="Write one line for each source sentence, in the same order")
    gold = [tuple(text for text in row if text) for row in zip(*columns, strict=True)] or [()] * len(lines)
    if not all(gold):
        raise InputError(
            f"no reference for source sentence {gold.index(()) + 1}", fix="Write at least one for each sentence"
        )
    split = Preprocessing("auto").prepare_sentence
    rows = [split(*row) for row in zip(lines, gold, corrected, strict=True)]
    corpus = Corpus(sources=[row[0] for row in rows], references=[row[1] for row in rows])
    return _scored(metric, lambda: Preprocessing().prepare(corpus, [row[2] for row in rows], "corrected sentences"))


def score_edits(metric: Metric, gold: str, outputs: str) -> str:
    """Score text or edits against gold edits, and return the result as HTML.

    Args:
        metric: The metric.
        gold: Gold edits in M2 format.
        outputs: The corrected sentences, raw or tokenized and one per line, or a system's edits in M2 format.

    Returns:
        A table of the score and its parts, and a diff of each sentence.

    Raises:
        InputError: The gold is not in M2 format, or the outputs do not belong to it.
    """
    corpus = parse_m2(_lines(gold), "gold edits")
    lines = _lines(outputs)
    if lines[0].startswith("S "):
        edits = edited_texts(parse_m2(lines, "system's edits"), corpus, "system's edits")
        return _scored(metric, lambda: Preprocessing().prepare(corpus, edits, "system's edits"))
    return _scored(metric, lambda: Preprocessing("auto").prepare(corpus, lines, "corrected sentences"))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip("\n").split("\n")]


def _scored(metric: Metric, prepare: Callable[[], Prepared]) -> str:
    """Prepare and score the outputs, and return HTML with any warnings as notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        prepared = prepare()
        score = metric.score_prepared(prepared)
    notes = dict.fromkeys(_form_words(str(each.message)) for each in caught if issubclass(each.category, UserWarning))
    return render_result(score, prepared, list(notes))


def _form_words(message: str) -> str:
    """Return a message in words that fit the form.

    Advice on Python parameters is removed, and references are numbered from 1.
    """
    message = _ADVICE.sub("", message).replace(" with gecbench.clean(lines, sources)", "")
    return re.sub(r"\breference ([0-9]+)\b", lambda found: f"reference {int(found[1]) + 1}", message)


def render_result(score: Score, prepared: Prepared, notes: Sequence[str] = ()) -> str:
    """Return a score as HTML.

    The HTML shows the value, its parts, notes, a diff of each sentence, and the signature.
    """
    title = escape(score.metric.title)
    values = score.sentence_scores()
    explained = score.metric.explain(prepared.corpus, prepared.lines, range(len(prepared.corpus)))
    sections = [
        f"<section><h3>Sentence {i + 1} <span class='soft'>{title} {percent(values[i])}</span></h3>\n"
        f"<p class='diff'>{diff(prepared.corpus.sources[i], prepared.lines[i])}</p>\n"
        f"<details><summary>How it was scored</summary>{explained[i].to_html()}</details></section>"
        for i in range(len(prepared.corpus))
    ]
    return "\n".join(
        [
            f"{_STYLE}<div class='gec'><p class='value'>{title} {percent(score.value)}</p>",
            _parts_table(score),
            *(f"<p role='note'>Note: {escape(note.rstrip('.'))}.</p>" for note in notes),
            *sections,
            f"<p class='soft'>{'<br>'.join(map(escape, legend(explained).splitlines()))}</p>",
            f"<p><code>{escape(str(score.signature))}</code></p></div>",
        ]
    )


def _parts_table(score: Score) -> str:
    undefined = score.metric.undefined_parts(score.parts)
    rows = [
        (label, "– (nothing to divide by)" if part in undefined else percent(score.parts[part]))
        for part, label in _LABELS.items()
        if part in score.parts
    ]
    counts = {part: label for part, label in _COUNTS.items() if float(score.parts.get(part, 0.5)).is_integer()}
    rows += [(label, str(int(score.parts[part]))) for part, label in counts.items()]
    cells = "\n".join(f"<tr><th scope='row'>{label}</th><td class='number'>{value}</td></tr>" for label, value in rows)
    return f"<table>\n{cells}\n</table>"


def diff(source: str, corrected: str) -> str:
    """Return a correction as HTML.

    Deleted words are struck through, and inserted words are underlined.

    >>> diff("I am agree .", "I agree !")
    'I <del>am</del> agree <del>.</del> <ins>!</ins>'
    """
    before, after = source.split(), corrected.split()
    parts = []
    for kind, i, j, k, n in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(escape(" ".join(before[i:j])))
            continue
        parts += [f"<del>{escape(' '.join(before[i:j]))}</del>"] if j > i else []
        parts += [f"<ins>{escape(' '.join(after[k:n]))}</ins>"] if n > k else []
    return " ".join(parts)


def build_space(metric: type[Metric], description: str, options: Sequence[str] = ()) -> Any:
    """Return the form as `gradio.Blocks`.

    Args:
        metric: The metric's class.
        description: A sentence under the title.
        options: The parameters of the metric that the form offers.

    Returns:
        The page. Its method `launch` serves it.

    Raises:
        MissingDependencyError: gradio is not installed.
    """
    try:
        gradio: Any = import_module("gradio")
    except ImportError as error:
        raise MissingDependencyError("The web form needs gradio. Install it: pip install gradio") from error
    parameters = [metric.parameters()[name] for name in options]

    def answer(score: Callable[..., str], *inputs: Any) -> str:
        given, chosen = inputs[: len(inputs) - len(options)], inputs[len(inputs) - len(options) :]
        try:
            return score(metric(**dict(zip(options, chosen, strict=True))), *given)
        except (InputError, MissingDependencyError) as error:
            raise gradio.Error(_form_words(str(error)), print_exception=False) from error

    def answer_text(sources: str, outputs: str, *rest: Any) -> str:
        references, chosen = rest[:_REFERENCES], rest[_REFERENCES:]
        return answer(score_text, sources, outputs, references, *chosen)

    def answer_edits(*inputs: Any) -> str:
        return answer(score_edits, *inputs)

    with gradio.Blocks(title=f"{metric.title} for grammatical error correction") as page:
        gradio.Markdown(f"# {metric.title} for grammatical error correction\n{description}")
        with gradio.Row():
            with gradio.Column():
                forms = _forms(gradio, metric, answer_text, answer_edits)
                with gradio.Accordion("Options", open=False, visible=bool(parameters)):
                    chosen = [_control(gradio, each) for each in parameters]
            with gradio.Column():
                result = gradio.HTML(label="Result", value="<p>The score and a diff of each sentence appear here.</p>")
        for name, (button, inputs, function) in forms.items():
            button.click(function, [*inputs, *chosen], result, api_name=name)
    return page


def _forms(gradio: Any, metric: type[Metric], on_text: Any, on_edits: Any) -> dict[str, tuple[Any, list[Any], Any]]:
    """Draw the forms of the metric. Return API name → (button, inputs, function)."""
    forms = {}
    with gradio.Tabs():
        if metric.missing() is None:
            with gradio.Tab("Text"):
                boxes = [gradio.Textbox(_SOURCES, lines=3, label="Source sentences, one per line")]
                boxes.append(gradio.Textbox(_OUTPUTS, lines=3, label="Corrected sentences, one per line"))
                texts = [*_EXAMPLE_REFERENCES, *[""] * (_REFERENCES - len(_EXAMPLE_REFERENCES))]
                for k, text in enumerate(texts[:2], start=1):
                    boxes.append(gradio.Textbox(text, lines=3, label=f"Reference {k}" + " (optional)" * (k > 1)))
                with gradio.Accordion("More references", open=False):
                    for k, text in enumerate(texts[2:], start=3):
                        boxes.append(gradio.Textbox(text, lines=3, label=f"Reference {k} (optional)"))
                forms["text"] = (gradio.Button("Score", variant="primary"), boxes, on_text)
        if "annotations" in metric.golds:
            with gradio.Tab("M2 edits"):
                types = _CONLL14_TYPES if metric.extra is None else _ERRANT_TYPES
                outputs = _OUTPUTS if metric.extra is None else _SYSTEM
                label = "Corrected sentences, one per line" + (", or the system's edits (M2)" if metric.extra else "")
                boxes = [gradio.Textbox(_GOLD.format(**types), lines=9, label="Gold edits (M2)")]
                boxes.append(gradio.Textbox(outputs, lines=4 if metric.extra is None else 9, label=label))
                forms["edits"] = (gradio.Button("Score", variant="primary"), boxes, on_edits)
    return forms


def _control(gradio: Any, parameter: Parameter) -> Any:
    """Return the control of a parameter: a list of choices, a switch or a number."""
    label = {"label": parameter.name, "info": parameter.description}
    if parameter.choices:
        return gradio.Dropdown(list(parameter.choices), value=parameter.default, **label)
    if isinstance(parameter.default, bool):
        return gradio.Checkbox(parameter.default, **label)
    return gradio.Number(parameter.default, **label)
