"""An organiser's own board: made by one command, known again, submitted to, limited, verified, published."""

import json
import re
import shlex
from pathlib import Path

import pytest
from boards import DEMO, GOOD, add, demo_board, text

import gecbench
from gecbench import InputError
from gecbench.cli.main import main
from gecbench.formats.m2 import write_m2
from gecbench.leaderboard.records import Record, digest
from gecbench.leaderboard.store import FolderStore, Settings, init_board
from gecbench.leaderboard.submission import Submission, score_submission, submit

RULES = gecbench.load_demo_systems()["rule-based"]


def board_data(site, name="board"):
    return json.loads(Path(site, f"data/{name}.js").read_text().partition(", ")[2].rstrip(");\n"))


def test_from_help_to_a_published_folder_in_four_commands(folder, run, capsys):
    Path("output.txt").write_bytes(text(GOOD))
    with pytest.raises(SystemExit) as ended:
        run("leaderboard", "--help")
    assert ended.value.code == 0
    shown = re.findall(r"^  (gecbench leaderboard .*?)(?: {2,}\(.*)?$", capsys.readouterr().out, re.MULTILINE)
    for command in shown[:3]:
        run(*shlex.split(command)[1:])
    assert Path("site/index.html").is_file()
    board = board_data("site")
    assert board["title"] == "My task"
    table = board_data("site", f"table-{board['tables'][0]['key']}")
    assert [row["system"] for row in table["rows"]] == ["My system"]


def write_gold(kind):
    if kind == "m2":
        write_m2(DEMO, "gold.m2")
        return "gold.m2"
    if kind == "jsonl":
        rows = zip(DEMO.sources, DEMO.references, strict=True)
        lines = (json.dumps({"source": source, "references": list(texts)}) for source, texts in rows)
        Path("corpus.jsonl").write_text("".join(f"{line}\n" for line in lines))
        return "corpus.jsonl"
    return "demo"


