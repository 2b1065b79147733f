"""Records and the folder that keeps them: a schema, content addresses, many writers, kills in the middle."""

import dataclasses
import json
import multiprocessing
import multiprocessing.connection
import os
import random
import signal
import sys
import time

import pytest
from boards import QUICK, demo_board

from gecbench import InputError
from gecbench.leaderboard.records import Details, Record, digest, figure
from gecbench.leaderboard.seeds import seed_records
from gecbench.leaderboard.store import FolderStore

FIGURE = figure(0.5)
DETAILS = Details(["a"], {"gleu": [1.0]}, {})


def record(**changes):
    outputs = {"outputs": DETAILS.outputs, "details": digest(DETAILS.to_json())}
    fields = {"system": "S", "corpus": "demo", "scores": {"gleu": FIGURE}, "date": "2026-01-02", **outputs}
    return Record(**{**fields, **changes})


BAD_FIELDS = {
    "no name": ({"system": " "}, "system is empty"),
    "a long name": ({"system": "x" * 201}, "system has 201 characters"),
    "a line break": ({"system": "a\nb"}, "system holds a control character"),
    "a lone surrogate": ({"system": "\ud800"}, "system holds a control character"),
    "a number for a name": ({"system": 7}, "system is not text"),
    "a script link": ({"links": [{"title": "", "url": "javascript:alert(1)"}]}, "url is 'javascript:alert"),
    "a data link": ({"links": [{"title": "", "url": "data:text/html,x"}]}, "Links start with http"),
    "a relative link": ({"links": [{"title": "", "url": "//evil.example"}]}, "Links start with http"),
    "a broken link": ({"links": [{"title": "", "url": "http://[::1"}]}, "Links start with http"),
    "many links": ({"links": [{"title": "", "url": "https://x.org"}] * 11}, "links has 11 entries"),
    "a link without address": ({"links": [{"title": "x"}]}, "has no url"),
    "a name that turns round": ({"system": "good\u202etxt.exe"}, "system holds a control character or a mark of dir"),
    "a name that hides a mark": ({"submitter": "a\u2066b"}, "submitter holds a control character or a mark of dir"),
    "a description of two lines": ({"description": "a\u2028b"}, "description holds a control character"),
    "an unknown kind": ({"kind": "guessed"}, "kind is 'guessed'"),
    "no date": ({"date": "yesterday"}, "date is 'yesterday'"),
    "an impossible date": ({"date": "2026-02-30"}, "not a date"),
    "no scores": ({"scores": {}}, "no scores"),
    "a metric with markup": ({"scores": {"<b>": FIGURE}}, "has the key '<b>'"),
    "prototype pollution": ({"scores": {"__proto__": FIGURE}}, "has the key"),
    "a score that is no number": (
        {"scores": {"gleu": {**FIGURE, "value": float("nan")}}},
        "not a number below a million",
    ),
    "a score beyond all measure": ({"scores": {"gleu": {**FIGURE, "value": 10**400}}}, "not a number below a million"),
    "a score of another scale": ({"scores": {"gleu": {**FIGURE, "value": 1e299}}}, "not a number below a million"),
    "a score that is true": ({"scores": {"gleu": {**FIGURE, "value": True}}}, "not a number below a million"),
    "a missing part": ({"scores": {"gleu": {"value": 1}}}, "has no against_others"),
    "outputs that are a path": ({"outputs": "../../etc/passwd"}, "not a SHA-256"),
    "a scored record without outputs": ({"outputs": None, "details": None}, "no outputs"),
    "another schema": ({"schema": 3}, "schema is 3"),
    "negative sentences": ({"sentences": -1}, "sentences is -1"),
}


@pytest.mark.parametrize(("change", "message"), BAD_FIELDS.values(), ids=BAD_FIELDS)
def test_bad_fields_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        record(**change)


