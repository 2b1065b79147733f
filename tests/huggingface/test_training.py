"""Scores while a model trains: what `Seq2SeqTrainer` hands over is decoded, scored, and comes back as numbers."""

import importlib.util
import math
import os
import re
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from mirror_files import needs_mirror

import gecbench
from gecbench.corpus.tokenize import detokenize
from gecbench.errors import InputError
from gecbench.huggingface.training import compute_metrics

DEMO = gecbench.load_demo()
GOOD = gecbench.load_demo_systems()["good-corrector"]


class CharacterTokenizer:
    """A tokenizer of characters, with the two things that the trainer's tokenizers offer here."""

    pad_token_id = 0

    def encode(self, texts, padding=0):
        width = max(map(len, texts)) + 2
        return np.array([[ord(c) for c in text] + [padding] * (width - len(text)) for text in texts])

    def batch_decode(self, tokens, skip_special_tokens=False, clean_up_tokenization_spaces=None):
        assert skip_special_tokens
        assert clean_up_tokenization_spaces is False
        assert np.min(tokens) >= 0, "a tokenizer cannot decode -100"
        return ["".join(chr(token) for token in row if token != self.pad_token_id) for row in tokens]


TOKENIZER = CharacterTokenizer()


def handed_over(texts, padding=0):
    """Return what a trainer hands over: predictions and labels."""
    return SimpleNamespace(predictions=TOKENIZER.encode(texts, padding), label_ids=TOKENIZER.encode(texts, -100))


def only_numbers(found):
    return all(type(value) is float and math.isfinite(value) for value in found.values())


class TestNumbers:
    def test_natural_text_gets_the_score_of_its_tokens(self):
        found = compute_metrics(TOKENIZER, DEMO)(handed_over(detokenize(GOOD)))
        assert found["gleu"] == gecbench.score(GOOD, DEMO)["gleu"].value
        assert only_numbers(found)

    def test_a_corpus_by_name(self):
        assert compute_metrics(TOKENIZER, "demo")(handed_over(GOOD))["gleu"] == gecbench.score(GOOD, DEMO)["gleu"].value

    @pytest.mark.parametrize("padding", [0, -100])
    def test_padding(self, padding):
        found = compute_metrics(TOKENIZER, DEMO)(handed_over(GOOD, padding))
        assert found["gleu"] == gecbench.score(GOOD, DEMO)["gleu"].value

    def test_several_metrics_with_their_parts(self):
        found = compute_metrics(TOKENIZER, DEMO, metrics=["gleu", "m2"])(handed_over(GOOD))
        expected = gecbench.score(GOOD, DEMO, ["gleu", "m2"])
        assert only_numbers(found)
        assert found["m2"] == expected["m2"].value
        assert {name for name in found if name.startswith("m2_")} == {f"m2_{part}" for part in expected["m2"].parts}
        assert found["m2_precision"] == expected["m2"].parts["precision"]
        assert compute_metrics(TOKENIZER, DEMO, metrics="m2")(handed_over(GOOD))["m2"] == found["m2"], "a single name"

    def test_predictions_in_a_tuple_and_bare(self):
        compute = compute_metrics(TOKENIZER, DEMO)
        tokens = TOKENIZER.encode(GOOD)
        expected = compute(handed_over(GOOD))
        assert compute(SimpleNamespace(predictions=(tokens, "hidden states"))) == expected
        assert compute((tokens, tokens)) == expected

    def test_without_tokenising_the_text_is_scored_as_it_is(self):
        raw = detokenize(GOOD)
        found = compute_metrics(TOKENIZER, DEMO, tokenize="none")(handed_over(raw))
        assert found["gleu"] == gecbench.score(raw, DEMO, tokenized=True)["gleu"].value
        assert found["gleu"] < compute_metrics(TOKENIZER, DEMO)(handed_over(raw))["gleu"]


class TestHealth:
    def test_shares_of_empty_and_unrelated_outputs(self):
        texts = ["", " ", *["Zebra quartz violin marble ."] * 5, *GOOD[7:]]
        with pytest.warns(gecbench.ForeignTextWarning, match="12% of the outputs share hardly any words"):
            found = compute_metrics(TOKENIZER, DEMO)(handed_over(texts))
        assert (found["empty"], found["unrelated"]) == (2 / 42, 5 / 42)
        assert compute_metrics(TOKENIZER, DEMO)(handed_over(GOOD))["empty"] == 0

    def test_many_empty_outputs_give_a_warning(self):
        with pytest.warns(gecbench.ForeignTextWarning, match="100% of the outputs are empty"):
            found = compute_metrics(TOKENIZER, DEMO, ["gleu", "m2"])(handed_over([""] * 42))
        assert found["gleu"] == 0
        assert found["m2"] > 0, "deleting everything deletes errors, too"

    def test_a_refused_metric_is_nan(self, monkeypatch):
        def refuse(*_):
            raise InputError("too many mixes")

        monkeypatch.setattr(gecbench.M2, "count", refuse)
        compute = compute_metrics(TOKENIZER, DEMO, ["m2", "gleu"])
        with pytest.warns(gecbench.RefusedMetricWarning, match="m2 is NaN: too many mixes"):
            found = compute(handed_over(GOOD))
        assert math.isnan(found["m2"])
        assert found["gleu"] == gecbench.score(GOOD, DEMO)["gleu"].value

    def test_batches(self):
        compute = compute_metrics(TOKENIZER, DEMO, ["gleu", "m2"])
        expected = compute(handed_over(GOOD))
        for _ in range(2):
            for begin in range(0, 40, 10):
                assert compute(handed_over(GOOD[begin : begin + 10]), compute_result=False) == {}
            assert compute(handed_over(GOOD[40:]), compute_result=True) == expected


