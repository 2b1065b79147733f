"""`endpoint:URL`: served models that behave and that do not; nothing is lost, and nothing is dropped silently."""

import json
import os
import re
import signal
import sys
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace

import programs
import pytest
from chat_server import ChatServer, message
from corrections import kept_rows
from served import DEMO, FIXED, KEY, NATURAL, RIGHT, SMALL, TOKENS, correct, everything_written, record
from waiting import eventually

import gecbench
from gecbench.cli import main
from gecbench.corpus.tokenize import detokenize
from gecbench.errors import MissingDependencyError
from gecbench.formats.jsonl import write_jsonl
from gecbench.models import ModelError, endpoint, make_model, partial_path
from gecbench.models.correction import PromptOverlapWarning
from gecbench.models.replies import read_reply

pytest.importorskip("huggingface_hub", minversion="1.0")
pytestmark = pytest.mark.usefixtures("folder", "online")


@pytest.mark.parametrize("raw", [True, False], ids=["natural", "tokens"])
def test_the_same_digits_as_scoring_the_file(run, raw, capsys):
    with ChatServer(NATURAL if raw else TOKENS).running() as chat:
        chat.delay = lambda sentence: len(sentence) % 7 / 100
        command = ["run", "--model", f"endpoint:{chat.url}", "--name", "it", "-c", "demo", "-o", "out.txt"]
        found = json.loads(run(*command, "-m", "gleu", "m2", "-f", "json", *(["--raw"] if raw else [])))
    values = {score["metric"]: score["value"] for score in found["systems"][0]["scores"]}
    expected = gecbench.score(list(TOKENS.values()), DEMO, ["gleu", "m2"])
    assert values == {name: score.value for name, score in expected.items()}
    assert sorted(chat.asked) == sorted(NATURAL if raw else TOKENS), "each once"
    for score in found["systems"][0]["scores"]:
        assert f"|prompt:{make_model('endpoint:http://x', name='it').prompt.label}|" in score["signature"]
        assert gecbench.make_metric(score["signature"]) == expected[score["metric"]].metric


def date_in(seconds):
    return format_datetime(datetime.now(timezone.utc) + timedelta(seconds=seconds), usegmt=True)


TROUBLE = {
    "429 with seconds": [(429, {"Retry-After": "0"})],
    "429 with a date": [(429, {"Retry-After": date_in(0)})],
    "429 with nothing": [(429, {})],
    "429 again and again": [(429, {"Retry-After": "0.01"})] * 8,
    "500": [(500, {}), (500, {})],
    "503 with seconds": [(503, {"Retry-After": "0"})],
    "a closed connection": ["close", "close"],
    "half an answer": ["half"],
    "a slow drip": ["drip"],
    "no JSON": ["no json"],
    "no choices": ["no choices"],
    "an error of 3 MB": ["large error"],
    "one after the other": [(429, {"Retry-After": "0"}), (500, {}), "close", "no json", "half"],
}


@pytest.mark.parametrize("todo", TROUBLE.values(), ids=TROUBLE)
def test_trouble_that_passes(chat, todo):
    chat.plan["They is here."] = list(todo)
    assert correct(chat, timeout=2 if "drip" in todo else 60) == RIGHT
    assert chat.asked.count("They is here.") == len(todo) + 1
    assert record()["requests"] == len(todo) + 3
    assert record()["outcomes"] == {"answered": 3}
    assert not partial_path(Path("out.txt")).exists()


def test_a_rate_limit_holds_for_all(chat):
    chat.plan["He go home."] = [(429, {"Retry-After": "1"})]
    assert correct(chat, concurrency=1) == RIGHT
    (first, limited), *rest = chat.times
    assert first == "He go home."
    assert all(moment >= limited + 1 for _, moment in rest)


STUBBORN = {
    "500": ((500, {}), "failed 3 times: the server answers 500: .*busy", True),
    "429": ((429, {"Retry-After": "0"}), r"failed \d+ times: the server answers 429: ", True),
    "a drip": ("drip", "failed 3 times: no reply within 0.3 s", True),
    "closed": ("close", "the reply cannot be parsed", True),
    "packed twice": ("packed twice", "the encoding gzip, gzip", True),
    "401": ((401, {}), 'the server answers 401.*key_variable="NAME"', False),
    "404": ((404, {}), "the server answers 404.*--name", False),
    "400": ((400, {}), "the server answers 400", False),
    "a wait of a day": ((429, {"Retry-After": "86400"}), "asks to wait 86400 s .*Wait that long, then repeat", False),
}