def test_round_trip():
    first = record(
        links=[{"title": "p", "url": "https://example.org"}],
        description="Ünïcode\u00a0\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645 ok",
    )
    again = Record.from_json(first.to_json())
    assert again == first
    assert again.id == first.id == digest(first.to_json())
    assert record(system="T").id != first.id


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b'{"schema":1}', b"\xff", b"[" * 100_000, b"9" * 5000], ids=range(8)
)
def test_bad_json_is_refused(data):
    for kind in (Record, Details):
        with pytest.raises(InputError):
            kind.from_json(data)


def test_a_bad_record_is_skipped_with_a_warning(tmp_path):
    store = FolderStore(tmp_path)
    good = store.add(record(), DETAILS)
    folder = tmp_path / "records"
    (folder / "half.json").write_bytes(record().to_json()[:40])
    (folder / f"{'0' * 64}.json").write_bytes(record(system="forged").to_json())
    unknown = json.loads(record().to_json()) | {"surprise": 1}
    data = json.dumps(unknown).encode()
    (folder / f"{digest(data)}.json").write_bytes(data)
    (folder / ".temporary.json.x1").write_bytes(b"{")
    (folder / "folder.json").mkdir()
    if sys.platform != "win32":
        (folder / f"{'1' * 64}.json").symlink_to(folder / f"{good}.json")
    loaded = store.load()
    assert [each.id for each in loaded.records] == [good]
    assert len(loaded.warnings) == (4 if sys.platform == "win32" else 5)
    assert any("does not match its name" in warning for warning in loaded.warnings)
    assert any("unknown fields: surprise" in warning for warning in loaded.warnings)


def test_nothing_is_written_outside_or_under_a_wrong_name(tmp_path):
    store = FolderStore(tmp_path / "board")
    wrong = Details(["b"])
    with pytest.raises(InputError, match="not those of the record"):
        store.add(record(), wrong)
    hollow = record()
    object.__setattr__(hollow, "details", "../../secret")
    with pytest.raises(InputError, match="not the name of a file"):
        store._path("details", "../../secret")
    assert store.details(hollow) is None
    assert not (tmp_path / "board").exists()


def test_damaged_details_are_missing_not_fatal(tmp_path):
    store = FolderStore(tmp_path)
    added = record()
    store.add(added, DETAILS)
    assert store.details(added) == dataclasses.replace(DETAILS)
    (tmp_path / "details" / f"{added.details}.json").write_bytes(b"{}")
    assert store.details(added) is None


def test_adding_twice_is_adding_once(tmp_path):
    store = FolderStore(tmp_path)
    assert store.add(record(), DETAILS) == store.add(record(), DETAILS)
    assert len(store.load().records) == 1


def test_answers_are_remembered_and_damage_is_not_believed(tmp_path):
    store = FolderStore(tmp_path)
    assert store.get_p_value("q") is None
    store.put_p_value("q", 0.25)
    assert store.get_p_value("q") == 0.25
    next((tmp_path / "tests").glob("*.json")).write_bytes(b'{"question":"q"}')
    assert store.get_p_value("q") is None


@pytest.mark.parametrize("kind", ["records", "waiting"])
def test_leftovers_of_killed_writers_are_removed_when_old(tmp_path, kind):
    store = FolderStore(tmp_path)
    store.add(record(), DETAILS)
    (tmp_path / kind).mkdir(exist_ok=True)
    old, new = tmp_path / kind / ".a.new", tmp_path / kind / ".b.new"
    for path in (old, new):
        path.write_bytes(b"{")
    os.utime(old, (0, 0))
    store.remove_leftovers()
    assert not old.exists()
    assert new.exists()
    assert len(store.load().records) == 1


