"""A small real model of the transformers library, through a run and two harnesses: the same texts, the same scores."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import harness_faces as faces
import pytest
from tiny_transformers import save_tokenizer

from gecbench.cli import main
from gecbench.corpora.catalog import modules_folder
from gecbench.harness.benchmark import BENCHMARKS, figure_names
from gecbench.models.replies import read_reply

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

DEMO = BENCHMARKS["demo"]
LONGEST = 12
TEMPLATE = "{% for turn in messages %}{{ turn['content'] }}{% endfor %}"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return the folder of a chat model that writes the demo's words, some with the end of a line."""
    folder = tmp_path_factory.mktemp("model")
    words = sorted({word for request in DEMO.requests() for word in request.split()})
    size = save_tokenizer(folder, [*words, *(f"{word}\n" for word in words[::3])], chat_template=TEMPLATE)
    torch.manual_seed(5)
    shape = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    config = transformers.LlamaConfig(vocab_size=size, **shape, **ends, num_key_value_heads=2, initializer_range=0.3)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def expected(model, tmp_path_factory):
    """Return what a run writes, and its figures."""
    output = tmp_path_factory.mktemp("run") / "out.txt"
    arguments = ["run", "--model", f"transformers:{model}", "-c", "demo", "--raw", "--prompt", DEMO.prompt]
    assert main([*arguments, "--max-new-tokens", str(LONGEST), "-o", str(output), "-m", "gleu", "--aligned"]) == 0
    texts = output.read_text(encoding="utf-8").splitlines()
    assert len(set(texts)) > len(texts) / 2, "the model looks at the sentence"
    assert all(texts)
    return texts, faces.in_python(faces.Case(DEMO, tuple(texts)), None)


def read(replies):
    """Return the sentences in replies, some of which have several lines."""
    assert any("\n" in reply.strip() for reply in replies), "there is something to read"
    return [read_reply(reply, shown).text for reply, shown in zip(replies, DEMO.sentences(), strict=True)]


def test_lm_eval(model, expected, tmp_path):
    lm_eval = pytest.importorskip("lm_eval")
    from lm_eval.tasks import TaskManager

    results = lm_eval.simple_evaluate(
        "hf",
        model_args={"pretrained": str(model), "device": "cpu", "dtype": "float32"},
        tasks=["gecbench_demo"],
        task_manager=TaskManager(include_path=str(modules_folder("harness") / "lm_eval")),
        apply_chat_template=True,
        gen_kwargs=f"max_gen_toks={LONGEST}",
    )
    assert read([sample["filtered_resps"][0] for sample in results["samples"]["gecbench_demo"]]) == expected[0]
    found = results["results"]["gecbench_demo"]
    assert {name: found[f"{name},none"] for name in figure_names(DEMO.metrics)} == expected[1]


def test_inspect(model, expected, tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai")

    (log,) = inspect_ai.eval(
        faces.inspect_task("demo"),
        model=f"hf/{model}",
        model_args={"device": "cpu", "do_sample": False, "model_path": str(model)},
        max_tokens=LONGEST,
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    replies = {sample.id: sample.output.completion for sample in log.samples}
    assert read([replies[name] for name in DEMO.corpus.ids]) == expected[0]
    assert {name: metric.value for name, metric in log.results.scores[0].metrics.items()} == expected[1]


def test_a_run(expected, model, capsys, tmp_path):
    command = ["run", "--model", f"transformers:{model}", "-c", "demo", "--raw", "--prompt", DEMO.prompt, "-f", "json"]
    options = ["--max-new-tokens", str(LONGEST), "-o", str(tmp_path / "out.txt"), "--aligned", "--tokenized"]
    assert main([*command, *options, "-m", *DEMO.metrics]) == 0
    scores = json.loads(capsys.readouterr().out)["systems"][0]["scores"]
    assert {score["metric"]: score["value"] for score in scores} == {name: expected[1][name] for name in DEMO.metrics}


@pytest.mark.parametrize(("package", "program"), [("lm_eval", "lm_eval run"), ("inspect_ai", "inspect eval")])
def test_the_commands_of_the_page(model, repository, tmp_path, package, program):
    pytest.importorskip(package)
    page = (repository / "docs/harnesses.md").read_text(encoding="utf-8").replace("\\\n", "")
    command = next(line for line in page.splitlines() if line.startswith(program))
    shorter = {"lm_eval run": f" --gen_kwargs max_gen_toks={LONGEST}", "inspect eval": f" --max-tokens {LONGEST}"}
    command = command.replace("MODEL", str(model)).replace("jfleg", "demo") + shorter[program]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\bgleu\b.*\b0\.0", done.stdout), done.stdout
    assert "unanswered" in done.stdout
