"""A tiny model behind the server that comes with transformers: the same outputs as from the model itself."""

import os
import socket
import subprocess
import sys
import urllib.request
from contextlib import contextmanager

import pytest
from tiny_transformers import CORPUS, make_causal
from waiting import eventually

import gecbench

for needed in ("transformers.cli.serve", "fastapi", "uvicorn"):
    pytest.importorskip(needed)
PROGRAM = "from transformers.cli.transformers import main; main()"


def answers(url):
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
            [sys.executable, "-c", PROGRAM, *options], env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    url = f"http://127.0.0.1:{port}"
    try:
        eventually(lambda: answers(url) or process.poll() is not None, seconds=120)
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
    model = tmp_path / "tiny"
    make_causal(model)
    options = {"prompt": "fix : {sentence}", "max_new_tokens": 8}
    expected = gecbench.correct(f"transformers:{model}", CORPUS, **options)
    with transformers_serve(model) as url:
        assert gecbench.correct(f"endpoint:{url}", CORPUS, name=str(model), **options) == expected
    assert len({text for text in expected if text.strip()}) > 1