def submit_forever(folder, number, go_on, told):
    store = FolderStore(folder)
    for turn in range(100_000):
        if turn == 1:
            go_on.wait()
        details = Details([f"word {number} {turn} ."] * 100, {"gleu": [1.0] * 100}, {})
        names = {"outputs": details.outputs, "details": digest(details.to_json())}
        told.send(store.add(record(system=f"system {number} {turn}", **names), details))


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork and kill -9")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_hundred_writers_killed_in_the_middle(tmp_path):
    context = multiprocessing.get_context("fork")
    demo_board(tmp_path)
    before = {each.id for each in FolderStore(tmp_path).load().records}
    writers, go_on = [], context.Event()
    for number in range(100):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=submit_forever, args=(tmp_path, number, go_on, theirs), daemon=True)
        process.start()
        theirs.close()
        writers.append((process, ours))
    acknowledged = set(before)
    deadline = time.monotonic() + 300
    waiting = {pipe for _, pipe in writers}
    while waiting and time.monotonic() < deadline:
        for pipe in multiprocessing.connection.wait(waiting, timeout=1):
            acknowledged.add(pipe.recv())
            waiting.discard(pipe)
    assert not waiting, "every writer has added a record"
    go_on.set()
    for _, pipe in writers[:10]:
        assert pipe.poll(60), "and goes on"
    for process, _ in random.Random(7).sample(writers, len(writers)):
        os.kill(process.pid, signal.SIGKILL)
    for process, pipe in writers:
        process.join()
        while pipe.poll():
            try:
                acknowledged.add(pipe.recv())
            except (EOFError, OSError):
                break
        assert process.exitcode == -signal.SIGKILL
    loaded = FolderStore(tmp_path).load()
    found = {each.id for each in loaded.records}
    assert not loaded.warnings, "no half file"
    assert len(acknowledged) >= 100
    assert acknowledged <= found, "what was told to be added is there"
    assert len(found - acknowledged) <= 100, "at most one more per writer"
    assert all(FolderStore(tmp_path).details(each) is not None for each in loaded.records)


def test_seeds_are_the_published_figures(repository):
    goldens = json.loads((repository / "tests/goldens/gleu.json").read_text(encoding="utf-8"))
    seeds = {(each.corpus, each.reference_set, each.system): each for each in seed_records()}
    for split, name in (("dev", "validation"), ("test", "test")):
        for system, role in (("Source (unchanged)", "source"), ("Human", "human_average")):
            value = seeds[f"jfleg:{name}", "default", system].scores["gleu"]["value"]
            assert 100 * value == pytest.approx(goldens["jfleg"][f"jfleg.{split}.{role}"]["published_x100"])
    sets = {"NUCLE": "nucle", "E-fluency": "expert_fluency", "E-minimal": "expert_minimal"}
    sets |= {"NE-fluency": "nonexpert_fluency", "NE-minimal": "nonexpert_minimal"}
    compared = 0
    for key, golden in goldens["conll14"].items():
        _, kind, system = key.split(".")
        if kind in sets and "published_metric_scores" in golden:
            name = "Source (unchanged)" if system == "INPUT" else system
            value = seeds["conll14_fluency:test", sets[kind], name].scores["gleu"]["value"]
            assert value == pytest.approx(golden["published_metric_scores"], abs=5.1e-5)
            compared += 1
    assert compared == 30


def test_seeds_are_marked_and_name_their_source():
    assert len({each.table for each in seed_records()}) == 9
    for each in seed_records():
        assert each.kind == "reported"
        assert each.outputs is None
        assert all(figure["source"]["url"].startswith("https://") for figure in each.scores.values())


def test_quick_resamples_are_recorded(tmp_path):
    store = demo_board(tmp_path)
    signatures = {figure["signature"] for each in store.load().records for figure in each.scores.values()}
    assert all(f"resamples:{QUICK}:" in signature for signature in signatures)


BAD_DETAILS = {
    "text for groups": ({"by_distance": {"gleu": "x"}}, "by_distance.gleu is not a list"),
    "half a group": ({"by_distance": {"gleu": [{"label": "0"}]}}, "has no sentences, value"),
    "nested lists": ({"by_distance": {"gleu": [[[[]]]]}}, "is not a JSON object"),
    "no number": ({"sentence_scores": {"gleu": [[]]}}, "not a number below a million"),
    "another length": ({"sentence_scores": {"gleu": [1.0, 1.0]}}, "differ in length"),
    "no text": ({"predictions": [1]}, r"predictions\[0\] is not text"),
}


@pytest.mark.parametrize(("change", "message"), BAD_DETAILS.values(), ids=BAD_DETAILS)
def test_details_of_another_shape_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        Details(**{"predictions": ["a"], **change})
