"""`gecbench leaderboard`: its commands, and the commands and the card that a board shows."""

import json
import re
import shlex
import sys
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml
from boards import DEMO, GOOD, QUICK, RULES, add, made_up_record, script_data, text

import gecbench
from gecbench.cli.main import main
from gecbench.formats.jsonl import write_jsonl
from gecbench.formats.m2 import write_m2
from gecbench.leaderboard.page import PagePlan, build_site
from gecbench.leaderboard.records import Settings, figure
from gecbench.leaderboard.store import FolderStore, init_board
from gecbench.metrics.base import METRICS


def test_from_help_to_a_published_folder_in_four_commands(folder, run, capsys):
    Path("output.txt").write_bytes(text(GOOD))
    with pytest.raises(SystemExit) as ended:
        run("leaderboard", "--help")
    assert ended.value.code == 0
    printed = capsys.readouterr().out.replace("\\\n", "")
    shown = re.findall(r"^  (gecbench leaderboard .*?)(?: {2,}\(.*)?$", printed, re.MULTILINE)
    for command in shown[:3]:
        run(*shlex.split(command)[1:])
    assert Path("site/index.html").is_file()
    board = script_data(Path("site/data/board.js"))
    assert board["title"] == "My task"
    table = script_data(Path(f"site/data/table-{board['tables'][0]['key']}.js"))
    assert [row["system"] for row in table["rows"]] == ["My system"]


