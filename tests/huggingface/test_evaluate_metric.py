"""The `evaluate` module: loaded from the package, batched, combined, distributed, offline."""

import inspect
import re
import subprocess
import sys

import evaluate
import numpy as np
import pytest

import gecbench
from gecbench.corpora.catalog import DATASETS
from gecbench.huggingface.evaluate_metric import ReferenceMetric
from gecbench.huggingface.register import metric_modules

DEMO, SYSTEMS = gecbench.load_demo(), gecbench.load_demo_systems()
INPUTS = {
    "sources": list(DEMO.sources),
    "predictions": SYSTEMS["rule-based"],
    "references": [list(texts) for texts in DEMO.references],
}
EXPECTED = gecbench.GLEU().score_corpus(DEMO, SYSTEMS["rule-based"])


@pytest.fixture
def gleu():
    return gecbench.load_metric("gleu")


def test_result(gleu):
    result = gleu.compute(**INPUTS)
    assert result["gleu"] == EXPECTED.value
    assert result["signature"] == str(EXPECTED.signature)
    assert result["standard_deviation"] == EXPECTED.parts["standard_deviation"]
    assert not [name for name, value in result.items() if value is None or isinstance(value, dict)]
    assert "interval_low" not in result


def test_options_are_typed_arguments(gleu):
    result = gleu.compute(
        **INPUTS, order=3, iterations=50, draws="py3", variant="2016", tokens="unicode", resamples=30, per_sentence=True
    )
    metric = gecbench.GLEU(order=3, iterations=50, draws="py3", variant="2016", tokens="unicode")
    assert result["gleu"] == metric.score_corpus(DEMO, SYSTEMS["rule-based"]).value
    assert "|tok:unicode|" in result["signature"]
    assert result["interval_low"] < result["gleu"] < result["interval_high"]
    assert len(result["sentence_scores"]) == len(DEMO)
    known = "order, iterations, draws, variant, tokens"
    with pytest.raises(gecbench.InputError, match=f"gleu has no parameter 'n'. Its parameters: {known}"):
        gleu.compute(**INPUTS, n=3)


def test_batches_and_single_rows(gleu):
    for begin in range(0, 40, 8):
        gleu.add_batch(**{name: rows[begin : begin + 8] for name, rows in INPUTS.items()})
    for i in range(40, len(DEMO)):
        gleu.add(prediction=INPUTS["predictions"][i], reference=INPUTS["references"][i], sources=INPUTS["sources"][i])
    assert gleu.compute()["gleu"] == EXPECTED.value


def test_ragged_references_and_numpy_strings(gleu):
    ragged = [list(texts)[: 1 + i % 4] for i, texts in enumerate(DEMO.references)]
    found = gleu.compute(sources=np.array(INPUTS["sources"]), predictions=INPUTS["predictions"], references=ragged)
    assert found["gleu"] == gecbench.GLEU().score(**{**INPUTS, "references": ragged}).value


def test_combine(gleu):
    combined = evaluate.combine([gleu, gecbench.load_metric("gleu")], force_prefix=True)
    result = combined.compute(**INPUTS)
    assert result["gleu_0_gleu"] == result["gleu_1_gleu"] == EXPECTED.value


def test_keep_in_memory():
    assert gecbench.load_metric("gleu", keep_in_memory=True).compute(**INPUTS)["gleu"] == EXPECTED.value


def test_as_the_trainer_calls_it(gleu):
    """Seq2SeqTrainer hands ids padded with -100; compute_metrics decodes and calls the metric per epoch."""
    vocabulary = sorted({token for text in [*DEMO.sources, *INPUTS["predictions"]] for token in text.split()})
    number = {token: i for i, token in enumerate(vocabulary)}

    def encode(texts):
        width = max(len(text.split()) for text in texts)
        rows = [[number[token] for token in text.split()] for text in texts]
        return np.array([row + [-100] * (width - len(row)) for row in rows])

    def decode(ids):
        return [" ".join(vocabulary[i] for i in row if i != -100) for row in ids]

    def compute_metrics(prediction):
        predictions, inputs = prediction
        found = gleu.compute(sources=decode(inputs), predictions=decode(predictions), references=INPUTS["references"])
        return {"gleu": round(100 * found["gleu"], 2)}

    for _ in range(2):
        batch = (encode(INPUTS["predictions"]), encode(DEMO.sources))
        assert compute_metrics(batch) == {"gleu": round(100 * EXPECTED.value, 2)}