@pytest.mark.parametrize(("todo", "words", "again"), STUBBORN.values(), ids=STUBBORN)
def test_trouble_that_stays_stops_the_run_and_loses_nothing(chat, todo, words, again):
    chat.plan["They is here."] = [todo] * 40
    with pytest.raises(ModelError, match=words) as caught:
        correct(chat, timeout=0.3 if todo == "drip" else 60, retries=2, concurrency=1)
    assert "(line 2: 'They is here.')" in str(caught.value)
    assert (chat.asked.count("They is here.") > 1) == again
    assert not Path("out.txt").exists()
    chat.plan.clear()
    assert correct(chat) == RIGHT
    assert chat.asked.count("He go home.") == 1, "what was answered is not asked again"


def test_answers_under_way_are_kept_when_another_fails(chat):
    chat.plan["They is here."] = [(400, {})]
    chat.delay = lambda sentence: 0.0 if sentence == "They is here." else 0.3
    with pytest.raises(ModelError, match="line 2"):
        correct(chat)
    assert correct(chat) == RIGHT
    assert chat.answered == dict.fromkeys(FIXED, 1)


UNANSWERED = {
    "nothing": ("", "empty", 5),
    "null": (message(None), "empty", 5),
    "blanks": (" \n ", "empty", 5),
    "thoughts alone": ("<think>They is plural", "empty", 5),
    "an apology": ("I'm sorry, but I can't assist with that request.", "refused", 5),
    "a refusal": (message(None, refusal="No."), "refused", 5),
    "a filter": (message("They", "content_filter"), "refused", 5),
    "a filter before": ("filtered", "refused", 0),
    "10 MB": ("They are here. " * 700_000, "too long", 0),
    "without an end": ("endless", "too long", 0),
    "50 MB in 50 kB": ("packed bomb", "too long", 0),
    "30 kB": ("They are here. " * 2_000, "too long", 5),
}


@pytest.mark.parametrize(("todo", "outcome", "tokens"), UNANSWERED.values(), ids=UNANSWERED)
def test_no_answer_leaves_the_sentence_and_is_counted(chat, todo, outcome, tokens):
    chat.plan["They is here."] = [todo]
    said = []
    outputs = correct(chat, say=said.append)
    assert outputs == [*RIGHT[:1], "They is here.", *RIGHT[2:]]
    found = record()
    assert found["outcomes"] == {"answered": 2, outcome: 1}
    assert found["tokens"]["answers"] == 10 + tokens
    assert [(each["line"], each["outcome"]) for each in found["answers"]] == [(2, outcome)]
    assert f"1 {outcome}" in said[0]
    assert "(line 2)" in said[0]
    assert len(everything_written()) < 10_000


@pytest.mark.parametrize("option", [{"concurrency": 0}, {"retries": -1}, {"timeout": 0}, {"timeout": float("nan")}])
def test_numbers_that_cannot_be(option):
    with pytest.raises(gecbench.InputError, match=r"a value is out of range: concurrency=.*at least 1"):
        make_model("endpoint:http://h", name="it", **option)


def test_examples_that_are_scored_give_a_warning(chat):
    examples = gecbench.Corpus(sources=["I don't know where is the nearest farmacy, can you telling me?", "Hi."])
    with pytest.warns(PromptOverlapWarning, match=r"the prompt contains 1 sentence of the corpus \(first: line 1\)"):
        gecbench.correct(f"endpoint:{chat.url}", examples, name="it", prompt="few-shot")


def test_an_answer_that_is_cut_off_is_scored_and_counted(chat):
    chat.plan["They is here."] = [message("They are", "length")]
    chat.plan["He go home."] = [message("<think>He is one, so", "length")]
    said = []
    assert correct(chat, say=said.append)[:2] == ["He go home.", "They are"]
    assert record()["outcomes"] == {"answered": 1, "cut off": 1, "empty": 1}
    assert said[1] == "2 answers stop at the token limit (--max-new-tokens)"


