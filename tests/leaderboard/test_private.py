"""A sealed board gives nothing of its references away: every file, answer and log is searched byte by byte."""

import contextlib
import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import programs
import pytest
from boards import call, finished, script_data, server, text, upload

import gecbench
from gecbench.corpus.edits import Annotation, Edit
from gecbench.errors import InputError
from gecbench.formats.m2 import write_m2
from gecbench.leaderboard.page import PagePlan, build_site
from gecbench.leaderboard.records import Settings, digest
from gecbench.leaderboard.store import FolderStore, init_board
from gecbench.leaderboard.submission import Submission, score_submission, submit
from gecbench.leaderboard.uploads import DailyCount, TeamTokens

SENTENCES = 40
SECRETS = [f"zq{i}secret{k}" for i in range(SENTENCES) for k in range(2)]


@pytest.fixture
def gold(folder):
    """A corpus in M2 whose corrections are words that stand nowhere else."""
    sources = [f"The {i} dog go home with number {i} ." for i in range(SENTENCES)]
    annotations = [
        [Annotation(k, (Edit(3, 4, (f"zq{i}secret{k}",), f"TYPE{k}"),)) for k in range(2)] for i in range(SENTENCES)
    ]
    write_m2(gecbench.Corpus(sources=sources, annotations=annotations), "gold.m2")
    return sources


def outputs_of(sources, word):
    return [source.replace(" go ", f" {word} ") for source in sources]


def assert_no_secret(data: bytes, where: object):
    with contextlib.suppress(OSError):
        data += gzip.decompress(data)
    found = [secret for secret in SECRETS if secret.encode() in data]
    assert not found, f"{where} holds {found[0]}"
    assert b"TYPE" not in data, f"{where} holds an error type of the gold"


def files_under(folder):
    return [path for path in Path(folder).rglob("*") if path.is_file()]


def gecbench_program(*words):
    done = programs.gecbench(*words)
    assert_no_secret((done.stdout + done.stderr).encode(), words)
    return done


def test_files_and_terminal_of_a_sealed_board(gold):
    assert gecbench_program("leaderboard", "init", "task", "--title", "T", "-c", "gold.m2").returncode == 0
    for number, word in enumerate(("goes", "went", "gone")):
        Path("out.txt").write_bytes(text(outputs_of(gold, word)))
        handed_in = ("-p", "out.txt", "--name", f"S{number}", "--submitter", "Me")
        assert gecbench_program("leaderboard", "submit", "--board", "task", *handed_in).returncode == 0
    Path("shifted.txt").write_bytes(text([*gold[1:], gold[0]]))
    bad = gecbench_program("leaderboard", "submit", "--board", "task", "-p", "shifted.txt", "--name", "x")
    assert bad.returncode == 2
    for words in (["list"], ["build", "-o", "site"], ["verify"]):
        shown = gecbench_program("leaderboard", *words, "--board", "task")
        assert shown.returncode == 0
        assert not re.search(r"\d\.\d\d", shown.stdout), "scores are told to a tenth of a point"
    kept = Path("task/.gitignore").read_text().split()
    assert kept == ["/tests/", "/waiting/", "/teams.json", "/uploads.json", "/.lock"], (
        "exact p-values are not to be published"
    )
    searched = [*files_under("task"), *files_under("site")]
    assert {"board.js", "board.json", "board.csv"} <= {path.name for path in searched}
    for path in searched:
        assert_no_secret(path.read_bytes(), path)
    assert not [path for path in files_under("site") if path.name.startswith("system-")]
    source = next(Path("site/data").glob("source-*.txt")).read_text(encoding="utf-8")
    assert source.splitlines() == gold, "who submits needs the sentences"


def test_a_sealed_board_keeps_and_tells_corpus_scores_only(gold):
    store = init_board(Path("task"), ["gold.m2"], Settings(title="T"))
    (corpus,) = store.corpora()
    right = [f"The {i} dog zq{i}secret0 home with number {i} ." for i in range(SENTENCES)]
    half = [*right[:7], *gold[7:]]
    submit(Submission("half", half), corpus, store, resamples=20)
    (record,) = store.load().records
    exact = score_submission(Submission("half", half), corpus).record
    for metric, figure in record.scores.items():
        for name in ("value", "low", "high", "human", "against_others"):
            expected = exact.scores[metric][name]
            assert figure[name] == (expected if expected is None else round(expected, 3))
        if figure["ratio"] is not None:
            assert figure["ratio"] == round(figure["against_others"] / figure["human"], 3)
    details = store.details(record)
    assert (details.sentence_scores, details.by_source_distance) == ({}, {})
    other = submit(Submission("other", outputs_of(gold, "gone")), corpus, store, resamples=20)
    assert [neighbor.p_value for neighbor in other.place.neighbors] == [None]
    build_site(store, "site", PagePlan([corpus], resamples=20))
    board = json.loads(Path("site/data/board.json").read_text())
    assert (board["digits"], board["commands"]) == (1, []), "no server takes what a sealed board could score"
    rows = board["records"]
    assert all(figure["p_value"] is None for row in rows for figure in row["scores"].values())
    assert all(row["outputs"] is None for row in rows)