@pytest.mark.parametrize("kind", ["m2", "jsonl", "name"])
def test_every_kind_of_corpus_makes_a_board(kind, folder, run):
    corpus = write_gold(kind)
    Path("logo.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    about = {"title": "T < & é", "description": "What it is", "licence": "CC BY 4.0", "link": "https://example.org/t"}
    options = [word for name, value in about.items() for word in (f"--{name}", value)]
    metric = "gleu" if kind == "jsonl" else "m2"
    run("leaderboard", "init", "task", *options, "-c", corpus, "--metric", metric, "--logo", "logo.svg")
    Path("good.txt").write_bytes(text(GOOD))
    Path("rules.txt").write_bytes(text(RULES))
    for name in ("rules", "good"):
        shown = run(
            "leaderboard", "submit", "--board", "task", "-p", f"{name}.txt", "--name", name, "--submitter", "Me"
        )
    title = gecbench.METRICS[metric].title
    assert f"rank 1 of 2 by {title}" in shown
    run("leaderboard", "build", "--board", "task", "-o", "site")
    board = board_data("site")
    assert {name: board[name] for name in about} == about
    assert (board["metric"], board["logo"]) == (metric, "logo.svg")
    assert Path("site/logo.svg").read_bytes() == Path("logo.svg").read_bytes()
    (table,) = board["tables"]
    assert table["metrics"][0] == metric
    listed = run("leaderboard", "list", "--board", "task", "--without-published")
    assert listed.splitlines()[0].split()[2:4] == ["#", title]


def test_corpora_are_known_again_and_named_without_a_path(folder):
    name = write_gold("m2")
    store = init_board(Path("deep/task"), [str(Path(name).resolve()), "demo"], Settings(title="T"))
    assert [entry["corpus"] for entry in store.settings.corpora] == ["../../gold.m2", "demo"]
    assert [corpus.name for corpus in store.corpora()] == ["gold", "demo"]
    gold = Path("gold.m2").read_text()
    Path("gold.m2").write_text(gold.replace("|||REQUIRED", "x|||REQUIRED", 1))
    with pytest.raises(InputError, match=r"gold.m2 is no longer the corpus of this board"):
        store.corpora()


BAD_BOARDS = {
    "a link that is none": (["--link", "javascript:x"], "Links start with http"),
    "no title": (["--title", " "], "title is empty"),
    "a logo that is none": (["--logo", "good.txt"], "good.txt: is no image of a known kind"),
    "an unknown corpus": (["-c", "nowhere"], "no corpus or file 'nowhere'"),
    "one corpus twice": (["-c", "demo", "demo"], "two corpora are called demo"),
    "a board that is there": (["there"], "board.json: is there already"),
}


@pytest.mark.parametrize(("options", "message"), BAD_BOARDS.values(), ids=BAD_BOARDS)
def test_refused_boards(options, message, folder, refused):
    Path("good.txt").write_text("x\n")
    init_board(Path("there"), ["demo"], Settings(title="T"))
    where, *rest = options if options == ["there"] else ["task", *options]
    refused(["leaderboard", "init", where, "--title", "T", "-c", "demo", *rest], message)
    assert not Path("task").exists()


def test_another_corpus_than_the_boards_is_refused(folder, refused):
    init_board(Path("task"), ["demo"], Settings(title="T"))
    Path("good.txt").write_bytes(text(GOOD))
    words = ["leaderboard", "submit", "--board", "task", "-p", "good.txt", "--name", "x", "-c", "gold.m2"]
    refused(words, "the board has no corpus 'gold.m2'. Use -c with one of demo")
    Path("task/board.json").write_text("{")
    refused(words[:8], "board.json: cannot be read: not JSON")


def test_submissions_per_name_and_day_are_limited(tmp_path):
    init_board(tmp_path, ["demo"], Settings(title="T", per_day=2))
    store = FolderStore(tmp_path)

    def hand_in(word, submitter, date=None):
        about = {} if date is None else {"date": date}
        outputs = [*GOOD[:-1], f"{word} ."]
        return submit(Submission(word, outputs, submitter=submitter, **about), DEMO, store, resamples=20)

    hand_in("a", "Me")
    hand_in("b", " me ")
    with pytest.raises(InputError, match="ME has made 2 submissions today, as many as allowed"):
        hand_in("c", "ME")
    with pytest.raises(InputError, match="the submitter is not named"):
        hand_in("c", " ")
    hand_in("c", "You")
    assert {record.system for record in store.load().records} == {"a", "b", "c"}


def forged(store, record, **figure):
    """Add a record that claims another figure for the same outputs."""
    scores = {**record.scores, "gleu": {**record.scores["gleu"], **figure}}
    claimed = Record(**{**vars(Record.from_json(record.to_json())), "scores": scores, "system": "forged"})
    store.add(claimed)
    return claimed


@pytest.fixture
def not_verified(tmp_path, capsys):
    """Verify a board in vain, and return what is printed of its records."""

    def verify(message, *files):
        words = ["leaderboard", "verify", "--board", str(tmp_path), "-c", "demo", *files]
        assert main(words) == 2
        printed = capsys.readouterr()
        assert message in printed.err
        return printed.out

    return verify


def test_verify_passes_what_was_scored_and_refuses_what_differs(tmp_path, run, not_verified):
    store = demo_board(tmp_path)
    shown = run("leaderboard", "verify", "--board", tmp_path, "-c", "demo")
    assert shown.count("as scored") == 4
    record = next(each for each in store.load().records if each.system == "rule-based")
    claimed = forged(store, record, value=0.99)
    shown = not_verified("1 of 5 records are not what scoring gives")
    assert f"forged: gleu: value 0.990000 is {record.scores['gleu']['value']:.6f} here" in shown
    one = f"records/{record.id}.json"
    assert "rule-based: as scored" in run("leaderboard", "verify", "--board", tmp_path, "-c", "demo", one)
    not_verified("1 of 1 records", f"{claimed.id}.json")
    assert not_verified("the board has no record 'other'", "other.json") == ""


TAMPERED = {
    "an interval": {"low": 0.0},
    "precision": {"parts": {"precision": 1.0}},
    "people": {"human": 0.1},
    "other settings": {"signature": "gleu|refs:1|version:0.1.0"},
    "unbounded": {"bounded": 3},
}


@pytest.mark.parametrize("figure", TAMPERED.values(), ids=TAMPERED)
def test_verify_looks_at_every_part_of_a_figure(figure, tmp_path, not_verified):
    store = FolderStore(tmp_path)
    forged(store, add(store, "rules", RULES), **figure)
    assert "forged: gleu: " in not_verified("1 of 2 records")


def test_verify_looks_at_details_and_files(tmp_path, not_verified):
    store = FolderStore(tmp_path)
    scored = score_submission(Submission("rules", RULES), DEMO, resamples=20)
    details = type(scored.details)(**{**vars(scored.details), "sentence_scores": {"gleu": [1.0] * len(DEMO)}})
    changed = {**vars(scored.record), "details": digest(details.to_json())}
    store.add(Record(**{name: value for name, value in changed.items() if name != "id"}), details)
    assert "sentence_scores of its details differ" in not_verified("1 of 1 records")
    (tmp_path / "records" / f"{'0' * 64}.json").write_text("{}")
    assert "its content does not match its name" in not_verified("2 of 2 records")