@pytest.mark.parametrize(
    ("answer", "output"),
    [("They are \ud800 here.", "They are ? here."), ("They\x1b are\u2028here.", "They\x1b are\u2028here.")],
)
def test_strange_letters(chat, answer, output):
    chat.plan["They is here."] = [answer]
    assert correct(chat)[1] == output
    assert Path("out.txt").read_text(encoding="utf-8").split("\n")[1] == output


def test_an_older_client_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(__version__="0.36.0"))
    with pytest.raises(MissingDependencyError, match=r"huggingface_hub 1.0 or newer, not 0.36.0. Run: pip install"):
        correct(SimpleNamespace(url="http://127.0.0.1:9"))


def test_blank_sentences_are_not_sent(chat):
    assert correct(chat)[2] == ""
    assert sorted(chat.asked) == sorted(FIXED)


def test_out_of_order(chat):
    last = list(FIXED)[-1]
    chat.delay = lambda sentence: 0.0 if sentence == last else 0.3
    chat.plan["They is here."] = [(400, {})]
    with pytest.raises(ModelError):
        correct(chat)
    assert [row["line"] for row in kept_rows()][:2] == [4, 1], "kept as they come"
    chat.delay = lambda sentence: 0.0
    assert correct(chat) == RIGHT


def test_as_many_at_a_time_as_allowed(chat):
    chat.delay = lambda _sentence: 0.05
    model = f"endpoint:{chat.url}"
    gecbench.correct(model, DEMO, name="it", concurrency=5)
    assert chat.most_under_way == 5


def test_what_is_sent(chat):
    correct(chat, prompt="Fix: {sentence}", max_new_tokens=7, request={"temperature": None, "top_p": 0.5})
    for body in chat.bodies:
        (turn,) = body.pop("messages")
        assert turn["role"] == "user"
        assert turn["content"].removeprefix("Fix: ") in FIXED
        assert body == {"model": "it", "max_tokens": 7, "top_p": 0.5, "stream": False}
    assert record()["options"]["request"] == {"max_tokens": 7, "top_p": 0.5}
    assert record()["served"] == ["served fp1"]


def test_offline(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match=r"in offline mode.*Unset HF_HUB_OFFLINE"):
        gecbench.correct("endpoint:http://127.0.0.1:9", SMALL, name="it")


@pytest.mark.parametrize("server", ["127.0.0.1:9", "no-such-host.invalid"])
def test_no_server(server, monkeypatch):
    """Nobody listens, or the name is unknown: another attempt would fail alike, so there is none."""
    monkeypatch.setattr("gecbench.models.endpoint._RequestPool._back_off", lambda *_: pytest.fail("it waited"))
    with pytest.raises(
        ModelError,
        match=rf"http://{server}: cannot connect \([^)]+\) \(line \d.*Check that the server is running and [^.]+\.$",
    ):
        gecbench.correct(f"endpoint:http://{server}", SMALL, "out.txt", name="it")
    assert not list(Path().iterdir())


BAD = {
    "no name": (["endpoint:http://localhost"], "needs a model name.*--name"),
    "no address": (["endpoint:localhost:80", "--name", "x"], "not an http or https address"),
    "another scheme": (["endpoint:file:///etc", "--name", "x"], "not an http or https address"),
    "a port that is none": (["endpoint:http://h:99999/v1", "--name", "x"], "not an http or https address"),
    "a password": (["endpoint:http://me:secret@h/v1", "--name", "x"], "address of h may have only .*--key-variable"),
    "a key in the address": (["endpoint:http://h/v1?key=secret", "--name", "x"], "address of h may have only"),
    "no such prompt": (["endpoint:http://h", "--name", "x", "--prompt", "best"], "unknown prompt 'best'"),
    "another kind's option": (
        ["cmd:cat", "--max-requests", "3"],
        r"no option max_requests \(--max-requests\)\. Leave it out, or use another kind of model \(endpoint:\)",
    ),
}


@pytest.mark.parametrize(("arguments", "words"), BAD.values(), ids=BAD)
def test_wrong_use(refused, arguments, words):
    said = refused(["run", "-c", "demo", "--raw", "--model", *arguments], words)
    assert "secret" not in said
    assert not list(Path().iterdir())