def test_references_are_published_on_purpose_and_taken_back(gold):
    store = init_board(Path("task"), ["gold.m2"], Settings(title="T"))
    (corpus,) = store.corpora()
    submit(Submission("S", outputs_of(gold, "goes")), corpus, store, resamples=20)
    plan = PagePlan([corpus], resamples=20)
    build_site(store, "site", PagePlan([corpus], resamples=20, publish_references=True))
    published = b"".join(path.read_bytes() for path in files_under("site"))
    assert all(secret.encode() in published for secret in SECRETS)
    scores = script_data(next(Path("site/data").glob("outputs-*.js")))["sentence_scores"]
    assert len(scores["m2"]) == SENTENCES, "made for the page: the board did not keep them"
    build_site(store, "site", plan)
    for path in files_under("site"):
        assert_no_secret(path.read_bytes(), path)


REQUESTS = [
    "",
    "data/board.js",
    "data/board.json",
    "board.json",
    "gold.m2",
    "../gold.m2",
    "waiting/",
    "details/",
    "x?y",
]


def test_answers_and_log_of_a_sealed_server(gold, tmp_path):
    pytest.importorskip("starlette", reason="the extra [leaderboard] is not installed")
    init_board(Path("task"), ["gold.m2"], Settings(title="T", per_day=3))
    sent = {
        "good": (text(outputs_of(gold, "goes")), {}),
        "no submitter": (text(outputs_of(gold, "run")), {"submitter": ""}),
        "shifted": (text([*gold[1:], gold[0]]), {}),
        "other corpus": (text(gold), {"corpus": "../gold.m2"}),
        "short": (text(gold[:-1]), {}),
        "over": (text(outputs_of(gold, "runs")), {}),
    }
    answers = []
    with server(Path("task")) as (address, process):
        for name, (data, query) in sent.items():
            status, job = upload(address, data, **{"corpus": "gold", "submitter": "Me", "name": name, **query})
            answers.append(json.dumps(job))
            if status == 202:
                answers.append(json.dumps(finished(address, job)))
        pages = [*REQUESTS, *(f"data/{path.name}" for path in Path("task/details").iterdir())]
        board = script_data(call(f"{address}data/board.js")[1])
        keys = [table["key"] for table in board["tables"]]
        pages += [f"data/{kind}-{key}.js" for kind in ("table", "csv", "corpus", "system") for key in keys]
        for page in pages:
            for headers in ({}, {"Accept-Encoding": "gzip"}):
                status, body, given = call(address + quote(page, safe="/?.-"), headers=headers)
                assert_no_secret(body + repr(given).encode(), page)
        assert (board["sealed"], board["server"]["per_day"]) == (True, 3)
    for answer in answers:
        assert_no_secret(answer.encode(), "an answer")
    assert '"state": "done"' in answers[1]
    assert "the name of the submitter is missing" in " ".join(answers)
    assert "You have reached the limit of 3 submissions per day" in answers[-1]
    assert_no_secret("".join(process.communicate()).encode(), "the log")
    for path in files_under("task"):
        assert_no_secret(path.read_bytes(), path)


@pytest.fixture
def private(gold):
    store = init_board(Path("task"), ["gold.m2"], Settings(title="T", per_day=3))
    return store, store.corpora()[0]


def test_a_probe_of_one_edit_is_refused(gold, private):
    store, corpus = private
    probe = ["The 0 dog zq0secret0 home with number 0 .", *gold[1:]]
    with pytest.raises(InputError, match=r"only 1 output differs from the source\. On this private board"):
        submit(Submission("probe", probe, submitter="Me"), corpus, store, resamples=20)
    first = outputs_of(gold, "goes")
    submit(Submission("first", first, submitter="Me"), corpus, store, resamples=20)
    with pytest.raises(InputError, match="only 1 output differs from 'first'"):
        submit(Submission("near", [*probe[:1], *first[1:]], submitter=" ME"), corpus, store, resamples=20)
    submit(Submission("near", [*probe[:1], *first[1:]], submitter="You"), corpus, store, resamples=20)
    assert [record.system for record in store.load().records] == ["first", "near"]


