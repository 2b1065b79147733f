"""Generate and score during training, with the real libraries and tiny models."""

import importlib.util
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tiny_transformers import WORDS, make_causal, save_tokenizer, torch, transformers

import gecbench
from gecbench.errors import MissingDependencyError

DEMO = gecbench.load_demo()
PART = DEMO.select(range(9))
needs_accelerate = pytest.mark.skipif(importlib.util.find_spec("accelerate") is None, reason="trainers need accelerate")


class Parrot(torch.nn.Module):
    """A causal model that writes fixed texts: token ids are places of words in a list."""

    device = torch.device("cpu")
    config = SimpleNamespace(is_encoder_decoder=False)

    def __init__(self, replies):
        super().__init__()
        self.replies, self.asked, self.settings = replies, [], None

    def generate(self, input_ids, attention_mask, **settings):
        assert not self.training
        self.settings = settings
        return torch.cat([input_ids, torch.tensor([[self.replies[int(row[-1])]] for row in input_ids])], dim=1)


class ParrotTokenizer:
    """Encodes a prompt as its sentence's number, and decodes a token as its text."""

    pad_token, eos_token, padding_side, chat_template = None, "</s>", "right", None

    def __init__(self, sentences, texts):
        self.sentences, self.texts, self.prompts = list(sentences), texts, []

    def __call__(self, prompts, **options):
        assert self.padding_side == "left"
        assert self.pad_token == "</s>"
        self.prompts += prompts
        numbers = [next(i for i, each in enumerate(self.sentences) if each in prompt) for prompt in prompts]
        return transformers.BatchEncoding(
            {"input_ids": torch.tensor(numbers)[:, None], "attention_mask": torch.ones(len(numbers), 1)}
        )

    def batch_decode(self, rows, **options):
        return [self.texts[int(row[0])] for row in rows]


def parrot(texts):
    sentences = gecbench.detokenize(DEMO.sources)
    return Parrot(list(range(len(texts)))), ParrotTokenizer(sentences, texts)


GOOD = gecbench.detokenize(gecbench.load_demo_systems()["good-corrector"])


class TestNumbers:
    def test_scores_of_what_is_generated(self):
        model, tokenizer = parrot(GOOD)
        scores = gecbench.GenerateAndScore("demo", ["gleu", "m2"], prompt="fluency", batch=5)
        found = scores.evaluate(model, tokenizer)
        expected = gecbench.score(GOOD, DEMO, ["gleu", "m2"], tokenize="auto")
        assert (found["gleu"], found["m2"]) == (expected["gleu"].value, expected["m2"].value)
        assert (found["empty"], found["unrelated"]) == (0.0, 0.0)
        assert all(type(value) is float for value in found.values())
        assert model.settings == {"do_sample": False, "num_beams": 1, "max_new_tokens": 256}
        assert all("{sentence}" not in prompt for prompt in tokenizer.prompts)
        assert (tokenizer.padding_side, tokenizer.pad_token, model.training) == ("right", None, True), "all set back"

    def test_wrapped_replies_are_read_and_nothing_is_no_copy(self):
        model, tokenizer = parrot([f"Corrected sentence: {text}" for text in GOOD[:40]] + ["", ""])
        found = gecbench.GenerateAndScore("demo").evaluate(model, tokenizer)
        expected = gecbench.score([*GOOD[:40], "", ""], DEMO, tokenize="auto", tokenized=True)["gleu"].value
        assert found["gleu"] == expected
        assert found["empty"] == 2 / 42

    def test_only_evaluations_are_scored(self):
        scores = gecbench.GenerateAndScore("demo", generation={"max_new_tokens": 3})
        model, tokenizer = parrot(GOOD)
        args = SimpleNamespace(process_index=0, world_size=1, per_device_eval_batch_size=4)
        given, told = {"model": model, "processing_class": tokenizer}, []
        state = SimpleNamespace(log_history=[{}])
        for logs in ({"loss": 1.0}, {"train_runtime": 1.0}):
            scores.on_log(args, state, None, logs=logs, **given)
            assert len(logs) == 1
        scores.log, logs = told.append, {"eval_loss": 2.0, "eval_runtime": 1.0}
        scores.on_log(args, state, None, logs=logs, **given)
        assert logs["eval_gleu"] == state.log_history[-1]["eval_gleu"] == told[0]["eval_gleu"] > 0
        metrics = {}
        scores.on_evaluate(args, state, None, metrics=metrics, **given)
        assert metrics["eval_gleu"] == logs["eval_gleu"]
        assert model.settings["max_new_tokens"] == 3

    def test_refused(self):
        with pytest.raises(gecbench.InputError, match="unknown prompt 'polite'"):
            gecbench.GenerateAndScore("demo", prompt="polite")
        with pytest.raises(MissingDependencyError, match="processing_class=tokenizer"):
            gecbench.GenerateAndScore("demo").on_log(None, None, None, logs={"eval_runtime": 1}, model=None)