@pytest.mark.parametrize("option", [["--request", "[1]"], ["--request", "{"], ["--concurrency", "0"]])
def test_bad_values(option):
    with pytest.raises(SystemExit, match=r"^2$"):
        main(["run", "--model", "endpoint:http://h", "--name", "x", "-c", "demo", *option])


def test_tokens_are_sent_only_with_a_word_about_it(chat, capsys):
    chat.answers = TOKENS
    assert main(["run", "--model", f"endpoint:{chat.url}", "--name", "it", "-c", "demo"]) == 0
    assert re.match("gecbench: the model receives tokenized text.* --raw for raw text\n", capsys.readouterr().err)


def test_budget_of_requests(chat):
    chat.plan["He go home."] = [(500, {})]
    for limit, shown in (1, "1 request"), (2, "2 requests"):
        with pytest.raises(ModelError, match=rf"budget of {shown} is used up.*larger max_requests"):
            correct(chat, max_requests=limit, concurrency=1)
    assert len(chat.asked) == 3, "a failed request counts, too, while its run lasts"
    assert correct(chat, max_requests=4, concurrency=1) == RIGHT


def test_without_an_output_file_no_error_says_that_answers_are_saved(chat):
    with pytest.raises(ModelError, match=r"Give a larger max_requests, and pass output=FILE to be able to resume\.$"):
        gecbench.correct(f"endpoint:{chat.url}", "demo", name="it", max_requests=1)


def test_budget_of_tokens(chat):
    with pytest.raises(ModelError, match=r"budget of 16 tokens is used up \(30 used\)"):
        correct(chat, max_tokens=16, concurrency=1)
    with pytest.raises(ModelError, match=r"budget of 30 tokens is used up \(30 used\)"):
        correct(chat, max_tokens=30, concurrency=1)
    assert len(chat.asked) == 2, "what the first part cost counts in the second"
    assert correct(chat, max_tokens=31) == RIGHT
    assert record()["tokens"] == {"prompt": 30, "answers": 15}


@pytest.mark.parametrize("count", [-5, 10**4000, "1_0", "7", True, 1.5])
def test_counts_of_tokens_that_cannot_be(count):
    message = SimpleNamespace(content="a", refusal=None)
    choice = SimpleNamespace(message=message, finish_reason="stop")
    usage = SimpleNamespace(prompt_tokens=count, completion_tokens=3)
    output = SimpleNamespace(choices=[choice], usage=usage, model="m", system_fingerprint=None)
    assert endpoint._reply(output, 0, 1).tokens is None
    usage.prompt_tokens = 4
    assert endpoint._reply(output, 0, 1).tokens == (4, 3)


def test_servers_that_do_not_count_tokens(chat):
    chat.usage = None
    with pytest.raises(ModelError, match="does not report the number of tokens"):
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
    assert KEY not in refused([*command, "--key-variable", KEY], "is not set")
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
    with pytest.raises(gecbench.InputError, match=r"contains an API key.*key_variable=\"NAME\"") as caught:
        make_model("endpoint:http://h", **{"name": "it", "key_variable": "MY_KEY", **more})
    assert KEY not in str(caught.value)
    with pytest.raises(gecbench.InputError, match="contains an API key"):
        make_model(f"endpoint:http://h/{KEY}/v1", name="it", key_variable="MY_KEY")


@pytest.mark.parametrize("field", ["model", "messages", "stream"])
def test_a_request_cannot_contradict_its_record(field):
    with pytest.raises(gecbench.InputError, match=f"cannot set '{field}'.*--name"):
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