def test_raw_text_is_tokenized_by_the_sources_alone(folder):
    sources = [f"The {i} dog go home . It sleep there ." for i in range(SENTENCES)]
    lines = [f"The {i} dog goes home. It sleeps there." for i in range(SENTENCES)]
    lines[0] = "The 0 dog goes etc. home hello. home. It sleeps there."
    rewritten = {}
    for word in ("runs", "hello."):  # a token of the gold that no tokenizer makes of raw text
        gold = [[Annotation(0, (Edit(3, 4, (word,), "SVA"),))] for _ in sources]
        write_m2(gecbench.Corpus(sources=sources, annotations=gold), f"{word}m2")
        corpus = init_board(Path(word), [f"{word}m2"], Settings(title="T")).corpora()[0]
        submission = Submission("probe", lines, submitter="Me", tokenize="auto", aligned=True)
        rewritten[word] = score_submission(submission, corpus, private=True, resamples=0).rewritten
    assert rewritten["runs"] == rewritten["hello."]


def test_error_types_of_the_gold_are_not_listed(folder):
    sources = [f"The {i} dog go home ." for i in range(SENTENCES)]
    gold = [[Annotation(0, (Edit(3, 4, ("goes",), "SVA"),))] for _ in sources]
    write_m2(gecbench.Corpus(sources=sources, annotations=gold), "gold.m2")
    store = init_board(Path("task"), ["gold.m2"], Settings(title="T"))
    for publish, types in ((False, {}), (True, {"SVA": "subject-verb agreement"})):
        build_site(store, "site", PagePlan(corpora=store.corpora(), publish_references=publish))
        found = json.loads(Path("site/data/board.json").read_text())["types"]
        assert {name: words for name, words in found.items() if name == "SVA"} == types
        assert bool(found) is publish


def test_score_only_counts_against_the_limits(gold, private):
    store, corpus = private
    counted = {"dry_run": True, "counts": True, "resamples": 20}
    done = submit(Submission("first", outputs_of(gold, "goes"), submitter="Me"), corpus, store, **counted)
    assert done.added is None
    assert store.load().records == ()
    near = ["The 0 dog zq0secret0 home with number 0 .", *outputs_of(gold, "goes")[1:]]
    with pytest.raises(InputError, match="only 1 output differs from 'first'"):
        submit(Submission("near", near, submitter="Me"), corpus, store, **counted)
    submit(Submission("first", outputs_of(gold, "goes"), submitter="Me"), corpus, store, resamples=20)
    assert [record.system for record in store.load().records] == ["first"], "what was scored may be added"
    submit(Submission("second", outputs_of(gold, "went"), submitter="Me"), corpus, store, **counted)
    with pytest.raises(InputError, match="me has reached the limit of 3 submissions per day"):
        submit(Submission("third", outputs_of(gold, "ran"), submitter="me"), corpus, store, **counted)


@pytest.mark.parametrize(
    ("sentences", "asked", "needed"), [(2, 20, 1), (100, 20, 5), (1312, 20, 20), (1312, 50, 50), (10, 0, 0)]
)
def test_how_many_sentences_must_change(sentences, asked, needed):
    corpora = [{"corpus": "x", "fingerprint": ""}]
    assert Settings(corpora=corpora, min_changes=asked).needed_changes(sentences) == needed
    assert Settings(corpora=corpora, min_changes=asked, publish_references=True).needed_changes(sentences) == 0


def test_precision_and_recall_are_hidden_even_of_old_records(gold, private, run):
    store, corpus = private
    done = submit(Submission("S", outputs_of(gold, "goes"), submitter="Me"), corpus, store, resamples=20)
    assert all(figure["parts"] == {} for figure in done.record.scores.values())
    old = {name: {**figure, "parts": {"precision": 0.5}} for name, figure in done.record.scores.items()}
    (store.folder / "records" / f"{done.record.id}.json").unlink()
    store.add(replace(done.record, scores=old))
    build_site(store, "site", PagePlan([corpus], resamples=20))
    assert not any(b'precision":' in path.read_bytes() for path in Path("site/data").glob("*.js*"))
    assert "S: verified" in run("leaderboard", "verify", "--board", "task")


