"""The `evaluate` modules: loaded from the package, batched, combined, distributed, offline; every row checked."""

import inspect
import re
import subprocess
import sys

import evaluate
import numpy as np
import pytest
from m2_corpus import THREE_OUTPUTS, THREE_SENTENCES

import gecbench
from gecbench.formats.m2 import format_m2
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
    with pytest.raises(gecbench.InputError, match=f"gleu has no parameter 'n'. Parameters of gleu: {known}"):
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


def shuffled(order, inputs=INPUTS):
    return {name: [rows[i] for i in order] for name, rows in inputs.items()}


class TestIds:
    """Rows come in any order; their ids restore the one of the corpus."""

    ORDER = np.random.default_rng(3).permutation(len(DEMO)).tolist()

    @pytest.mark.parametrize("name", ["gleu", "m2", "imeasure"])
    def test_order_is_restored_and_repeats_count_once(self, name):
        module = gecbench.load_metric(name)
        expected = module.compute(**INPUTS)
        order = [*self.ORDER, *self.ORDER[:5]]
        assert module.compute(**shuffled(order), ids=[f"test-{i}" for i in order]) == expected
        for begin in range(0, len(order), 10):
            part = order[begin : begin + 10]
            module.add_batch(**shuffled(part), ids=np.array(part))
        assert module.compute() == expected

    def test_the_order_matters_without_them(self, gleu):
        assert gleu.compute(**shuffled(self.ORDER))["gleu"] != EXPECTED.value

    def test_single_rows(self, gleu):
        for i in self.ORDER:
            row = {name: rows[i] for name, rows in INPUTS.items()}
            gleu.add(prediction=row["predictions"], reference=row["references"], sources=row["sources"], ids=i)
        assert gleu.compute()["gleu"] == EXPECTED.value
        assert gleu.compute(**INPUTS)["gleu"] == EXPECTED.value, "the next call needs none"

    def test_refused(self, gleu):
        with pytest.raises(gecbench.InputError, match="two different sentences have the id '7'"):
            gleu.compute(**INPUTS, ids=[7] * len(DEMO))
        with pytest.raises(gecbench.InputError, match="3 ids for 42 predictions"):
            gleu.compute(**INPUTS, ids=[1, 2, 3])
        gleu.add_batch(**shuffled([0]), ids=["0"])
        with pytest.raises(gecbench.InputError, match="some batches have ids and others do not"):
            gleu.add_batch(**shuffled([1]))

    def test_combine(self, gleu):
        combined = evaluate.combine([gleu, gecbench.load_metric("m2")])
        assert combined.compute(**shuffled(self.ORDER), ids=self.ORDER)["gleu"] == EXPECTED.value


def score_share(name, rank, cache, share, with_ids):
    demo, outputs = gecbench.load_demo(), gecbench.load_demo_systems()["rule-based"]
    module = gecbench.load_metric(name, num_process=2, process_id=rank, experiment_id=name, cache_dir=cache)
    rows = [*range(len(demo))][share]
    rows += rows[:1]  # the sentence that a DistributedSampler repeats
    inputs = {
        "sources": [demo.sources[i] for i in rows],
        "predictions": [outputs[i] for i in rows],
        "references": [list(demo.references[i]) for i in rows],
    }
    return module.compute(**inputs, **({"ids": rows} if with_ids else {}))


def in_two_processes(name, cache, with_ids):
    call = f"score_share({name!r}, 1, {str(cache)!r}, slice(1, None, 2), {with_ids})"
    program = f"import gecbench\n{inspect.getsource(score_share)}\nprint({call})"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as other:
        found = score_share(name, 0, str(cache), slice(0, None, 2), with_ids)
        assert other.communicate(timeout=120)[0].strip() == "None"
    assert other.returncode == 0
    return found


@pytest.mark.parametrize("name", ["gleu", "m2", "imeasure"])
def test_two_processes_give_the_digits_of_one(name, tmp_path):
    expected = gecbench.load_metric(name).compute(**INPUTS)
    assert in_two_processes(name, tmp_path, with_ids=True) == expected