def test_registered_name_offline_and_undone():
    assert gecbench.register(quiet=True) == gecbench.register(quiet=True) == [*metric_modules(), *DATASETS]
    try:
        assert evaluate.load("gleu").compute(**INPUTS)["gleu"] == EXPECTED.value
    finally:
        gecbench.unregister()
    assert not hasattr(evaluate.loading.evaluation_module_factory, "gecbench_original")
    with pytest.raises((FileNotFoundError, ConnectionError)):
        evaluate.loading.evaluation_module_factory("gleu-is-unknown-again")


def test_register_says_what_it_did(capsys):
    gecbench.register()
    gecbench.unregister()
    message = capsys.readouterr().err
    assert 'evaluate.load("gleu")' in message
    assert 'datasets.load_dataset("jfleg")' in message
    assert "gecbench.unregister()" in message


def test_unknown_module():
    with pytest.raises(gecbench.InputError, match="Known modules: errant, gleu, imeasure, m2"):
        gecbench.load_metric("meteor")


def score_half(rank, cache):
    demo, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    gleu = gecbench.load_metric("gleu", num_process=2, process_id=rank, experiment_id="halves", cache_dir=cache)
    half = slice(0, 21) if rank == 0 else slice(21, 42)
    references = [list(texts) for texts in demo.references[half]]
    return gleu.compute(sources=list(demo.sources[half]), predictions=outputs[half], references=references)


def test_two_processes(tmp_path):
    program = f"import gecbench\n{inspect.getsource(score_half)}\nprint(score_half(1, {str(tmp_path)!r}))"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as other:
        assert score_half(0, str(tmp_path))["gleu"] == EXPECTED.value
        assert other.communicate(timeout=120)[0].strip() == "None"
    assert other.returncode == 0


def test_every_module_is_small_and_carries_its_documents():
    for name, folder in metric_modules().items():
        assert len((folder / f"{name}.py").read_text().splitlines()) <= 100
        assert {"README.md", "app.py", "requirements.txt"} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("name", metric_modules())
def test_arguments_are_documented_as_the_class_declares_them(name):
    declared = gecbench.METRICS[name].parameters().values()
    heads = [f"{each.name} ({each.kind}, {shown(each.default)})" for each in declared]
    lines = [f"{head}: {each.description}." for head, each in zip(heads, declared, strict=True)]
    shared = inspect.signature(ReferenceMetric._compute).parameters.values()
    common = [f"{each.name} ({type(each.default).__name__}, {each.default})" for each in list(shared)[4:-1]]
    inputs = ["sources", "predictions", "references"]

    arguments = gecbench.load_metric(name).inputs_description.partition("Args:\n")[2].partition("Returns:\n")[0]
    found = [" ".join(entry.split()) for entry in re.split(r"^    (?=\w)", arguments, flags=re.MULTILINE)[1:]]
    assert [entry.partition(" (")[0] for entry in found[:3]] == inputs
    assert found[3:-5] == lines
    assert [entry.partition(":")[0] for entry in found[-5:]] == common

    card = (metric_modules()[name] / "README.md").read_text(encoding="utf-8")
    section = card.partition("### Inputs\n")[2].partition("\n### ")[0].replace("`", "")
    entries = re.findall(r"^- \*\*(\w+)\*\*( \(.*?\))?:", section, re.MULTILINE)
    assert [entry for entry, _ in entries[:3]] == inputs
    assert [entry + rest for entry, rest in entries[3:]] == [*heads, *common]


def shown(default):
    return f'"{default}"' if isinstance(default, str) else repr(default)