GARBAGE = {
    "nothing": [""] * len(DEMO),
    "one word": ["the"] * len(DEMO),
    "repeated": ["and the " * 15] * len(DEMO),
    "characters": ["#%&/()=?" * 5] * len(DEMO),
    "blanks": ["   "] * len(DEMO),
    "prompt": [f"gec: {text}" for text in DEMO.sources],
    "quotes": [f'"{text}"' for text in DEMO.sources],
    "raw source": detokenize(DEMO.sources),
    "one long line": ["x" * 3000, *[""] * (len(DEMO) - 1)],
    "foreign": [f"zebra{i} quartz{i} violin{i} marble{i} ." for i in range(len(DEMO))],
    "same sentence": [DEMO.sources[3]] * len(DEMO),
}


@pytest.mark.parametrize("texts", GARBAGE.values(), ids=GARBAGE)
@pytest.mark.parametrize("tokenize", ["auto", "none"])
def test_garbage_never_stops_a_training(texts, tokenize):
    compute = compute_metrics(TOKENIZER, DEMO, metrics=["gleu", "m2"], tokenize=tokenize)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compute(handed_over(texts))
    assert only_numbers(found)
    assert 0 <= found["gleu"] <= 1


def test_random_tokens_never_stop_a_training():
    chance = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compute_metrics(TOKENIZER, DEMO)(
            SimpleNamespace(predictions=chance.integers(-1, 0x2000, (len(DEMO), 40)).clip(min=0))
        )
    assert only_numbers(found)


class TestRefused:
    def test_logits(self):
        with pytest.raises(InputError, match=r"3 dimensions.*predict_with_generate=True"):
            compute_metrics(TOKENIZER, DEMO)(SimpleNamespace(predictions=np.zeros((len(DEMO), 5, 300))))

    def test_another_number_of_sentences(self):
        with pytest.raises(InputError, match="41 predictions, but demo has 42 sentences"):
            compute_metrics(TOKENIZER, DEMO)(handed_over(GOOD[:-1]))

    def test_repeated_sentences_of_several_processes(self, monkeypatch):
        """Two processes with batches of 4 score 48 rows of 42: the first 6 come once more."""
        with pytest.raises(InputError, match="48 predictions, but demo has 42 sentences"):
            compute_metrics(TOKENIZER, DEMO)(handed_over([*GOOD, *GOOD[:6]]))
        expected = compute_metrics(TOKENIZER, DEMO)(handed_over(GOOD))
        monkeypatch.setattr("gecbench.huggingface.training.count_processes", lambda: 2)
        assert compute_metrics(TOKENIZER, DEMO)(handed_over([*GOOD, *GOOD[:6]])) == expected

    def test_unknown_corpus_at_once(self):
        with pytest.raises(InputError, match="nowhere"):
            compute_metrics(TOKENIZER, "nowhere")


def test_a_typed_script_passes_mypy(repository, tmp_path):
    """The types of all that a training script uses; a wrong argument is found."""
    pytest.importorskip("mypy")
    script = (repository / "tests" / "support" / "typed_script.py").read_text(encoding="utf-8")
    (tmp_path / "right.py").write_text(script, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(f"{script}\ngecbench.reward(3)\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "right.py", "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    first, *rest = done.stdout.splitlines()
    line = script.count("\n") + 2
    assert first.startswith(f'wrong.py:{line}: error: Argument 1 to "reward" has incompatible type "int"'), done.stdout
    assert rest == ["Found 1 error in 1 file (checked 2 source files)"], done.stdout


@needs_mirror
def test_the_example_runs(repository, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    if importlib.util.find_spec("accelerate") is None:
        pytest.skip("the trainer needs accelerate")
    program = [sys.executable, str(repository / "examples" / "train_t5.py"), "--output", str(tmp_path / "model")]
    done = subprocess.run(
        [*program, *["--model", "tiny", "--steps", "4", "--sentences", "20"]],
        cwd=tmp_path,
        env={**os.environ, "HF_HOME": str(tmp_path / "home")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^GLEU \d+\.\d\d  gleu\|.*\|prep:auto:", done.stdout, re.MULTILINE)
    assert re.search(r"^scoring took \d+ ms per evaluation of 20 sentences$", done.stdout, re.MULTILINE)
