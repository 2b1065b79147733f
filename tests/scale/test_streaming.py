"""Streams: the bits of one process whatever the batches, from any file, and after any stop."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gecbench
from gecbench import InputError, kernels, scale
from gecbench.cli import main
from gecbench.corpus.corpus import Corpus
from gecbench.formats.m2 import write_m2
from gecbench.metrics.base import Statistics
from gecbench.metrics.policy import BestPerSentence, EachRow, GreedyCumulative, GreedyRounded, Policy, Sampled
from gecbench.metrics.streaming import Stream
from gecbench.scale import streaming

DEMO = gecbench.load_demo()
OUTPUTS = gecbench.load_demo_systems()["rule-based"]
ANNOTATED = [[found[0]] for found in DEMO.annotations or ()], [[found[1]] for found in DEMO.annotations or ()]
POLICIES: list[tuple[Policy, int, int]] = [
    (Sampled(20, "py2"), 6, 4),
    (Sampled(20, "py3"), 6, 5),
    (GreedyCumulative(0.5), 3, 4),
    (GreedyRounded(0.5), 3, 4),
    (BestPerSentence(0.5), 3, 4),
    (EachRow(), 4, 1),
]


@st.composite
def corpora(draw: st.DrawFn, width: int, most: int) -> tuple[Statistics, list[int]]:
    """Counts of some sentences, the first of which may have one row each, and where batches end."""
    single = draw(st.integers(0, 4))
    sizes = [1] * single + draw(st.lists(st.integers(1, most), min_size=1, max_size=12))
    offsets = np.cumsum([0, *sizes], dtype=np.int64)
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    counts = np.sort(chance.integers(0, 5, (offsets[-1], width)), axis=1).astype(np.int64)
    ends = sorted(draw(st.sets(st.integers(1, len(sizes)), max_size=5)) | {len(sizes)})
    return Statistics(counts, offsets), ends


@pytest.mark.parametrize(("policy", "width", "most"), POLICIES, ids=lambda each: type(each).__name__)
@settings(max_examples=40)
@given(data=st.data())
def test_running_totals_are_those_of_all_at_once(policy: Policy, width: int, most: int, data: st.DataObject) -> None:
    """Cut anywhere, and stopped and restored before every batch, on both twins."""
    statistics, ends = data.draw(corpora(width, most))
    with pytest.MonkeyPatch.context() as patch:
        for twin in ("python", "native") if kernels.native_module() else ("python",):
            patch.setenv("GECBENCH_KERNELS", twin)
            running, begin = policy.running(), 0
            for end in ends:
                before = running.arrays()
                running = policy.running()
                running.restore(before)
                running.add(statistics.select(range(begin, end)))
                begin = end
            assert np.array_equal(running.totals, policy.totals(statistics))


def test_generators_go_on_alike(twins: Any) -> None:
    """The state after some draws is CPython's own."""
    python, native = twins("gleu")
    offsets = np.array([0, 3, 4, 9, 11], dtype=np.int64)
    counts = np.arange(22, dtype=np.int64).reshape(11, 2)
    states = [np.array(twin.generator_states(7)) for twin in (python, native)]
    assert np.array_equal(*states)
    for python3 in (False, True):
        for _ in range(100):
            totals = [
                twin.sampled_totals(counts, offsets, 7, python3, 2, state)
                for twin, state in zip((python, native), states, strict=True)
            ]
            assert np.array_equal(*totals)
        assert np.array_equal(*states)
    states[1][0, 624] = 625
    with pytest.raises(ValueError, match="beyond its words"):
        native.sampled_totals(counts, offsets, 7, False, 1, states[1])
    with pytest.raises(ValueError, match="states"):
        native.sampled_totals(counts, offsets, 8, False, 1, states[0])


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    "metric",
    ["gleu", "gleu(draws=py3)", "gleu(variant=equation1)", "m2", "m2(mixing=cap)", "imeasure", "bleu", "errant"],
)
def test_stream_scores_as_one_process(metric: str, size: int) -> None:
    corpus, outputs = DEMO, OUTPUTS
    if metric == "errant":
        corpus = Corpus(sources=DEMO.sources, annotations=ANNOTATED[0])
        outputs = gecbench.EditedTexts.of(DEMO.sources, ANNOTATED[1])
    parts = [range(begin, min(begin + size, 42)) for begin in range(0, 42, size)]
    pieces = ([outputs[i] for i in part] if metric != "errant" else outputs.select(part) for part in parts)
    made = gecbench.make_metric(metric)
    score = made.stream(zip(map(corpus.select, parts), pieces, strict=True))
    expected = made.score_corpus(corpus, outputs)
    assert score == expected
    assert (score.parts, score.diagnostics, score.sentences) == (expected.parts, expected.diagnostics, 42)