def test_two_processes_without_ids_give_a_warning(tmp_path):
    with pytest.warns(gecbench.OrderWarning, match="Pass ids to restore the order of the corpus"):
        found = in_two_processes("gleu", tmp_path, with_ids=False)
    assert found["gleu"] != EXPECTED.value


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
    common = [f"{each.name} ({type(each.default).__name__}, {each.default})" for each in list(shared)[5:-1]]
    inputs = ["sources", "predictions", "references", "ids"]

    arguments = gecbench.load_metric(name).inputs_description.partition("Args:\n")[2].partition("Returns:\n")[0]
    found = [" ".join(entry.split()) for entry in re.split(r"^    (?=\w)", arguments, flags=re.MULTILINE)[1:]]
    assert [entry.partition(" (")[0] for entry in found[:4]] == inputs
    assert found[4:-5] == lines
    assert [entry.partition(":")[0] for entry in found[-5:]] == common

    card = (metric_modules()[name] / "README.md").read_text(encoding="utf-8")
    section = card.partition("### Inputs\n")[2].partition("\n### ")[0].replace("`", "")
    entries = re.findall(r"^- \*\*(\w+)\*\*( \(.*?\))?:", section, re.MULTILINE)
    assert [entry for entry, _ in entries[:4]] == inputs
    assert [entry + rest for entry, rest in entries[4:]] == [*heads, *common]


def shown(default):
    return f'"{default}"' if isinstance(default, str) else repr(default)


# M2: the gold is a block of edits or a list of rewrites per sentence

SOURCES = list(THREE_SENTENCES.sources)
BLOCKS = "\n".join(format_m2(THREE_SENTENCES)).strip("\n").split("\n\n")
REWRITES = [["Our fox ran up that hill .", "Our fox ran uphill ."], ["Our hen ."], ["Young wolves are pack hunters ."]]
EDITS = {"sources": SOURCES, "predictions": THREE_OUTPUTS, "references": BLOCKS}
TEXTS = {"sources": SOURCES, "predictions": THREE_OUTPUTS, "references": REWRITES}


@pytest.fixture
def m2():
    return gecbench.load_metric("m2")


@pytest.mark.parametrize("options", [{}, {"mixing": True}])
def test_blocks_of_edits(m2, options):
    result = m2.compute(**EDITS, **options)
    expected = gecbench.M2(**options).score_corpus(THREE_SENTENCES, THREE_OUTPUTS)
    assert (result["m2"], result["signature"]) == (expected.value, str(expected.signature))
    if not options:
        assert [result[name] for name in ("correct", "proposed", "gold")] == [4, 5, 5]
        assert result["m2"] == result["precision"] == result["recall"] == 0.8


def test_rewrites(m2):
    result = m2.compute(**TEXTS)
    expected = gecbench.M2().score(**TEXTS)
    assert (result["m2"], result["signature"]) == (expected.value, str(expected.signature))
    assert "|gold:rewrites:1-2|" in result["signature"]


def test_options_of_m2(m2):
    options = {
        **{"beta": 1, "max_unchanged_words": 1, "ignore_whitespace_casing": True},
        **{"release": "3.2", "policy": "average", "annotators": "0+1"},
    }
    result = m2.compute(**EDITS, **options, resamples=20, per_sentence=True)
    expected = gecbench.M2(**options).score_corpus(THREE_SENTENCES, THREE_OUTPUTS)
    assert result["m2"] == expected.value
    assert result["sentence_scores"] == expected.sentence_scores().tolist()
    assert result["interval_low"] <= result["m2"] <= result["interval_high"]
    with pytest.raises(gecbench.InputError, match=r"m2 has no parameter 'gamma'\. Parameters of m2: beta, max_unch"):
        m2.compute(**EDITS, gamma=3)
    with pytest.raises(gecbench.InputError, match="beta=-1"):
        m2.compute(**EDITS, beta=-1)
    assert m2.compute(**EDITS)["m2"] == 0.8, "a refused call leaves nothing behind"


