"""Models of the transformers library: tiny ones with random weights, made here and never fetched."""

import json
import os
import socket
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from tiny_transformers import CORPUS, WORDS, make_causal, save_tokenizer, torch, transformers
from waiting import eventually

import gecbench
from gecbench.cli import main
from gecbench.formats.jsonl import write_jsonl
from gecbench.models.pretrained import PretrainedModel
from gecbench.models.prompts import find_prompt
from gecbench.models.replies import read_reply


def make_seq2seq(folder, words=WORDS):
    size = save_tokenizer(folder, words)
    torch.manual_seed(6)
    shape = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    ends = {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1}
    config = transformers.T5Config(vocab_size=size, **shape, **ends, tie_word_embeddings=False)
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def alone(folder, prompt, chat, beams):
    """Return what the library itself writes for one prompt, without a batch or padding."""
    kind = transformers.AutoModelForCausalLM if chat else transformers.AutoModelForSeq2SeqLM
    model, tokenizer = kind.from_pretrained(folder).eval(), transformers.AutoTokenizer.from_pretrained(folder)
    text = f"user {prompt} assistant" if chat else prompt
    encoded = tokenizer(text, return_tensors="pt").input_ids
    written = model.generate(encoded, do_sample=False, num_beams=beams, max_new_tokens=8)[0]
    return tokenizer.decode(written[encoded.shape[1] :] if chat else written, skip_special_tokens=True).strip()


@pytest.mark.parametrize("chat", [False, True], ids=["seq2seq", "chat"])
@pytest.mark.parametrize("beams", [1, 3])
def test_batches_write_what_single_sentences_do(tmp_path, chat, beams):
    folder = make_causal(tmp_path / "m") if chat else make_seq2seq(tmp_path / "m")
    options = {"prompt": "fix : {sentence}", "max_new_tokens": 8, "beams": beams}
    together = gecbench.correct(f"transformers:{folder}", CORPUS, batch=4, **options)
    written = {source: alone(folder, f"fix : {source}", chat, beams) for source in CORPUS.sources if source.strip()}
    assert together == [read_reply(written[each], each).text if each in written else each for each in CORPUS.sources]
    assert len(set(written.values())) > 1, "the model looks at the sentence"
    assert together[1] == "", "a blank sentence stays as it is"
    assert together[4] == "  "


def test_without_a_prompt(tmp_path):
    folder = make_seq2seq(tmp_path / "m")
    outputs = gecbench.correct(f"transformers:{folder}", CORPUS, max_new_tokens=8)
    assert outputs[0] == read_reply(alone(folder, CORPUS.sources[0], False, 1), CORPUS.sources[0]).text


def test_line_breaks_become_blanks(tmp_path):
    folder = make_seq2seq(tmp_path / "m", words=["one\ntwo", "three\r\n\nfour"])
    outputs = gecbench.correct(f"transformers:{folder}", CORPUS, tmp_path / "out.txt", max_new_tokens=6)
    assert any(outputs)
    assert not any("\n" in output or "\r" in output for output in outputs)


def test_replies_are_read_and_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_causal(Path("model"))
    replies = ["Corrected sentence: he goes home", "", "I'm sorry, but I can't help with that.", "home"]
    monkeypatch.setattr("gecbench.models.pretrained.PretrainedModel._generate", lambda *_: replies)
    write_jsonl(CORPUS, "tiny.jsonl")
    assert main(["run", "--model", "transformers:./model", "-c", "tiny.jsonl", "-o", "out.txt"]) == 0
    printed = capsys.readouterr()
    wanted = ["he goes home", *CORPUS.sources[1:4], "  ", "home"]
    assert Path("out.txt").read_text(encoding="utf-8").split("\n")[:-1] == wanted
    assert "4 sentences sent: 2 answered, 1 empty, 1 refused; " in printed.err
    assert "(lines 3, 4)" in printed.err
    record = json.loads(Path("out.txt.run.json").read_text(encoding="utf-8"))
    assert record["outcomes"] == {"answered": 2, "empty": 1, "refused": 1}
    assert [each["line"] for each in record["answers"]] == [1, 3, 4]