def run(*command, **environment):
    kept = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", **environment}
    done = subprocess.run(list(map(str, command)), env=kept, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


@needs_accelerate
def test_two_processes_give_the_digits_of_one(tmp_path):
    pytest.importorskip("torchmetrics")
    folder, outputs = make_causal(tmp_path / "model", chat_template=None), gecbench.load_demo_systems()["rule-based"]
    texts = [*DEMO.sources, *outputs, *(text for texts in DEMO.references for text in texts)]
    save_tokenizer(folder / "words", sorted({word for text in texts for word in text.split()}))
    script = Path(__file__).parent.parent / "support" / "two_processes.py"
    for size in (1, 2):
        launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", size]
        run(*launch, "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0", script, folder)
    one, *two = (json.loads((folder / f"{name}.json").read_text()) for name in ("1-0", "2-0", "2-1"))
    expected = {name: each.value for name, each in gecbench.score(outputs, DEMO, ["gleu", "m2", "imeasure"]).items()}
    assert one["accumulator"] == one["torchmetrics"] == expected
    assert one["trainer"] == one["trainer in batches"] == {**expected, "empty": 0, "unrelated": 0}
    assert two == [one, one]
    assert one["generated"]["unrelated"] > 0


@needs_accelerate
class TestTrainers:
    def test_untrained_seq2seq_model(self, tmp_path):
        """Garbage, empty strings and -100: numbers are logged, a refused metric is NaN, and a best model is chosen."""
        import datasets

        size = save_tokenizer(tmp_path / "model", WORDS)
        tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "model")
        shape = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
        ends = {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1}
        torch.manual_seed(6)
        model = transformers.T5ForConditionalGeneration(transformers.T5Config(vocab_size=size, **shape, **ends))
        encoded = tokenizer(list(PART.sources), text_target=[texts[0] for texts in PART.references])
        data = datasets.Dataset.from_dict({name: encoded[name] for name in ("input_ids", "attention_mask", "labels")})
        for batched in (False, True):
            trainer = transformers.Seq2SeqTrainer(
                model=model,
                args=transformers.Seq2SeqTrainingArguments(
                    output_dir=str(tmp_path / "out"),
                    max_steps=2,
                    predict_with_generate=True,
                    generation_max_length=8,
                    eval_strategy="steps",
                    eval_steps=1,
                    save_strategy="steps",
                    save_steps=1,
                    load_best_model_at_end=True,
                    metric_for_best_model="gleu",
                    batch_eval_metrics=batched,
                    per_device_eval_batch_size=4,
                    use_cpu=True,
                    report_to="none",
                ),
                train_dataset=data,
                eval_dataset=data,
                data_collator=transformers.DataCollatorForSeq2Seq(tokenizer, model=model),
                compute_metrics=gecbench.compute_metrics(tokenizer, PART, ["gleu", "imeasure"]),
            )
            trainer.train()
            logged = [entry for entry in trainer.state.log_history if "eval_gleu" in entry]
            assert len(logged) == 2
            assert all(0 <= entry["eval_gleu"] <= 1 and 0 <= entry["eval_unrelated"] <= 1 for entry in logged)
            assert math.isfinite(trainer.state.best_metric)
            assert trainer.state.best_model_checkpoint is not None

    def test_callback_with_early_stopping_in_any_order(self, tmp_path):
        """The scores reach the log, the early stopping that comes first, and the selection of the best model."""
        import datasets

        folder = make_causal(tmp_path / "model")
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        encoded = tokenizer(list(PART.sources), padding="max_length", max_length=8, truncation=True)
        columns = {"input_ids": encoded["input_ids"], "labels": encoded["input_ids"]}
        data = datasets.Dataset.from_dict(columns)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder)
        scores = gecbench.GenerateAndScore(PART, prompt="fix : {sentence}", generation={"max_new_tokens": 4})
        scores._correct = lambda *_: list(next(outputs))  # of 9 sentences, 8 and 1 at each evaluation
        good, empty = GOOD[:9], [""] * 9
        outputs = iter([part for texts in (empty, good, empty, empty, good) for part in (texts[:8], texts[8:])])
        trainer = transformers.Trainer(
            model=model,
            processing_class=tokenizer,
            args=transformers.TrainingArguments(
                output_dir=str(tmp_path / "out"),
                max_steps=6,
                learning_rate=0.0,
                eval_strategy="steps",
                eval_steps=1,
                save_strategy="steps",
                save_steps=1,
                load_best_model_at_end=True,
                metric_for_best_model="gleu",
                use_cpu=True,
                report_to="none",
            ),
            train_dataset=data,
            eval_dataset=data,
            callbacks=[transformers.EarlyStoppingCallback(early_stopping_patience=2), scores],
        )
        trainer.train()
        logged = [entry for entry in trainer.state.log_history if "eval_gleu" in entry]
        assert trainer.state.global_step == len(logged) == 4, "stopped after the best one and two more"
        best = gecbench.score(GOOD[:9], PART, tokenize="auto")["gleu"].value
        assert [entry["eval_gleu"] for entry in logged] == [0, best, 0, 0]
        assert (trainer.state.best_global_step, trainer.state.best_metric) == (2, best)
        assert trainer.evaluate()["eval_gleu"] == best