@pytest.mark.parametrize("inputs", [EDITS, TEXTS], ids=["edits", "rewrites"])
def test_batches_and_single_rows_of_m2(m2, inputs):
    expected = m2.compute(**inputs)
    m2.add_batch(**{name: rows[:2] for name, rows in inputs.items()})
    m2.add(sources=SOURCES[2], prediction=THREE_OUTPUTS[2], reference=inputs["references"][2])
    assert m2.compute() == expected


def test_the_form_may_change_between_calls_but_not_between_batches(m2):
    for first, second in ((EDITS, TEXTS), (TEXTS, EDITS)):
        m2.add_batch(**first)
        with pytest.raises(gecbench.InputError, match=r"this batch and .* mix rewrites and M2 blocks"):
            m2.add_batch(**second)
        with pytest.raises(gecbench.InputError, match="this batch"):
            m2.add(sources=SOURCES[0], prediction="x", reference=second["references"][0])
        assert m2.compute()["m2"] == gecbench.load_metric("m2").compute(**first)["m2"]


def test_combined_with_gleu(m2):
    result = evaluate.combine([m2, gecbench.load_metric("gleu")]).compute(**TEXTS)
    assert result["m2"] == gecbench.M2().score(**TEXTS).value
    assert result["gleu"] == gecbench.GLEU().score(**TEXTS).value
    assert result["m2_signature"].startswith("m2|")


def test_windows_line_ends_and_final_newlines(m2):
    blocks = [block.replace("\n", "\r\n") + "\r\n\r\n" for block in BLOCKS]
    assert m2.compute(**{**EDITS, "references": blocks})["m2"] == 0.8


BAD = {
    "another sentence's block": (
        [*BLOCKS[:1], BLOCKS[2], BLOCKS[1]],
        r"references\[1\]: the S line of sentence 2 differs from its source",
    ),
    "two blocks": ([BLOCKS[0] + "\n\n" + BLOCKS[1], *BLOCKS[1:]], r"references\[0\]: the string has 2 M2 blocks"),
    "a block too few": (BLOCKS[:2], r"3 sources, but references for 2 sentences"),
    "a bare rewrite": ([*BLOCKS[:2], "Young wolves ."], r"references\[2\] is a string that is not an M2 block: 'Young"),
    "an empty string": ([*BLOCKS[:2], ""], r"references\[2\] is a string that is not an M2 block"),
    "a block among rewrites": ([*REWRITES[:2], BLOCKS[2]], r"references\[0\] and .* mix rewrites and M2 blocks"),
    "rewrites among blocks": ([*BLOCKS[:2], REWRITES[2]], r"references\[2\] and .* mix rewrites and M2 blocks"),
    "None among blocks": ([*BLOCKS[:2], None], r"references\[2\] and .* mix rewrites and M2 blocks"),
    "None among rewrites": ([*REWRITES[:2], [None]], r"references\[2\]\[0\] is None"),
    "numbers": ([1, 2, 3], r"references\[0\] is an int"),
    "one block for all": (BLOCKS[0], r"references is a single str"),
    "a span beyond the sentence": (
        [BLOCKS[0].replace("A 3 4", "A 3 9"), *BLOCKS[1:]],
        r"references\[0\]:2: the span 3 9",
    ),
    "a broken edit": ([BLOCKS[0] + "\nA 1 2|||T", *BLOCKS[1:]], r"references\[0\]:4: the edit has 2 fields, not 6"),
    "nothing": ([], r"references for 0 sentences"),
}


@pytest.mark.parametrize(("references", "message"), BAD.values(), ids=BAD)
def test_bad_gold(m2, references, message):
    with pytest.raises(gecbench.InputError, match=message):
        m2.compute(**{**EDITS, "references": references})
    assert m2.compute(**EDITS)["m2"] == 0.8, "a refused call leaves nothing behind"


def test_bad_predictions(m2):
    for predictions in (THREE_OUTPUTS[:2], [*THREE_OUTPUTS[:2], None]):
        with pytest.raises(gecbench.InputError, match="predictions"):
            m2.compute(**{**EDITS, "predictions": predictions})
