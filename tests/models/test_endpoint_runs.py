"""What a served model may cost, who sees its key, and what is left when its run is stopped."""

import json
import os
import signal
from pathlib import Path

import programs
import pytest
from chat_server import ChatServer
from served import DEMO, KEY, NATURAL, RIGHT, SMALL, TOKENS, correct, everything_written, record
from waiting import eventually

import gecbench
from gecbench.cli import main
from gecbench.formats.jsonl import write_jsonl
from gecbench.models import ModelError, make_model, partial_path

pytest.importorskip("huggingface_hub", minversion="1.0")
pytestmark = pytest.mark.usefixtures("folder", "online")


def test_budget_of_requests(chat):
    chat.plan["He go home."] = [(500, {})]
    for limit in (1, 2):
        with pytest.raises(ModelError, match=rf"budget of {limit} requests is used up.*larger --max-requests"):
            correct(chat, max_requests=limit, concurrency=1)
    assert len(chat.asked) == 3, "a failed request counts, too, while its run lasts"
    assert correct(chat, max_requests=4, concurrency=1) == RIGHT


def test_budget_of_tokens(chat):
    with pytest.raises(ModelError, match=r"budget of 16 tokens is used up \(30 so far\)"):
        correct(chat, max_tokens=16, concurrency=1)
    with pytest.raises(ModelError, match=r"budget of 30 tokens is used up \(30 so far\)"):
        correct(chat, max_tokens=30, concurrency=1)
    assert len(chat.asked) == 2, "what the first part cost counts in the second"
    assert correct(chat, max_tokens=31) == RIGHT
    assert record()["tokens"] == {"prompt": 30, "answers": 15}


def test_servers_that_do_not_count_tokens(chat):
    chat.usage = None
    with pytest.raises(ModelError, match="does not say how many tokens"):
        correct(chat, max_tokens=100)
    assert correct(chat) == RIGHT
    assert record()["tokens"] is None


def test_the_key_goes_to_the_server_alone(chat, monkeypatch, capsys):
    monkeypatch.setenv("MY_KEY", KEY)
    chat.refuse_without = KEY
    chat.plan["He go home."] = [f"He goes home. {KEY}"]
    chat.fields = {"model": f"it {KEY}"}
    write_jsonl(SMALL.replace(references=[[text] for text in RIGHT]), "small.jsonl")
    command = ["run", "--model", f"endpoint:{chat.url}", "--name", "it", "-c", "small.jsonl", "-o", "out.txt"]
    assert main([*command, "--raw"]) == 2
    assert main([*command, "--raw", "--key-variable", "MY_KEY"]) == 0
    assert chat.keys == {f"Bearer {KEY}"}
    written = everything_written() + "".join(capsys.readouterr()).encode()
    assert KEY.encode() not in written
    assert b"He goes home. \xe2\x80\xa6" in written, "the server repeated it"


def test_a_key_that_is_refused_is_not_shown(chat, monkeypatch, refused):
    monkeypatch.setenv("MY_KEY", KEY)
    chat.refuse_without = "another"
    command = ["run", "--model", f"endpoint:{chat.url}", "--name", "it", "-c", "demo", "--raw"]
    said = refused([*command, "--key-variable", "MY_KEY"], "the server answers 401.*Incorrect API key: Bearer …")
    assert KEY not in said
    assert KEY not in refused([*command, "--key-variable", KEY], "names nothing that is set")
    assert not everything_written()


@pytest.mark.parametrize(
    "more",
    [
        {"request": {"user": KEY}},
        {"request": {"metadata": {"key": [f"Bearer {KEY}"]}}},
        {"prompt": f"{KEY} {{sentence}}"},
        {"name": KEY},
        {"request": {"api_key": "not-in-the-environment"}},
        {"request": {"extra": {"X-Api-Key": "not-in-the-environment"}}},
        {"request": {"Authorization": None}},
    ],
)
def test_a_key_in_what_is_recorded_is_refused(monkeypatch, more):
    monkeypatch.setenv("MY_KEY", KEY)
    with pytest.raises(gecbench.InputError, match=r"a key stands in .*--key-variable") as caught:
        make_model("endpoint:http://h", **{"name": "it", "key_variable": "MY_KEY", **more})
    assert KEY not in str(caught.value)
    with pytest.raises(gecbench.InputError, match="a key stands in"):
        make_model(f"endpoint:http://h/{KEY}/v1", name="it", key_variable="MY_KEY")