@needs_accelerate
class TestExamples:
    """The examples with TRL, on one process and on two."""

    LAUNCH = (sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--rdzv-backend", "c10d")

    @pytest.mark.parametrize("processes", [1, 2])
    def test_grpo(self, processes, repository, tmp_path):
        pytest.importorskip("trl")
        launch = (sys.executable,) if processes == 1 else (*self.LAUNCH, "--rdzv-endpoint", "localhost:0")
        command = (*launch, repository / "examples" / "grpo.py", "--model", "tiny", "--steps", "3")
        printed = run(*command, "--train", "demo", "--new-tokens", "8", "--output", tmp_path)
        assert re.search(r"^mean rewards of step 3: gleu \d\.\d{4}, m2 -?\d\.\d{4}$", printed, re.MULTILINE), printed

    def test_recipes_of_the_manual(self, repository, tmp_path):
        pytest.importorskip("trl")
        page = repository / "docs" / "tutorials" / "fine-tune.md"
        program = (sys.executable, "-X", "utf8", repository / "tests" / "support" / "documents.py", page)
        printed = run(*program, HF_HOME=str(tmp_path), HF_HUB_OFFLINE="1")
        assert page.read_text(encoding="utf-8") in printed
        assert all(len(block[1].splitlines()) < 15 for block in re.finditer(r"```python\n(.*?)```", printed, re.DOTALL))

    def test_sft_on_two_processes(self, repository, tmp_path):
        pytest.importorskip("trl")
        command = (*self.LAUNCH, "--rdzv-endpoint", "localhost:0")
        script = (repository / "examples" / "sft.py", "--model", "tiny", "--steps", "4", "--new-tokens", "8")
        printed = run(*command, *script, "--train", "demo", "--eval", "demo", "--output", tmp_path)
        assert printed.count("best GLEU") == 1
        assert re.search(r"best GLEU \d+\.\d\d at step \d of [34], 2 processes$", printed, re.MULTILINE), printed
        assert "'eval_gleu'" in printed