def stop(server, process, how, wanted, stops):
    """Stop a run in the middle; return what it said, once the server has nothing under way.

    At each of so many stops until now, four requests may have been under way, and four answers not yet written down.
    """
    server.delay = lambda _sentence: 0.05 if len(kept_rows()) < wanted else 1.0
    eventually(lambda: len(kept_rows()) >= wanted, seconds=60)
    process.send_signal(how)
    said = "".join(process.communicate())
    eventually(lambda: server.under_way == 0)
    assert len(server.asked) <= len(kept_rows()) + stops * 8, "what is answered is kept, but for what was under way"
    return said


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
def test_stopped_killed_and_run_to_its_end():
    with ChatServer(NATURAL).running() as server:
        said = stop(server, start(server), signal.SIGINT, 5, stops=1)
        assert "out.txt.partial.jsonl. Run the same command again to resume" in said
        said += stop(server, start(server), 9, 20, stops=2)
        kept, before = [row["line"] for row in kept_rows()], len(server.asked)
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


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", ["jfleg:test", "jfleg:validation", "conll14_fluency:all"])
def test_no_rewrite_of_a_real_corpus_is_touched(name):
    corpus = gecbench.load_corpus(name)
    sources = detokenize(corpus.sources)
    for column in corpus.reference_columns():
        for source, rewrite in zip(sources, detokenize(column), strict=True):
            if rewrite.strip():
                reading = read_reply(rewrite, source)
                assert (reading.text, reading.outcome, reading.cleaned) == (rewrite, "answered", ())


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize(
    ("name", "raw"), [("jfleg:test", True), ("jfleg:test", False), ("conll14_fluency:expert_fluency", True)]
)
def test_real_corpora_have_the_same_digits_as_from_a_file(name, raw, run):
    corpus = gecbench.load_corpus(name)
    sources, rewrites = corpus.sources, corpus.reference_columns()[0]
    if raw:
        sources, rewrites = detokenize(sources), detokenize(rewrites)
    answers = dict(zip(sources, rewrites, strict=True))
    with ChatServer(answers).running() as server:
        command = ["run", "--model", f"endpoint:{server.url}", "--name", "it", "-c", name, "-f", "json", "--aligned"]
        found = json.loads(run(*command, *(["--raw"] if raw else []), "--concurrency", 16))
    outputs = [answers[source] or source for source in sources]
    expected = gecbench.score(outputs, corpus, tokenize="auto" if raw else "none", aligned=True)["gleu"]
    assert found["systems"][0]["scores"][0]["value"] == expected.value


def test_replies_to_other_questions_come_in_order_and_as_they_are():
    letters = {f"question {k}": f"  {k}: A\nor B  " for k in range(20)}
    with ChatServer(letters, {"question 3": [(429, {"Retry-After": "0"})]}).running() as chat:
        chat.delay = lambda sentence: int(sentence.split()[1]) % 3 / 100
        model = make_model(f"endpoint:{chat.url}", name="it", max_new_tokens=8)
        replies = model.ask([f"Choose.\n{question}" for question in letters])
        assert model.ask([]) == []
    assert [reply.text for reply in replies] == list(letters.values())
    assert [reply.requests for reply in replies] == [2 if k == 3 else 1 for k in range(20)]
    assert {body["max_tokens"] for body in chat.bodies} == {8}


def test_a_question_that_fails_names_its_prompt():
    with ChatServer({"one": "A"}, {"two": [(401, {})]}).running() as chat:
        model = make_model(f"endpoint:{chat.url}", name="it", concurrency=1)
        with pytest.raises(
            ModelError,
            match=r"the server answers 401: .*busy.* \(prompt 2 of 2\)\. Check the server, then send all prompts again",
        ):
            model.ask(["one", "two"])


@pytest.mark.parametrize(("text", "seconds"), [("2", 2.0), ("1.5", 1.5), ("².5", None), ("٣", None), ("1_0", None)])
def test_retry_after_reads_plain_digits_alone(text, seconds):
    from gecbench.models.endpoint import _retry_after

    assert _retry_after({"retry-after": text}) == seconds


def test_a_redirect_is_not_followed(tmp_path):
    """Neither the sentences nor the key go to a server that nobody named."""
    with ChatServer(FIXED).running() as other:
        away = [(307, {"Location": other.url + "/chat/completions"})]
        plan = {source: list(away) for source in FIXED}
        with (
            ChatServer(FIXED, plan).running() as chat,
            pytest.raises(ModelError, match=r"redirects to http.*\(redirects are not followed\)\.$"),
        ):
            correct(chat)
        assert other.asked == []


def test_a_packed_answer_is_read(chat):
    chat.plan["He go home."] = ["packed"]
    assert correct(chat) == RIGHT
    assert chat.asked.count("He go home.") == 1