def test_a_chat_model_is_asked_with_a_prompt_that_has_a_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_causal(Path("model"))
    make_seq2seq(Path("other"))
    write_jsonl(CORPUS, "tiny.jsonl")
    command = ["run", "-c", "tiny.jsonl", "--max-new-tokens", "4", "--model"]
    assert main([*command, "transformers:./model", "-o", "out.txt"]) == 0
    assert "|prompt:minimal:" in capsys.readouterr().out
    assert json.loads(Path("out.txt.run.json").read_text())["prompt"] == find_prompt("minimal").label
    assert main([*command, "transformers:./other", "-o", "out2.txt"]) == 0
    assert "prompt:" not in capsys.readouterr().out


def test_the_command_line_and_going_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_seq2seq(Path("model"))
    write_jsonl(CORPUS, "tiny.jsonl")
    arguments = ["run", "--model", "transformers:./model", "-c", "tiny.jsonl", "--batch", "2", "--max-new-tokens", "8"]
    assert main([*arguments, "-o", "whole.txt", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"][0]["system"] == "model"

    original = PretrainedModel._generate
    calls = []

    def failing(self, *given):
        calls.append(given)
        if len(calls) == 3:
            raise RuntimeError("out of memory")
        return original(self, *given)

    monkeypatch.setattr(PretrainedModel, "_generate", failing)
    assert main([*arguments, "-o", "parts.txt"]) == 2
    assert "out of memory (line 5" in capsys.readouterr().err
    assert main([*arguments, "-o", "parts.txt"]) == 0
    assert len(calls) == 4
    assert Path("parts.txt").read_bytes() == Path("whole.txt").read_bytes()
    assert main([*arguments, "-o", "parts.txt", "--beams", "2"]) == 0


def test_models_that_cannot_be_used(tmp_path):
    plain = make_causal(tmp_path / "m", chat_template=None)
    with pytest.raises(gecbench.InputError, match="without a chat template"):
        gecbench.correct(f"transformers:{plain}", CORPUS)
    with pytest.raises(gecbench.InputError, match="cannot load"):
        gecbench.correct(f"transformers:{tmp_path / 'nowhere'}", CORPUS)


def test_code_in_a_model_folder_is_not_run(tmp_path):
    folder = make_seq2seq(tmp_path / "m")
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "made-up",
        "auto_map": {"AutoConfig": "evil.Config", "AutoModelForSeq2SeqLM": "evil.Model"},
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(gecbench.InputError, match="cannot load"):
        gecbench.correct(f"transformers:{folder}", CORPUS)
    assert not (tmp_path / "ran").exists()


def is_healthy(url):
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=1) as response:
            return response.status == 200
    except OSError:
        return False


@contextmanager
def transformers_serve(model):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["serve", str(model), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    with (model / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", "from transformers.cli.transformers import main; main()", *options],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        eventually(lambda: is_healthy(url) or process.poll() is not None, seconds=120)
        said = (model / "log").read_text()
        if "Missing dependencies for serving" in said:
            pytest.skip("transformers serve needs more packages: pip install transformers[serving]")
        assert process.poll() is None, said
        yield f"{url}/v1"
    finally:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("folder", "online")
def test_served_or_not_it_is_the_same_model(tmp_path):
    """A tiny model behind the server that comes with transformers."""
    for needed in ("transformers.cli.serve", "fastapi", "uvicorn"):
        pytest.importorskip(needed)
    model = tmp_path / "tiny"
    make_causal(model)
    options = {"prompt": "fix : {sentence}", "max_new_tokens": 8}
    expected = gecbench.correct(f"transformers:{model}", CORPUS, **options)
    with transformers_serve(model) as url:
        assert gecbench.correct(f"endpoint:{url}", CORPUS, name=str(model), **options) == expected
    assert len({text for text in expected if text.strip()}) > 1