def test_a_board_of_0_2_0_is_read():
    old = json.loads(Settings().to_json()) | {"licence": "CC BY 4.0"}
    del old["min_changes"], old["license"]
    read = Settings.from_json(json.dumps(old).encode())
    assert (read.min_changes, read.license) == (20, "CC BY 4.0")


def test_a_token_is_kept_as_a_hash_and_found(tmp_path, run, refused):
    def make(*words):
        return run("leaderboard", "token", "--board", tmp_path, *words).strip()

    first, other = make("Team A"), make("Team B")
    teams = TeamTokens(tmp_path)
    assert [teams.find(token) for token in (first, other, "", first[:-1])] == ["Team A", "Team B", None, None]
    content = teams.path.read_text()
    assert first not in content
    assert digest(first.encode()) in content
    if os.name == "posix":
        assert teams.path.stat().st_mode & 0o777 == 0o600
    again = make(" team  a")
    assert (teams.find(first), teams.find(again)) == (None, " team  a")
    make("Team B", "--revoke")
    assert teams.find(other) is None
    refused(["leaderboard", "token", "--board", tmp_path, "Team B", "--revoke"], "no token for 'Team B'")
    teams.path.write_text('{"x": "no hash"}')
    refused(["leaderboard", "token", "--board", tmp_path, "C"], "teams.json: cannot be read")


def test_daily_counts_outlast_a_restart(tmp_path, monkeypatch):
    path = tmp_path / "uploads.json"
    assert [DailyCount(path, 2).allows("a") for _ in range(3)] == [True, True, False]
    assert DailyCount(path, 2).allows("b")
    monkeypatch.setattr("gecbench.leaderboard.uploads.today", lambda: "2999-01-01")
    assert DailyCount(path, 2).allows("a")
    path.write_text("{")
    assert DailyCount(path, 2).allows("a")


def test_a_team_submits_with_its_token_alone_and_its_limit_stays(gold, private):
    pytest.importorskip("starlette", reason="the extra [leaderboard] is not installed")
    tokens = {team: TeamTokens(Path("task")).create(team) for team in ("A", "B")}

    def send(address, word, team, **query):
        headers = {"Authorization": f"Bearer {tokens.get(team, 'wrong')}"}
        query = {"corpus": "gold", "name": word, **query}
        return upload(address, text(outputs_of(gold, word)), headers, **query)

    with server(Path("task")) as (address, _):
        assert send(address, "a0", "nobody", submitter="A")[0] == 401
        status, answer = send(address, "a0", "B", submitter="A")
        assert (status, answer["error"]) == (400, "the token belongs to B. Submit under the name of this team.")
        for k in range(2):
            status, job = send(address, f"a{k}", "A")
            assert status == 202
        assert finished(address, job)["state"] == "done"
    with server(Path("task")) as (address, _):
        assert send(address, "a2", "A")[0] == 202
        status, answer = send(address, "a3", "A")
        assert (status, answer["error"]) == (
            429,
            "You have reached the limit of 3 submissions per day. Try again after midnight UTC.",
        )
        status, job = send(address, "b0", "B", submitter=" b ")
        assert status == 202, "no other team's uploads count"
        assert finished(address, job)["state"] == "done"
    submitters = {record.system: record.submitter for record in FolderStore("task").load().records}
    assert submitters == {"a0": "A", "a1": "A", "a2": "A", "b0": "B"}


def test_a_board_stays_closed_when_the_last_token_is_revoked(gold, private):
    pytest.importorskip("starlette", reason="the extra [leaderboard] is not installed")
    teams = TeamTokens(Path("task"))
    token = teams.create("A")
    teams.revoke("A")
    query = {"corpus": "gold", "name": "run", "submitter": "A"}
    headers = {"Authorization": f"Bearer {token}"}
    with server(Path("task")) as (address, process):
        for given in ({}, headers, {"Authorization": "Bearer "}):
            assert upload(address, text(outputs_of(gold, "run")), given, **query)[0] == 401
        assert script_data(call(f"{address}data/board.js")[1])["server"]["token"] is True
        teams.path.write_text("{")
        status, answer = upload(address, text(outputs_of(gold, "run")), headers, **query)
        assert (status, answer["error"]) == (503, "The server cannot check tokens right now. Try again later.")
    log = "".join(process.communicate())
    assert "teams.json: cannot be read" in log
    assert "Traceback" not in log