@pytest.mark.parametrize("field", ["model", "messages", "stream"])
def test_a_request_cannot_contradict_its_record(field):
    with pytest.raises(gecbench.InputError, match=f"cannot change '{field}'.*--name"):
        make_model("endpoint:http://h", name="it", request={field: None})


def test_keys_of_this_machine_stay_here(chat, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    correct(chat)
    assert chat.keys == {"Bearer none"}


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://router.huggingface.co/v1", "hf_of-this-machine"),
        ("https://x.us-east-1.aws.endpoints.huggingface.cloud", "hf_of-this-machine"),
        ("https://api.openai.com/v1", KEY),
        ("http://api.openai.com/v1", None),
        ("https://huggingface.co.example.org/v1", None),
        ("https://nothuggingface.co/v1", None),
        ("http://localhost:8000/v1", None),
    ],
)
def test_which_key_goes_where(url, key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = make_model(f"endpoint:{url}", name="it")
    assert model._service.client.key == key
    assert "hf_of" not in repr(model._service)
    assert KEY not in repr(model._service)


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_OFFLINE")}
    return {**kept, "PYTHONUTF8": "1", **more}


def start(server, *more):
    command = ["run", "--model", f"endpoint:{server.url}", "--name", "it", "-c", "demo", "--raw", "-o", "out.txt"]
    asked = ("--key-variable", "MY_KEY", "--concurrency", "4")
    return programs.start(*command, *asked, *more, environment=environment(MY_KEY=KEY, HF_DEBUG="1"))


def kept_lines():
    partial = partial_path(Path("out.txt"))
    content = partial.read_bytes() if partial.exists() else b""
    return [json.loads(row)["line"] for row in content.split(b"\n")[1:-1]]


def stop(server, process, how, wanted, stops):
    """Stop a run in the middle; return what it said, once the server has nothing under way.

    At each of so many stops until now, four requests may have been under way, and four answers not yet written down.
    """
    server.delay = lambda _sentence: 0.05 if len(kept_lines()) < wanted else 1.0
    eventually(lambda: len(kept_lines()) >= wanted, seconds=60)
    process.send_signal(how)
    said = "".join(process.communicate())
    eventually(lambda: server.under_way == 0)
    assert len(server.asked) <= len(kept_lines()) + stops * 8, "what is answered is kept, but for what was under way"
    return said


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
def test_stopped_killed_and_run_to_its_end():
    with ChatServer(NATURAL).running() as server:
        said = stop(server, start(server), signal.SIGINT, 5, stops=1)
        assert "out.txt.partial.jsonl; the same command goes on from there" in said
        said += stop(server, start(server), 9, 20, stops=2)
        kept, before = kept_lines(), len(server.asked)
        assert 20 <= len(kept) < len(DEMO)
        server.delay = lambda sentence: 0.02 + len(sentence) % 5 / 50
        last = start(server, "-f", "json")
        report, messages = last.communicate(timeout=60)
    assert last.returncode == 0, messages
    assert Path("out.txt").read_text(encoding="utf-8").splitlines() == list(NATURAL.values())
    assert sorted(server.asked[before:]) == sorted(each for k, each in enumerate(NATURAL, 1) if k not in kept)
    value = json.loads(report)["systems"][0]["scores"][0]["value"]
    assert value == gecbench.score(list(TOKENS.values()), DEMO)["gleu"].value
    assert record()["outcomes"] == {"answered": 42}
    assert KEY not in said + report + messages
    assert KEY.encode() not in everything_written()