def test_stream_of_mappings_and_what_it_refuses() -> None:
    batch = {"sources": ["a b c d"], "references": [["a b c e"]], "predictions": ["a b c e"]}
    score = gecbench.GLEU().stream([batch, batch])
    assert score.value == 1
    with pytest.raises(InputError, match="counts of a stream are not kept"):
        score.sentence_scores()
    with pytest.raises(InputError, match="a batch without references"):
        gecbench.GLEU().stream([{"sources": [], "predictions": []}])
    with pytest.raises(InputError, match="no sentences"):
        gecbench.GLEU().stream([])
    with pytest.raises(InputError, match="2 predictions for 1 sources"):
        gecbench.GLEU().stream([{**batch, "predictions": ["a", "b"]}])
    with pytest.raises(InputError, match="needs the whole corpus"):
        gecbench.GLEU().stream([batch], tokenize="auto")


@pytest.mark.parametrize("size", [1, 500])
def test_a_shifted_stream_is_refused(size: int) -> None:
    sources = list(DEMO.sources) * 12
    shifted = [*sources[1:], sources[0]]
    corpus = Corpus(sources, [[source] for source in sources])
    parts = [range(begin, min(begin + size, len(sources))) for begin in range(0, len(sources), size)]
    with pytest.raises(InputError, match="look shifted"):
        gecbench.GLEU().stream((corpus.select(part), [shifted[i] for i in part]) for part in parts)


@pytest.fixture
def files(folder: Path) -> Path:
    """The demo as files of every kind."""
    (folder / "source.txt").write_text("".join(f"{line}\n" for line in DEMO.sources))
    (folder / "output.txt").write_text("".join(f"{line}\r\n" for line in OUTPUTS))
    (folder / "output.jsonl").write_text("".join(json.dumps({"n": 1, "prediction": line}) + "\n" for line in OUTPUTS))
    for k in range(4):
        with gzip.open(folder / f"ref{k}.txt.gz", "wt") as file:
            file.writelines(f"{texts[k]}\n" for texts in DEMO.references or ())
    columns = {"source": DEMO.sources, "references": [list(texts) for texts in DEMO.references or ()]}
    table = pyarrow.table({**columns, "output": list(OUTPUTS)})
    pyarrow.parquet.write_table(table, folder / "all.parquet", row_group_size=9)
    write_m2(DEMO, folder / "gold.m2")
    write_m2(Corpus(sources=DEMO.sources, annotations=ANNOTATED[1]), folder / "system.m2")
    return folder


TEXT = ["-s", "source.txt", "-r", *(f"ref{k}.txt.gz" for k in range(4))]
INPUTS = {
    "text": ([*TEXT, "-p", "output.txt", "-m", "gleu", "bleu", "m2"], None),
    "json lines": ([*TEXT, "-p", "output.jsonl", "-m", "gleu"], None),
    "edits": (["--gold", "gold.m2", "-p", "output.txt", "-m", "m2", "imeasure", "gleu"], None),
    "edits of a system": (["--gold", "gold.m2", "-p", "system.m2", "-m", "errant"], None),
    "a corpus": (["-c", "demo", "-p", "output.txt", "-m", "m2"], None),
    "standard input": (["-s", "source.txt", "-r", "ref0.txt.gz", "-p", "-"], "output.txt"),
    "parquet": (["-s", "all.parquet", "-r", "all.parquet", "-p", "all.parquet"], None),
}