@pytest.mark.parametrize(("corpus", "metric"), [("gold.m2", "m2"), ("corpus.jsonl", "gleu"), ("demo", "m2")])
def test_every_kind_of_corpus_makes_a_board(corpus, metric, folder, run):
    write_m2(DEMO, "gold.m2")
    write_jsonl(DEMO.replace(annotations=None), "corpus.jsonl")
    Path("logo.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    about = {"title": "T < & é", "description": "What it is", "license": "CC BY 4.0", "link": "https://example.org/t"}
    options = [word for name, value in about.items() for word in (f"--{name}", value)]
    run("leaderboard", "init", "task", *options, "-c", corpus, "--metric", metric, "--logo", "logo.svg")
    Path("good.txt").write_bytes(text(GOOD))
    Path("rules.txt").write_bytes(text(RULES))
    for name in ("rules", "good"):
        about_it = ("-p", f"{name}.txt", "--name", name, "--submitter", "Me")
        shown = run("leaderboard", "submit", "--board", "task", *about_it)
    title = gecbench.METRICS[metric].title
    assert f"rank 1 of 2 by {title}" in shown
    run("leaderboard", "build", "--board", "task", "-o", "site")
    board = script_data(Path("site/data/board.js"))
    assert {name: board[name] for name in about} == about
    assert (board["tables"][0]["metrics"][0], board["logo"]) == (metric, "logo.svg")
    assert Path("site/logo.svg").read_bytes() == Path("logo.svg").read_bytes()
    (table,) = board["tables"]
    assert table["metrics"][0] == metric
    listed = run("leaderboard", "list", "--board", "task", "--without-published")
    assert listed.splitlines()[0].split()[2:4] == ["#", title]


def with_defaults(options, defaults):
    """Return options with defaults for those that are not given."""
    return [*options, *(word for name, value in defaults.items() if name not in options for word in (name, value))]


BAD_BOARDS = {
    "a link that is none": (["--link", "javascript:x"], "--link is 'javascript:x', not a link. Links start with http"),
    "no title": (["--title", " "], "--title is empty"),
    "a logo that is none": (["--logo", "good.txt"], "good.txt: is not a supported image"),
    "an unknown corpus": (["-c", "nowhere"], "no corpus or file 'nowhere'"),
    "one corpus twice": (["-c", "demo", "demo"], "two corpora have the name demo"),
    "a board that is there": (["there"], "board.json: already exists"),
    "a file": (["good.txt"], "good.txt: is a file, not a folder. Give another folder"),
}


@pytest.mark.parametrize(("options", "message"), BAD_BOARDS.values(), ids=BAD_BOARDS)
def test_refused_boards(options, message, folder, refused):
    Path("good.txt").write_text("x\n")
    init_board(Path("there"), ["demo"], Settings(title="T"))
    where, *rest = ["task", *options] if options[0].startswith("-") else options
    refused(["leaderboard", "init", where, *with_defaults(rest, {"--title": "T", "-c": "demo"})], message)
    assert not Path("task").exists()


def test_another_corpus_than_the_boards_is_refused(folder, refused):
    init_board(Path("task"), ["demo"], Settings(title="T"))
    Path("good.txt").write_bytes(text(GOOD))
    words = ["leaderboard", "submit", "--board", "task", "-p", "good.txt", "--name", "x", "-c", "gold.m2"]
    refused(words, "the board has no corpus 'gold.m2'. Choose one with -c: demo")
    Path("task/board.json").write_text("{")
    refused(words[:8], "board.json: cannot be read: not JSON")


BAD_USES = {
    "an unknown corpus": (["-c", "nowhere"], "no corpus or file 'nowhere'"),
    "a script link": (["--link", "javascript:alert(1)"], "Links start with http"),
    "no name": (["--name", ""], "--name is empty"),
    "a compressed file": (["-p", "good.txt.gz"], "good.txt.gz: is compressed"),
    "a missing file": (["-p", "nowhere.txt"], "nowhere.txt: no such file"),
    "a board that is a file": (["--board", "good.txt"], "good.txt: is a file"),
    "a board nowhere": (["--board", "ftp://x"], "cannot open a board"),
    "a Hub board without a name": (["--board", "hf://datasets/x"], "is not a repository address"),
    "outputs twice": (["--board", "twice"], "already on the board, as 'Good'"),
    "a Hub board offline": (["--board", "hf://datasets/a/b"], "HF_HUB_OFFLINE is set"),
}


@pytest.mark.parametrize(("corpus", "notes"), [("gold.m2", 1), ("demo", 0)])
def test_intervals_of_few_sentences_are_noted_once(corpus, notes, folder, capsys):
    write_m2(DEMO, "gold.m2")
    Path("good.txt").write_bytes(text(GOOD))
    assert main(["leaderboard", "submit", "--dry-run", "-c", corpus, "-p", "good.txt", "--name", "Good"]) == 0
    assert capsys.readouterr().err.count("fewer than 300 sentences are too narrow (the corpus has 42)") == notes


def test_a_warning_names_the_file_and_the_options(folder, capsys):
    """A few untokenized lines give a warning, not an error."""
    sources = [f"He {word} , yes ." for word in ("walk", "run", "talk", "read")]
    write_jsonl(gecbench.Corpus(sources=sources, references=[[line] for line in sources]), "c.jsonl")
    Path("raw.txt").write_bytes(text([line.replace(" ,", "s,").replace(" .", ".") for line in sources]))
    assert main(["leaderboard", "submit", "--dry-run", "-c", "c.jsonl", "-p", "raw.txt", "--name", "Raw"]) == 0
    warning = next(line for line in capsys.readouterr().err.splitlines() if "not tokenized" in line)
    assert warning.startswith("gecbench: warning: raw.txt: predictions are not tokenized like their sources")
    assert warning.endswith("Pass --tokenize auto to tokenize them, or --tokenized to score them as they are")


def test_columns_without_numbers_are_left_out(folder, run):
    """Without several references, there is no human score. If their number varies, no score has the same references."""
    edit = "A 0 1|||R|||b|||REQUIRED|||-NONE-|||"
    Path("one.m2").write_text(f"S a\n{edit}0\n\nS c\n\n")
    Path("some.m2").write_text(f"S a\n{edit}0\n{edit}1\n\nS c\n{edit}0\n\n")
    Path("out.txt").write_text("b\nc\n")
    printed = {
        name: run("leaderboard", "submit", "-c", f"{name}.m2", "-p", "out.txt", "--name", "x", "--dry-run")
        for name in ("one", "some")
    }
    assert printed["one"].splitlines()[0].split() == ["x", "score"]
    assert "human:" not in printed["one"]
    assert printed["some"].splitlines()[0].split() == ["x", "score", "human"]
    assert "human: mean score of an annotator against the others' references.\n" in printed["some"]
    assert "same refs" not in printed["some"]


def test_submit_list_build_on_the_command_line(folder, run):
    Path("good.txt").write_bytes(text(GOOD))
    add(FolderStore("board"), "rules", RULES)
    board = ["--board", "board", "-c", "demo"]
    submit = ("leaderboard", "submit", "-p", "good.txt", "--name", "Good", *board)
    assert json.loads(run(*submit, "--dry-run", "-f", "json"))["system"] == "Good"
    submitted = run(*submit, "--link", "https://example.org")
    assert "rank 1 of 2 by GLEU" in submitted
    assert "added as records/" in submitted
    assert [line.split()[0] for line in run("leaderboard", "list", *board).splitlines()[2:4]] == ["Good", "rules"]
    listed = run("leaderboard", "list", "--board", "board")
    assert "Ge et al. (2018)" in listed
    assert listed.startswith("demo (default)"), "what the board scored comes first"
    assert Path(run("leaderboard", "build", *board, "-o", "site").strip()).is_file()


@pytest.mark.parametrize(
    "words", ["list", "build -o site", "verify", "serve", "submit -c demo -p x --name x", "submit -p x --name x"]
)
def test_a_board_that_does_not_exist_is_refused(words, folder, refused):
    message = "taks: no such folder. Check --board, or create the board with gecbench leaderboard init."
    assert refused(["leaderboard", *words.split(), "--board", "taks"]) == f"gecbench: {message}\n"
    assert list(folder.iterdir()) == []


def test_the_first_submission_creates_the_default_board(folder, run, refused):
    Path("good.txt").write_bytes(text(GOOD))
    refused(["leaderboard", "submit", "-p", "good.txt", "--name", "Good"], "board: no such folder. Check --board")
    run("leaderboard", "submit", "-c", "demo", "-p", "good.txt", "--name", "Good")
    assert "Good" in run("leaderboard", "list")


MIXED = {
    "task": "task: is the board itself",
    ".": "contains the board task",
    "task/records": "task/records: is a folder of the board task",
    "good.txt": "good.txt: is a file, not a folder",
}


@pytest.mark.parametrize(("output", "message"), MIXED.items(), ids=MIXED)
def test_the_page_is_not_mixed_with_the_board(output, message, folder, run, refused):
    init_board(Path("task"), ["demo"], Settings(title="T"))
    Path("good.txt").write_bytes(text(GOOD))
    before = sorted(folder.rglob("*"))
    refused(["leaderboard", "build", "--board", "task", "-o", output], f"{message}. Give another folder with -o")
    assert sorted(folder.rglob("*")) == before
    run("leaderboard", "build", "--board", "task", "-o", "task/site")


@pytest.mark.parametrize(("options", "message"), BAD_USES.values(), ids=BAD_USES)
def test_refused_on_the_command_line(options, message, folder, refused):
    Path("good.txt").write_bytes(text(GOOD))
    add(FolderStore("twice"), "Good", GOOD)
    given = with_defaults(options, {"-c": "demo", "-p": "good.txt", "--name": "Again"})
    refused(["leaderboard", "submit", *given], message)
    assert not Path("board").exists()


LISTED = {
    "text": "Second          2  25.00 ± 5.00  system  2026-01-02",
    "text --wide": "Second          2  25.00  20.00 – 30.00  system  2026-01-02",
    "markdown": "| Second | 2 | 25.00 | 20.00 – 30.00 | system | 2026-01-02 |",
    "latex": r"Second & 2 & 25.00 & 20.00 -- 30.00 & system & 2026-01-02 \\",
    "tsv": "Second\t2\t25.00\t20.00 – 30.00\tsystem\t2026-01-02",
}


@pytest.mark.parametrize(("table_format", "row"), LISTED.items(), ids=LISTED)
def test_list_prints_every_format(table_format, row, tmp_path, run):
    store = FolderStore(tmp_path)
    store.add(made_up_record(system="First"))
    store.add(made_up_record(system="Second", scores={"gleu": figure(0.25, low=0.2, high=0.3)}))
    words = ("leaderboard", "list", "--board", tmp_path, "--without-published", "-f", *table_format.split())
    assert [line for line in run(*words).splitlines() if "Second" in line] == [row]


def test_the_half_width_of_an_interval_is_explained(tmp_path, run):
    """0.2 to 0.35 is 15 points wide; the score is not in its middle."""
    store = FolderStore(tmp_path)
    store.add(made_up_record(system="One", scores={"gleu": figure(0.25, low=0.2, high=0.35)}))
    words = ("leaderboard", "list", "--board", tmp_path, "--without-published")
    shown = run(*words)
    assert "25.00 ± 7.50" in shown
    assert "±: half the width of the 95% interval. For interval limits, use --wide." in shown
    assert "±" not in run(*words, "--wide")


def test_unknown_corpus_in_list(tmp_path, refused):
    refused(["leaderboard", "list", "--board", tmp_path, "-c", "nothing"], "the board has no records on 'nothing'")


def told(site="site"):
    return json.loads(Path(site, "data/board.json").read_text())["commands"]


@pytest.mark.parametrize("own", [True, False])
def test_an_open_boards_commands_run_as_they_stand(own, folder, run):
    write_jsonl(DEMO, "my task.jsonl")
    Path("outputs.txt").write_bytes(text(GOOD))
    corpus = () if own else ("-c", str(Path("my task.jsonl").resolve()))
    if own:
        run("leaderboard", "init", "board", "--title", "T", "-c", "my task.jsonl", "--publish-references")
    else:
        Path("board").mkdir()
    run("leaderboard", "build", "--board", "board", *corpus, "-o", "site")
    assert str(Path.cwd()) not in Path("site/data/board.json").read_text(), "no path of this machine is told"
    for command in told()[1:]:
        run(*shlex.split(command)[1:])
    assert "My system" in Path("site/data/board.json").read_text()
    for name in ("my task", "my task.jsonl"):
        assert "My system" in run("leaderboard", "list", "--board", "board", "-c", name)


def test_a_board_of_several_corpora_keeps_them_all_on_its_page(folder, run):
    write_jsonl(DEMO, "second.jsonl")
    Path("outputs.txt").write_bytes(text(GOOD))
    run("leaderboard", "init", "board", "--title", "T", "-c", "demo", "second.jsonl", "--publish-references")
    run("leaderboard", "build", "--board", "board", "-o", "site")
    for command in told()[1:]:
        run(*shlex.split(command)[1:])
    tables = json.loads(Path("site/data/board.json").read_text())["tables"]
    assert {table["corpus"]: table["sentences"] for table in tables} == {"demo": len(DEMO), "second": len(DEMO)}


def test_init_says_that_the_metric_that_ranks_is_not_installed(folder, capsys, monkeypatch):
    monkeypatch.setattr(METRICS["errant"], "missing", classmethod(lambda _cls: "it lacks a model."))
    assert main(["leaderboard", "init", "task", "--title", "T", "-c", "demo", "--metric", "errant"]) == 0
    assert (
        "note: the board is ranked by another metric until errant can be computed: it lacks a model."
        in capsys.readouterr().err
    )
    assert Path("task/board.json").is_file()


def test_seed_scores_what_the_board_has_not(folder, run, monkeypatch):
    printed = run("leaderboard", "seed", "--board", "board", "-c", "demo")
    assert "Source (unchanged): GLEU" in printed
    monkeypatch.setattr("gecbench.leaderboard.submission.score_submission", None)
    assert run("leaderboard", "seed", "--board", "board", "-c", "demo") == printed
    assert len(list(Path("board/records").iterdir())) == 1


@pytest.mark.parametrize("package", ["starlette.applications", "uvicorn"])
def test_serve_says_which_packages_it_needs(package, tmp_path, refused, monkeypatch):
    monkeypatch.delitem(sys.modules, "gecbench.leaderboard.server", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    fix = r'more packages\. Install them: pip install "gecbench\[leaderboard\]"'
    refused(["leaderboard", "serve", "--board", tmp_path], fix)


def test_a_sealed_servers_command(folder):
    write_jsonl(DEMO, "my & task.jsonl")
    store = init_board(Path("task"), ["my & task.jsonl"], Settings(title="T"))
    corpora = store.corpora()
    for token in (True, False):
        build_site(store, "site", PagePlan(corpora, resamples=QUICK, server={"token": token}))
        (command,) = told()
        *words, address = shlex.split(command)
        assert ("Authorization: Bearer TOKEN" in words) is token
        assert dict(parse_qsl(urlsplit(address).query))["corpus"] == "my & task"


def test_the_board_lists_what_others_report_on_its_own_corpora_alone(folder, run):
    run("leaderboard", "init", "task", "--title", "T", "-c", "demo")
    assert run("leaderboard", "list", "--board", "task") == "The board is empty.\n"


@pytest.mark.parametrize("before", ["", "*.tmp\n", "*.tmp"])
def test_init_adds_to_what_a_repository_ignores(before, folder):
    Path("task").mkdir()
    Path("task/.gitignore").write_text(before)
    init_board(Path("task"), ["demo"], Settings(title="T"))
    lines = Path("task/.gitignore").read_text().splitlines()
    assert lines == [*before.split(), "/tests/", "/waiting/", "/teams.json", "/uploads.json", "/.lock"]


def test_the_card_of_an_organisers_page(folder, run):
    title = 'Task: "A" é # 1'
    run("leaderboard", "init", "task", "--title", title, "-c", "demo", "--licence", "CC BY 4.0")
    run("leaderboard", "build", "--board", "task", "-o", "site")
    card = Path("site/README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(card.split("---\n")[1])
    assert (head["title"], head["sdk"], head["app_file"]) == (title, "static", "index.html")
    assert "license" not in head, "ours is not theirs"
    assert f"# {title}\n" in card
    assert "JFLEG" not in card


@pytest.mark.parametrize(
    "words",
    [
        *(("--port", "8_0"), ("--per-minute", "1_0"), ("--per-minute", "-1"), ("--per-minute", "\u0661")),
        *(("--megabytes", "1_0"), ("--scoring-seconds", "1_0"), ("--port", "9" * 4000), ("--port", "65536")),
    ],
    ids=lambda words: " ".join(words)[:30],
)
def test_numbers_are_written_plainly(words, exits):
    assert "is not a" in exits(["leaderboard", "serve", *words], 2).err


def test_plugins_on_the_command_line(folder, run, refused, monkeypatch):
    monkeypatch.setenv("GECBENCH_BOARD_PLUGINS", "")
    Path("my_length.py").write_text(
        "def score(sources, outputs, references): return [float(len(o)) for o in outputs]\n"
    )
    run("demo", "--write", "demo")
    words = ["leaderboard", "submit", "-c", "demo", "-p", "demo/systems/rule-based.txt", "--name", "x", "--board", "b"]
    Path("b").mkdir()
    refused([*words, "--plugin", "my_length"], "'my_length' is not a plug-in")
    assert "my-length (plug-in)" in run(*words, "--plugin", "python:my_length:score")
    assert run("leaderboard", "list", "--board", "b", "-m", "my-length").split()[3:5] == ["my-length", "(plug-in)"]
    refused(["leaderboard", "list", "--board", "b", "-m", "my-lenght"], "Did you mean my-length")