@pytest.mark.parametrize(("arguments", "piped"), INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("size", ["1", "7", "10000", "1" + "0" * 20])
def test_files_of_all_kinds(
    arguments: list[str], piped: str | None, size: str, files: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def printed(*more: str) -> str:
        if piped:
            monkeypatch.setattr("sys.stdin", (files / piped).open())
        return str(run("score", *arguments, *more))

    streamed = printed("--stream", "--batch-size", size)
    if "all.parquet" in arguments:
        arguments = [*TEXT, "-p", "all.parquet"]
    assert streamed == printed()


def test_the_table_of_sentences_holds_scores_and_counts(files: Path, run: Any) -> None:
    run(
        "score",
        "--stream",
        *TEXT,
        "-p",
        "output.txt",
        "-m",
        "gleu",
        "m2",
        "--batch-size",
        10,
        "--per-sentence",
        "per.parquet",
    )
    expected = gecbench.score(OUTPUTS, Corpus(DEMO.sources, DEMO.references), ["gleu", "m2"], resamples=20)
    table = scale.read("per.parquet")
    found = scale.scores(table, resamples=20)
    for name, score in expected.items():
        assert found[name] == score
        assert table[f"{name}_score"].to_pylist() == score.sentence_scores().tolist()
    assert sorted(path.name for path in files.glob("per*")) == ["per.parquet"]


class Stop(BaseException):
    """What no code expects."""


class TestStops:
    ARGUMENTS = ("score", "--stream", *TEXT, "-p", "output.txt", "-m", "gleu(draws=py3)", "m2", "--batch-size", "5")

    def stopped(self, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
        """Run until the given call of Stream.take, in the middle of a batch, with a state after every batch."""
        monkeypatch.setattr(streaming, "_SECONDS_BETWEEN_STATES", -1.0)
        counted, take = iter(range(calls)), Stream.take

        def stop(self: Stream, *arguments: Any) -> None:
            if next(counted, None) is None:
                raise Stop
            take(self, *arguments)

        with monkeypatch.context() as patch:
            patch.setattr(Stream, "take", stop)
            with pytest.raises(Stop):
                main([*self.ARGUMENTS, "--per-sentence", "per.parquet"])

    @pytest.mark.parametrize("calls", [2, 3, 9])
    def test_a_run_goes_on_where_it_was(
        self, calls: int, files: Path, run: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = run(*self.ARGUMENTS, "--per-sentence", "whole.parquet")
        self.stopped(monkeypatch, calls)
        assert not (files / "per.parquet").exists()
        assert run(*self.ARGUMENTS, "--per-sentence", "per.parquet", "--resume") == whole
        assert scale.read("per.parquet").equals(scale.read("whole.parquet"))
        assert not (files / "per.parquet.journal").exists()

    @pytest.mark.parametrize(("place", "again"), [("StateJournal.discard", ["--resume"]), ("shutil.rmtree", [])])
    def test_a_run_that_ends_while_it_cleans_up_can_be_repeated(
        self, place: str, again: list[str], files: Path, run: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def stop(*_: object, **__: object) -> None:
            raise Stop

        arguments = [*self.ARGUMENTS[:-1], "50", "--per-sentence", "per.parquet"]
        monkeypatch.setattr(streaming, "_SECONDS_BETWEEN_STATES", -1.0)
        with monkeypatch.context() as patch:
            patch.setattr(f"gecbench.formats.journal.{place}", stop)
            with pytest.raises(Stop):
                main(arguments)
        assert (files / "per.parquet.journal" / "state.npz").exists() == bool(again)
        whole = run(*self.ARGUMENTS)
        assert run(*arguments, *again) == whole
        assert sorted(path.name for path in files.glob("per*")) == ["per.parquet"]

    def test_standard_input_has_to_come_again_from_its_beginning(
        self, files: Path, refused: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from_input = tuple("-" if word == "output.txt" else word for word in self.ARGUMENTS)
        monkeypatch.setattr(self, "ARGUMENTS", from_input, raising=False)
        monkeypatch.setattr("sys.stdin", (files / "output.txt").open())
        self.stopped(monkeypatch, 9)
        (files / "rest.txt").write_text("".join(f"{line}\n" for line in OUTPUTS[:12]))
        monkeypatch.setattr("sys.stdin", (files / "rest.txt").open())
        refused([*from_input, "--per-sentence", "per.parquet", "--resume"], "ends before the 20 sentences")

    def test_before_the_first_state_nothing_is_left(self, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stopped(monkeypatch, 1)
        assert not list(files.glob("per*"))

    def test_what_does_not_fit_is_refused(self, files: Path, refused: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        per = ["--per-sentence", "per.parquet"]
        refused([*self.ARGUMENTS, *per, "--resume"], "no unfinished run is here. Start it without --resume")
        self.stopped(monkeypatch, 4)
        refused([*self.ARGUMENTS, *per], "an unfinished run is here. Go on with --resume, or delete the folder")
        other = [*self.ARGUMENTS[:-3], "--batch-size", "5", *per, "--resume"]
        refused(other, "belongs to a run with other files or options")
        (files / "output.txt").write_text("changed\n" * 42)
        refused([*self.ARGUMENTS, *per, "--resume"], "belongs to a run with other files or options")

    def test_where_nothing_can_be_written_a_run_goes_to_its_end(
        self, files: Path, run: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def no_space(*_: object) -> None:
            raise OSError(28, "No space left on device")

        expected = run(*self.ARGUMENTS)
        monkeypatch.setattr(streaming, "_SECONDS_BETWEEN_STATES", -1.0)
        monkeypatch.setattr(streaming.StateJournal, "save", no_space)
        with pytest.warns(UserWarning, match="a run that is stopped cannot go on: .*No space left") as warned:
            assert run(*self.ARGUMENTS) == expected
        assert len(warned) == 1

    def test_what_was_seen_before_the_stop_still_counts(
        self, files: Path, refused: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """References that are shifted, but for the last lines, which alone come after the stop."""
        lines = (files / "source.txt").read_text().splitlines(keepends=True) * 24
        (files / "long.txt").write_text("".join(lines))
        (files / "shifted.txt").write_text("".join([*lines[1:601], *lines[600:]]))
        arguments = ["score", "--stream", "-s", "long.txt", "-r", "shifted.txt", "-p", "long.txt", "-m", "bleu"]
        arguments += ["--batch-size", "300"]
        monkeypatch.setattr(self, "ARGUMENTS", arguments, raising=False)
        self.stopped(monkeypatch, 2)
        refused([*arguments, "--per-sentence", "per.parquet", "--resume"], "2 of 4 batches, .* look shifted")

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_says_how_far_it_came(
        self, number: int, files: Path, run: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        arguments = ["score", "--stream", *TEXT, "-p", "-", "--batch-size", "5", "--per-sentence", "per.parquet"]
        lines = [f"{line}\n".encode() for line in OUTPUTS]
        command, pipe = [sys.executable, "-m", "gecbench", *arguments], subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as running:
            assert running.stdin
            running.stdin.write(b"".join(lines[:12]))
            running.stdin.flush()
            for _ in range(600):
                if (files / "per.parquet.journal").exists():
                    break
                time.sleep(0.1)
            running.send_signal(number)
            output, errors = running.communicate()
        assert (running.returncode, output) == (130, b"")
        assert re.search(rb"stopped after (5|10) sentences. The same command with --resume goes on", errors), errors
        monkeypatch.setattr("sys.stdin", (files / "output.txt").open())
        assert run(*arguments, "--resume").startswith("system")
        assert scale.scores(scale.read("per.parquet"))["gleu"] == gecbench.score(OUTPUTS, DEMO, "gleu")["gleu"]


class TestBadFiles:
    def test_rows_without_text(self, files: Path, refused: Any, run: Any) -> None:
        rows: list[Any] = [*OUTPUTS[:3], None, *OUTPUTS[4:]]
        pyarrow.parquet.write_table(pyarrow.table({"output": rows}), "null.parquet")
        arguments = ["score", "--stream", *TEXT, "-p", "null.parquet", "--batch-size", "10"]
        refused(arguments, r"1 row of the first 10 cannot be scored \(counted from 0\): row 3: prediction is missing")
        kept = [i for i in range(42) if i != 3]
        expected = gecbench.score([OUTPUTS[i] for i in kept], DEMO.select(kept), "gleu")["gleu"]
        (score,) = json.loads(run(*arguments, "--on-bad", "skip", "-f", "json"))["systems"][0]["scores"]
        assert score["value"] == expected.value
        assert "skipped:1" in score["signature"]

    @pytest.mark.parametrize("gold", [TEXT, ["-c", "demo"]], ids=["columns", "corpus"])
    def test_batches_of_faulty_rows_alone_are_in_the_table_of_sentences(
        self, gold: list[str], files: Path, run: Any
    ) -> None:
        rows: list[Any] = [*[None] * 10, *OUTPUTS[10:20], *[None] * 10, *OUTPUTS[30:37], *[None] * 5]
        pyarrow.parquet.write_table(pyarrow.table({"output": rows}), "null.parquet")
        arguments = ["score", "--stream", *gold, "-p", "null.parquet", "--on-bad", "skip", "-f", "json", "-m", "m2"]
        printed = json.loads(run(*arguments, "--batch-size", "5", "--per-sentence", "per.parquet"))
        table = scale.read("per.parquet")
        assert table["index"].to_pylist() == list(range(42))
        assert [fault is None for fault in table["fault"].to_pylist()] == [row is not None for row in rows]
        assert table["m2_score"].null_count == 25
        score = scale.scores(table)["m2"]
        assert score.signature["skipped"] == "25"
        assert printed["systems"][0]["scores"][0]["signature"] == str(score.signature)

    def test_a_parquet_file_that_is_broken_in_its_middle(self, files: Path, refused: Any) -> None:
        content = bytearray((files / "all.parquet").read_bytes())
        content[200:400] = bytes(200)
        (files / "broken.parquet").write_bytes(content)
        arguments = ["score", "--stream", *TEXT, "-p", "broken.parquet", "--column", "source"]
        refused(arguments, "broken.parquet: (cannot be read|not a whole)")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([*TEXT, "-p", "short.txt"], "short.txt:42: 41 predictions, but source.txt has more sentences"),
            (["-s", "short.txt", *TEXT[2:], "-p", "short.txt"], "ref0.txt.gz:42: more lines than short.txt"),
            (["-s", "source.txt", "-r", "short.txt", "-p", "output.txt"], "short.txt:42: fewer lines than source.txt"),
            (["-s", "short.txt", "-r", "short.txt", "-p", "output.txt"], "output.txt: more predictions than the 41"),
            ([*TEXT, "-p", "latin.txt"], "latin.txt:9: not UTF-8: byte 0xe9"),
            ([*TEXT, "-p", "broken.jsonl"], "broken.jsonl:9: not JSON"),
            ([*TEXT, "-p", "ids.jsonl"], "ids.jsonl: has a column 'id', but a stream pairs row by row"),
            ([*TEXT, "-p", "half.txt.gz"], "half.txt.gz: is not a whole gzip file"),
            ([*TEXT, "-p", "no.parquet"], "no.parquet: not a whole Parquet file"),
            ([*TEXT, "-p", "none.parquet"], "none.parquet: no such file"),
            ([*TEXT, "-p", "table.csv"], "table.csv: .csv is not read as a stream"),
            ([*TEXT, "-p", "none.txt"], "none.txt: no such file"),
            (["--gold", "broken.m2", "-p", "output.txt", "-m", "m2"], "broken.m2:2[0-9]: the span"),
            ([*TEXT, "-p", "output.txt", "--resamples", "9"], "keeps no counts to resample"),
            ([*TEXT, "-p", "output.txt", "output.txt"], "a stream is of one system"),
            ([*TEXT, "-p", "output.txt", "--by", "edit-distance"], "need all text at once"),
            ([*TEXT, "-p", "output.txt", "--per-sentence", "output.txt"], "output.txt: would be overwritten"),
            ([*TEXT, "-p", "output.txt", "--per-sentence", "/dev/null"], "/dev/null: is not a file that can be repl"),
            ([*TEXT, "-p", "output.txt", "--per-sentence", "."], "is not a file that can be replaced"),
            ([*TEXT, "-p", "output.txt", "--per-sentence", "none/per.parquet"], "none: no such folder. Make it first"),
            ([*TEXT, "-p", "output.txt", "--master", "local"], "--master and --index are for Spark"),
            ([*TEXT, "-p", "output.txt", "--engine", "spark"], "Spark reads Parquet files alone"),
            (["-p", "output.txt", "--engine", "spark", "--resume"], "--stream, --resume, .* are not for Spark"),
            (["-p", "output.txt"], "no corpus"),
        ],
    )  # fmt: skip
    def test_refused(self, arguments: list[str], message: str, files: Path, refused: Any) -> None:
        lines = (files / "output.txt").read_bytes().splitlines(keepends=True)
        (files / "short.txt").write_bytes(b"".join(lines[:-1]))
        (files / "latin.txt").write_bytes(b"".join([*lines[:8], b"caf\xe9\n", *lines[9:]]))
        (files / "no.parquet").write_bytes(b"PAR1")
        (files / "ids.jsonl").write_text("".join(json.dumps({"id": 1, "output": "a"}) + "\n" for _ in OUTPUTS))
        rows = (files / "output.jsonl").read_text().splitlines(keepends=True)
        (files / "broken.jsonl").write_text("".join([*rows[:8], "{\n", *rows[9:]]))
        (files / "half.txt.gz").write_bytes((files / "ref0.txt.gz").read_bytes()[:600])
        gold = (files / "gold.m2").read_text().splitlines(keepends=True)
        number = next(i for i, line in enumerate(gold) if i >= 19 and line.startswith("A ") and "noop" not in line)
        fields = gold[number].split("|||")
        (files / "broken.m2").write_text(
            "".join([*gold[:number], "|||".join(["A 98 99", *fields[1:]]), *gold[number + 1 :]])
        )
        before = sorted(files.iterdir())
        refused(["score", "--stream", "--batch-size", "3", *arguments], message)
        assert sorted(files.iterdir()) == before

    def test_shifted_references_are_refused(self, files: Path, refused: Any, run: Any) -> None:
        lines = (files / "source.txt").read_text().splitlines(keepends=True)
        (files / "shifted.txt").write_text("".join([*lines[1:], lines[0]]))
        arguments = ["score", "--stream", "-s", "source.txt", "-r", "source.txt", "shifted.txt", "-p", "output.txt"]
        refused([*arguments, "--batch-size", "5"], "shifted.txt: the references look shifted from line 1 on")
        assert "GLEU" in run(*arguments, "--aligned")

    def test_options_of_streams_alone(self, files: Path, refused: Any) -> None:
        refused(["score", *TEXT, "-p", "output.txt", "--resume"], "are for streams. Add --stream")
        refused(["score", *TEXT, "-p", "output.txt", "--on-bad", "skip"], "--on-bad is for streams and Spark")
