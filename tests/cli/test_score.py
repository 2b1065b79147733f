"""The score command: ways to name a corpus, formats of the result, and one clear sentence for bad input."""

import bz2
import gzip
import json
import lzma
from pathlib import Path

import pytest

import gecbench
from gecbench.cli import main
from gecbench.corpora.demo import DATA
from gecbench.errors import InputError
from gecbench.formats.jsonl import read_jsonl
from gecbench.formats.text import write_lines

DEMO = gecbench.load_demo()
SYSTEMS = [str(DATA / "systems" / f"{name}.txt") for name in ("do-nothing", "good-corrector")]
PLAIN = ["-s", str(DATA / "source.txt"), "-r", *(str(DATA / f"reference{k}.txt") for k in range(4))]


def value(output):
    return json.loads(output)["systems"][0]["scores"][0]["value"]


def test_all_ways_to_name_a_corpus_agree(run, tmp_path):
    expected = gecbench.GLEU().score_corpus(DEMO, gecbench.load_demo_systems()["good-corrector"]).value
    good = SYSTEMS[1]
    assert value(run("score", *PLAIN, "-p", good, "-f", "json")) == expected
    assert value(run("score", "-c", "demo", "-p", good, "-f", "json")) == expected
    run("convert", *PLAIN, "-o", tmp_path / "demo.jsonl")
    assert value(run("score", "-c", tmp_path / "demo.jsonl", "-p", good, "-f", "json")) == expected
    packed = tmp_path / "out.txt.gz"
    packed.write_bytes(gzip.compress((DATA / "systems" / "good-corrector.txt").read_bytes()))
    output = json.loads(run("score", "-c", "demo", "-p", packed, "-f", "json"))
    assert output["systems"][0]["system"] == "out"
    assert value(json.dumps(output)) == expected


def test_json_has_one_shape(run):
    for extra in ([], ["--resamples", "20"]):
        found = json.loads(run("score", *PLAIN, "-p", *SYSTEMS, "-m", "gleu", "bleu", "-f", "json", *extra))
        assert [entry["system"] for entry in found["systems"]] == ["good-corrector", "do-nothing"]
        for entry in found["systems"]:
            for scored in entry["scores"]:
                assert set(scored) == {"metric", "value", "parts", "diagnostics", "interval", "sentences", "signature"}
                assert (scored["interval"] is None) == (not extra)
                assert gecbench.make_metric(scored["signature"]).name == scored["metric"]
        assert found["tests"] == []
    compared = json.loads(run("compare", *PLAIN, "-p", *SYSTEMS, "--resamples", "20", "-f", "json"))
    (test,) = compared["tests"]
    assert (test["system"], test["baseline"], test["p_value"]) == ("good-corrector", "do-nothing", 1 / 21)


def test_per_sentence(run):
    scores = gecbench.score(gecbench.load_demo_systems()["good-corrector"], DEMO)["gleu"].sentence_scores()
    rows = run("score", "-c", "demo", "-p", SYSTEMS[1], "--per-sentence", "-f", "tsv").splitlines()
    assert rows[0] == "id\tgleu"
    assert rows[1:] == [f"{i}\t{100 * score:.2f}" for i, score in enumerate(scores, start=1)]
    objects = run("score", "-c", "demo", "-p", SYSTEMS[1], "--per-sentence", "-f", "json").splitlines()
    assert [json.loads(line)["value"] for line in objects] == scores.tolist()


def test_a_large_corpus_gets_a_hint_about_streams(capsys, monkeypatch):
    from gecbench.cli import score

    monkeypatch.setattr(score, "_LARGE", 42)
    assert main(["score", "-c", "demo", "-p", SYSTEMS[1]]) == 0
    assert capsys.readouterr().err.startswith("gecbench: scoring 42 sentences at once. To save memory and see progress")


SOURCES = ["He go home .", "They is here .", "A cat sleep ."]
PREDICTIONS = ["He goes home .", "They are here .", "A cat sleeps ."]
REFERENCES = [
    ["He goes home .", "He went home ."],
    ["They are here .", "They were here ."],
    ["A cat sleeps .", "Cats sleep ."],
]
GOOD = {"sources": SOURCES, "predictions": PREDICTIONS, "references": REFERENCES}
TRANSPOSED = [list(column) for column in zip(*REFERENCES, strict=True)]


def text(lines):
    return "".join(f"{line}\n" for line in lines).encode()


M2 = b"S He go home .\nA 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0\n\n"
GOOD_FILES = {"s": text(SOURCES), "p": text(PREDICTIONS), "r0": text(TRANSPOSED[0]), "r1": text(TRANSPOSED[1])}
SCORE_FILES = ["score", "-s", "s", "-r", "r0", "r1", "-p", "p"]


@pytest.fixture
def good_files(folder):
    for name, content in GOOD_FILES.items():
        (folder / name).write_bytes(content)
    return folder


BAD_FILES = {
    "fewer predictions": ({"p": text(PREDICTIONS[:2])}, r"p:3: 2 lines, but s has 3 sentences"),
    "more predictions": ({"p": text([*PREDICTIONS, "x"])}, r"p:4: 4 lines, but s has 3 sentences"),
    "fewer references": ({"r1": text(["a"])}, r"r1:2: 1 line, but .*s has 3 sentences"),
    "not UTF-8": ({"p": b"fine\ncaf\xe9\nx\n"}, r"p:2: not UTF-8: byte 0xe9 at offset 8"),
    "UTF-16": (
        {"p": "a\nb\nc\n".encode("utf-16")},
        r"p: is UTF-16 text, not UTF-8\. Convert the file first: iconv -f utf-16 -t utf-8 p\.",
    ),
    "UTF-16 without a mark": (
        {"p": text(PREDICTIONS).decode().encode("utf-16le")},
        r"p: is UTF-16LE text, not UTF-8\. Convert the file first: iconv -f utf-16le -t utf-8 p\.",
    ),
    "UTF-16, the other way round": (
        {"s": text(SOURCES).decode().encode("utf-16be")},
        r"s: is UTF-16BE text, not UTF-8\. Convert the file first: iconv -f utf-16be -t utf-8 s\.",
    ),
    "gzip": ({"p": gzip.compress(text(PREDICTIONS))}, r"p: is a gzip file, not text\. Rename it to end in \.gz\."),
    "bzip2": ({"p": bz2.compress(b"a\n")}, r"p: is a bzip2 file, not text\. Unpack it\."),
    "xz": ({"p": lzma.compress(b"a\n")}, r"p: is an xz file, not text\. Unpack it\."),
    "Zstandard": ({"p": b"\x28\xb5\x2f\xfd\x00"}, r"p: is a Zstandard file, not text\. Unpack it\."),
    "zip": ({"p": b"PK\x03\x04\x14\0"}, r"p: is a zip archive, not text\. Unpack it, or export its text as UTF-8\."),
    "an empty corpus": ({"s": b"", "p": b"", "r0": b"", "r1": b""}, r"s: the file is empty"),
    "carriage returns alone": ({"p": b"a\rb\rc\r"}, r"p:1: the lines end with a carriage return only.*tr "),
    "a missing file": ({"p": None}, r"p: no such file"),
    "a missing reference": ({"r0": None}, r"r0: no such file"),
    "a directory": ({"p": "directory"}, r"p: is a directory"),
    "a directory as source": ({"s": "directory"}, r"s: is a directory"),
}


@pytest.mark.parametrize(("change", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_command_line(change, message, good_files, refused):
    for name, content in change.items():
        (good_files / name).unlink()
        if content == "directory":
            (good_files / name).mkdir()
        elif content is not None:
            (good_files / name).write_bytes(content)
    refused(SCORE_FILES, message)


BAD_CORPORA = {
    "plain text as a corpus": (
        ["-c", "s", "-p", "p"],
        r"s: is plain text, not a corpus file \(\.m2, \.xml, \.jsonl\)\. Give sources with -s and references with -r",
    ),
    "plain text as gold edits": (
        ["--gold", "s", "-p", "p"],
        r"s: is not an M2 file: no line starts with 'S '\. Give sources with -s and references with -r\.$",
    ),
    "a table as a corpus": (
        ["-c", "all.csv", "-p", "p"],
        r"all\.csv: a corpus cannot be a \.csv file\. Give it with both -s and -r to read its columns\.$",
    ),
    "M2 as the sources": (
        ["-s", "gold.txt", "-r", "r0", "-p", "p"],
        r"gold\.txt: is an M2 file, not plain text\. Use --gold instead of -s and -r: the file has both",
    ),
    "M2 as a reference": (["-s", "s", "-r", "r0", "gold.txt", "-p", "p"], r"gold\.txt: is an M2 file, not plain text"),
    "M2 as the sources of a stream": (
        ["--stream", "-s", "gold.txt", "-r", "r0", "-p", "p"],
        r"gold\.txt: is an M2 file, not plain text\. Use --gold instead of -s and -r: the file has both",
    ),
    "metrics with a comma": (
        ["-s", "s", "-r", "r0", "-p", "p", "-m", "gleu,m2"],
        r"'gleu,m2' is more than one metric\. Pass -m gleu m2\.",
    ),
    "metrics with commas and parameters": (
        ["-s", "s", "-r", "r0", "-p", "p", "-m", "gleu(draws=py3,order=2), m2(beta=1)"],
        r"Pass -m 'gleu\(draws=py3,order=2\)' 'm2\(beta=1\)'",
    ),
    "an unknown metric in capitals": (
        ["-s", "s", "-r", "r0", "-p", "p", "-m", "GLUE"],
        r"unknown metric 'GLUE'\. Did you mean gleu\?$",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), BAD_CORPORA.values(), ids=BAD_CORPORA)
def test_what_is_given_as_something_else_is_named(arguments, message, good_files, refused):
    (good_files / "gold.txt").write_bytes(M2)
    (good_files / "all.csv").write_text("source,reference\nHe go home .,He goes home .\n")
    refused(["score", *arguments], message)


def test_a_metric_may_have_capitals(run):
    arguments = ["score", "-c", "demo", "-p", SYSTEMS[1]]
    assert run(*arguments, "-m", "GLEU", "M2(beta=1)") == run(*arguments, "-m", "gleu", "m2(beta=1)")


BAD_M2 = {
    "a span beyond the end": (M2.replace(b"1 2", b"1 9"), r"g.m2:2: the span 1 9 does not fit a sentence of 4 tokens"),
    "a span that ends before it starts": (M2.replace(b"1 2", b"2 1"), r"g.m2:2: the span 2 1 does not fit"),
    "a negative span": (M2.replace(b"1 2", b"-1 -1"), r"g.m2:2: the span -1 -1 does not fit"),
    "a span that is no number": (
        M2.replace(b"1 2", b"one two"),
        r"g.m2:2: the span 'one two' is not two whole numbers\. Write",
    ),
    "one offset": (M2.replace(b"1 2", b"1"), r"g.m2:2: the span '1'"),
    "an annotator that is no number": (
        M2.replace(b"|||0", b"|||x"),
        r"g.m2:2: the annotator 'x' is not a whole number\. Write",
    ),
    "two fields": (b"S a\nA 1 2|||X\n", r"g.m2:2: the edit has 2 fields, not 6"),
    "a missing field": (M2.replace(b"|||REQUIRED", b""), r"g.m2:2: the edit has 5 fields, not 6"),
    "an S line missing": (M2 + M2.partition(b"\n")[2], r"g.m2:4: the block does not start with a source line"),
    "an empty line missing": (M2.strip() + b"\n" + M2, r"g.m2:3: not an edit line: 'S He go home \.'.*empty line"),
    "an S line without its S": (
        M2.replace(b"S He", b"He"),
        r"g.m2:1: the block .* source line but with 'He go home \.'",
    ),
    "a later S line without its S": (M2 + M2.replace(b"S He", b"He"), r"g.m2:4: the block .* but with 'He go home \.'"),
    "plain text": (b"He go home .\n\nA man go .\n", r"g.m2: is not an M2 file: no line starts with 'S '"),
    "a block of text": (M2 + b"# note\nHe go .\n\n" + M2, r"g.m2:5: the block .* source line but with 'He go \.'"),
    "text at the end": (M2 + b"The end", r"g.m2:4: the block does not start .* 'The end'"),
    "a comment among the edits": (M2.strip() + b"\n# unsure\n\n", r"g.m2:3: not an edit line: '# unsure'"),
    "two S lines in a block": (b"S He .\n" + M2, r"g.m2:2: not an edit line: 'S He go home \.'.*empty line before"),
    "a line of another kind": (M2.strip() + b"\nhello\n\n", r"g.m2:3: not an edit line: 'hello'"),
    "no sentences": (b"\n\n", r"g.m2: no sentences"),
    "overlapping edits": (
        M2.strip() + b"\nA 0 2|||Others|||She goes|||REQUIRED|||-NONE-|||0\n\n",
        r"the edit of tokens \[1, 2\) overlaps",
    ),
    "not UTF-8": (M2.replace(b"home", b"\xff"), r"g.m2:1: not UTF-8"),
}


def edited(**fields):
    edit = {"start": 0, "end": 1, "corrections": ["x"], "type": "T", **fields}
    row = {"source": "a b", "annotations": [{"annotator": 0, "edits": [edit]}]}
    return text([json.dumps({"source": "a", "annotations": []}), json.dumps(row)])


def grouped(**fields):
    change = {"start": 0, "end": 1, "text": "x"}
    change |= {name: fields.pop(name) for name in change.keys() & fields}
    group = {"alternatives": [{"annotator": "0", "replacements": [change]}], "required": True, "type": "T"}
    group |= {name: fields.pop(name) for name in group.keys() & fields}
    return text([json.dumps({"source": "a b", "groups": {"groups": [group], "annotators": 1, **fields}})])


def test_the_bad_files_are_made_from_good_ones(folder):
    for made in (edited(), grouped()):
        (folder / "c.jsonl").write_bytes(made)
        assert read_jsonl("c.jsonl").sources[-1] == "a b"


BAD_JSONL = {
    "not JSON": (b'{"source": \n', r"c.jsonl:1: not JSON"),
    "not an object": (b"[1]\n", r"c.jsonl:1: not a JSON object"),
    "no source": (b'{"references": ["a"]}\n', r"c.jsonl:1: 'source' is missing or not a string"),
    "a string for references": (b'{"source": "a", "references": "a"}\n', r"c.jsonl:1: 'references' is not a list"),
    "no references for a sentence": (
        b'{"source": "a", "references": ["a"]}\n{"source": "a", "references": []}\n',
        r"c.jsonl:2: 'references' is not a list",
    ),
    "references on some lines": (
        b'{"source": "a", "references": ["a"]}\n{"source": "a"}\n',
        r"c.jsonl:2: .*some lines",
    ),
    "bad annotations": (
        b'{"source": "a", "annotations": [{"edits": 3}]}\n',
        r"c.jsonl:1: 'annotations' cannot be read",
    ),
    "corrections that are a string": (
        edited(corrections="cat"),
        r"c.jsonl:2: corrections is 'cat', not a list of strings. For a deletion, write \[\"\"\]",
    ),
    "no corrections": (edited(corrections=[]), r"c.jsonl:2: corrections is \(\), not a list of strings"),
    "a correction that is null": (edited(corrections=[None]), r"c.jsonl:2: corrections is \(None,\), not a list"),
    "a fractional span": (edited(start=0.5), r"c.jsonl:2: start is 0.5, not a whole number"),
    "a span of strings": (edited(start="0", end="1"), r"c.jsonl:2: start is '0', not a whole number"),
    "a span of truths": (edited(start=False), r"c.jsonl:2: start is False, not a whole number"),
    "a span of 33 bits": (edited(end=2**32), r"c.jsonl:2: the span 0 4294967296 does not fit a sentence of 2 tokens"),
    "a span beyond the end": (edited(end=3), r"c.jsonl:2: the span 0 3 does not fit a sentence of 2 tokens"),
    "a span that ends before it starts": (edited(start=2), r"c.jsonl:2: the span 2 1 does not fit"),
    "a negative span": (edited(start=-1), r"c.jsonl:2: the span -1 1 does not fit"),
    "a type that is a number": (edited(type=3), r"c.jsonl:2: type is 3, not a string"),
    "a field that edits have not": (
        edited(begin=3),
        r"c.jsonl:2: 'annotations' cannot be read: unknown 'begin'. Each annotation needs",
    ),
    "an edit without its span": (
        edited().replace(b'"start": 0, "end": 1, ', b""),
        r"c.jsonl:2: 'annotations' cannot be read: missing 'start' and 'end'. Each annotation needs",
    ),
    "an edit without corrections": (
        edited().replace(b', "corrections": ["x"]', b""),
        r"c.jsonl:2: 'annotations' cannot be read: missing 'corrections'. Each annotation needs",
    ),
    "an infinite annotator": (
        edited().replace(b'"annotator": 0', b'"annotator": 1e400'),
        r"c.jsonl:2: annotator is inf, not a whole number",
    ),
    "an annotator of 65 bits": (
        edited().replace(b'"annotator": 0', b'"annotator": 36893488147419103232'),
        r"c.jsonl:2: annotator is 36893488147419103232, not a whole number that fits in 32 bits",
    ),
    "annotations that are null": (
        b'{"source": "a b", "annotations": [null]}\n',
        r"c.jsonl:1: 'annotations' cannot be read: a value of the wrong type. Each annotation needs",
    ),
    "edits that are null": (
        b'{"source": "a b", "annotations": [{"annotator": 0, "edits": [null]}]}\n',
        r"c.jsonl:1: 'annotations' cannot be read",
    ),
    "groups that are null": (grouped(groups=[None]), r"c.jsonl:1: 'groups' cannot be read"),
    "annotators that are a string": (grouped(annotators="x"), r"c.jsonl:1: annotators is 'x', not a whole number"),
    "more annotators than bytes": (
        grouped(annotators=10**9),
        r"c.jsonl:1: 1,000,000,000 annotators for a sentence of",
    ),
    "a script that is a number": (grouped(script=1), r"c.jsonl:1: script is 1, not a string"),
    "a replacement beyond the end": (grouped(end=3), r"c.jsonl:1: the span 0 3 does not fit a sentence of 2 tokens"),
    "a replacement at a string": (grouped(end="1"), r"c.jsonl:1: end is '1', not a whole number"),
    "a replacement by a number": (grouped(text=1), r"c.jsonl:1: text is 1, not a string"),
    "required that is a string": (grouped(required="no"), r"c.jsonl:1: required is 'no', not true or false"),
    "no references at all": (b'{"source": "a"}\n', r"GLEU needs references, but c.jsonl has none"),
    "an empty file": (b"", r"c.jsonl: the file is empty"),
}


@pytest.mark.parametrize(
    ("option", "file", "content", "message"),
    [
        pytest.param(option, file, *case, id=f"{file} {name}")
        for option, file, cases in (("--gold", "g.m2", BAD_M2), ("-c", "c.jsonl", BAD_JSONL))
        for name, case in cases.items()
    ],
)
def test_gold_on_the_command_line(option, file, content, message, folder, refused):
    (folder / file).write_bytes(content)
    (folder / "p").write_text("He goes home .\n")
    refused(["score", option, file, "-p", "p"], message)


BAD_USES = {
    "unknown metric": (["-m", "bertscore"], r"unknown metric 'bertscore'.*Known metrics: gleu"),
    "unknown parameter": (["-m", "gleu(n=3)"], r"gleu has no parameter 'n'.*order"),
    "parameter of the wrong kind": (["-m", "gleu(order=four)"], r"gleu: order='four' is not a whole number\."),
    "parameter without a value": (["-m", "m2(beta)"], r"m2: beta has no value\. Write beta=0\.5, for example\."),
    "parameter given twice": (["-m", "gleu(order=4,order=3)"], r"gleu: order is given twice\. Give it once\."),
    "values joined with a comma": (
        ["-m", "m2(annotators=0,1)"],
        r"m2: '1' is not a parameter\. Join several values with \+: annotators=0\+1\.",
    ),
    "a word after a choice": (["-m", "gleu(draws=py3,4)"], r"gleu has no parameter '4'"),
    "unknown value": (["-m", "gleu(draws=py5)"], r"draws='py5' is unknown"),
    "broken metric": (["-m", "gleu(order=4"], r"cannot parse the metric"),
    "the same file twice": (["-p", "p", "p"], r"p: this file is given twice with -p"),
    "two corpora": (["-c", "demo"], r"more than one corpus"),
    "standard input twice": (["-p", "-", "-"], r"standard input \(-\) is used more than once"),
}


@pytest.mark.parametrize(("options", "message"), BAD_USES.values(), ids=BAD_USES)
def test_wrong_use(options, message, good_files, refused):
    refused([*SCORE_FILES, *options], message)


def test_a_bad_metric_is_refused_before_anything_is_said(good_files, refused):
    said = refused([*SCORE_FILES, "--clean", "-m", "gleu(order=0)"])
    assert said == "gecbench: gleu: order=0 is not a whole number of at least 1.\n"


def test_truncated_gzip(tmp_path, refused):
    path = tmp_path / "p.gz"
    path.write_bytes(gzip.compress(text(PREDICTIONS))[:-12])
    refused(["score", "-c", "demo", "-p", str(path)], r"p.gz: the gzip file is damaged")
    path.write_bytes(b"He go .\n")
    refused(
        ["score", "-c", "demo", "-p", str(path)], r"p.gz: is not a gzip file\. Rename it, or compress it with gzip\."
    )


def test_a_gzip_bomb_is_refused(tmp_path, refused, monkeypatch):
    monkeypatch.setattr("gecbench.formats.text.MOST_UNPACKED", 2**20)
    path = tmp_path / "p.gz"
    path.write_bytes(gzip.compress(bytes(2**22)))
    refused(["score", "-c", "demo", "-p", str(path)], r"p.gz: unpacks to more than .* GiB. Unpack it first")
    path.write_bytes(gzip.compress(text(DEMO.sources)) + gzip.compress(b""))
    assert main(["score", "-c", "demo", "-p", str(path)]) == 0


@pytest.mark.parametrize("number", [99_999_999_999, 10_000_001])
def test_resamples_without_end_are_refused(number, refused):
    systems = DATA / "systems" / "good-corrector.txt"
    message = f"{number:,} resamples are more than the limit of 10,000,000"
    refused(["score", "-c", "demo", "-p", systems, "--resamples", str(number)], message)
    with pytest.raises(gecbench.InputError, match=message):
        gecbench.load_metric("gleu").compute(**GOOD, resamples=number)


def test_gold_edits_are_scored_without_applying_them(folder, run, refused):
    """Overlapping edits cannot be applied, which M2 does not ask for."""
    edits = [f"A {span}|||T|||x|||REQUIRED|||-NONE-|||0" for span in ("0 2", "1 2")]
    write_lines("overlap.m2", ["S a b", *edits])
    write_lines("one.txt", ["x"])
    found = json.loads(run("score", "-m", "m2", "--gold", "overlap.m2", "-p", "one.txt", "-f", "json"))
    assert found["systems"][0]["scores"][0]["parts"]["correct"] == 1
    assert "overlaps" in refused(["score", "-m", "m2", "gleu", "--gold", "overlap.m2", "-p", "one.txt"])


def test_parameters_in_brackets(three_files, run):
    metric = "m2(beta=1,annotators=0+1,policy=average,release=3.2,ignore_whitespace_casing=yes)"
    output = run("score", "-m", metric, "--gold", "gold.m2", "-p", "out.txt")
    assert "|beta:1.0|unchanged:2|case:ignored|release:3.2|policy:average|annotators:0+1|" in output


class TestEditsOfSeveralAnnotators:
    """Predictions are one system's: a gold file of two annotators is refused until one of them is chosen."""

    TEXTS = (
        ("Our fox ran up that hill .", "Our hens .", "Young wolves are pack hunters ."),
        ("Our fox ran at hill .", "Our hen .", "Young wolf is a pack hunter ."),
    )
    SCORE = ("score", "--gold", "gold.m2", "-m", "m2", "gleu", "-f", "json")

    @pytest.mark.parametrize("stream", [[], ["--stream"], ["--stream", "--batch-size", "1"]])
    def test_refused(self, stream, three_files, refused):
        said = refused([*self.SCORE, "-p", "gold.m2", *stream])
        assert "edits of 2 annotators (0, 1), but predictions come from one system" in said
        assert "Choose one annotator, for example --annotator 0" in said

    @pytest.mark.parametrize("stream", [[], ["--stream"], ["--stream", "--batch-size", "1"]])
    @pytest.mark.parametrize("annotator", [0, 1])
    def test_one_is_chosen(self, annotator, stream, three_files, run):
        """An annotator who is not listed for a sentence left it as it is."""
        write_lines("gold.txt", self.TEXTS[annotator])
        found, expected = (
            json.loads(run(*self.SCORE, "-p", *predictions, *stream))["systems"][0]
            for predictions in (("gold.m2", "--annotator", annotator), ("gold.txt",))
        )
        assert found["system"] == expected["system"] == "gold"
        assert found["scores"] == expected["scores"]

    @pytest.mark.parametrize(
        ("stream", "fix"), [([], "Choose one of 0, 1"), (["--stream"], "Choose another --annotator")]
    )
    def test_one_that_is_not_there(self, stream, fix, three_files, refused):
        refused(
            [*self.SCORE, "-p", "gold.m2", "--annotator", "2", *stream], f"gold.m2: there is no annotator 2. {fix}."
        )

    @pytest.mark.parametrize("stream", [[], ["--stream"]])
    def test_text_has_none(self, stream, three_files, refused):
        refused([*self.SCORE, "-p", "out.txt", "--annotator", "0", *stream], "out.txt: only an M2 file has annotators")

    def test_in_python(self, three_files):
        with pytest.raises(gecbench.InputError, match=r"edits of 2 annotators \(0, 1\)"):
            gecbench.score(Path("gold.m2"), "gold.m2", "m2")
        chosen = gecbench.score(Path("gold.m2"), "gold.m2", "m2", annotator=1)["m2"]
        assert chosen.value == gecbench.score(self.TEXTS[1], "gold.m2", "m2")["m2"].value
        systems = {"one": Path("gold.m2"), "two": Path("gold.m2")}
        assert gecbench.compare(systems, "gold.m2", "m2", annotator=1, resamples=2)["two"]["m2"].value == chosen.value
        with pytest.raises(
            gecbench.InputError, match="annotator=1 is only for M2 files, but the predictions are not a file"
        ):
            gecbench.score(self.TEXTS[1], "gold.m2", "m2", annotator=1)

    def test_on_a_board(self, three_files, refused, run):
        submit = ["leaderboard", "submit", "-c", "gold.m2", "-p", "gold.m2", "--name", "x", "--dry-run"]
        refused(submit, "gold.m2: edits of 2 annotators")
        assert "rank 1 of 1" in run(*submit, "--annotator", "0")


def test_scores_by_error_type(three_files, run, refused):
    output = run("score", "-m", "m2", "--gold", "gold.m2", "-p", "out.txt", "--by", "error-type", "-f", "json")
    found = json.loads(output)["systems"]["out"]
    assert [(part["type"], part["correct"], part["gold"]) for part in found][:2] == [("Det", 2, 2), ("Noun", 0, 1)]
    table = run("score", "-m", "m2", "--gold", "gold.m2", "-p", "out.txt", "--by", "error-type")
    assert table.splitlines()[2].split() == ["Det", "out", "2", "2", "100.00", "50.00", "100.00", "55.56"]
    assert "gleu has no scores by error-type" in refused(
        ["score", "-c", "demo", "-p", DATA / "source.txt", "--by", "error-type"]
    )


# Edits by ChERRANT: target lines before the edits, and a name that does not end in .m2. One source has another width.
CHERRANT_GOLD = """S 他 说 : 我 去 了 学 校 。
T0-A0 他 说 : 我 去 学 校 了 。
A 5 8|||W|||学 校 了|||REQUIRED|||-NONE-|||0

S 我 有 一 本 的 书 。
T0-A0 我 有 一 本 书 。
A 4 5|||R||||||REQUIRED|||-NONE-|||0

S 很 好 。
T0 没有错误
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
CHERRANT_SYSTEM = CHERRANT_GOLD.replace(" : ", " ： ").replace("A 5 8|||W|||学 校 了", "A 5 6|||R|||")


class TestCherrant:
    @pytest.fixture(autouse=True)
    def files(self, folder):
        Path("gold.m2.char").write_text(CHERRANT_GOLD, encoding="utf-8")
        Path("system.m2.char").write_text(CHERRANT_SYSTEM, encoding="utf-8")
        Path("out.txt").write_text("他 说 : 我 去 学 校 。\n我 有 一 本 书 。\n很 好 。\n", encoding="utf-8")

    def test_every_command_reads_its_m2(self, run):
        """Of two gold edits the system makes one, and one that is wrong: P 1/2, R 1/2."""
        width = "--ignore-width"
        for gold in ("--gold", "-c"):
            options = ("score", gold, "gold.m2.char", "-f", "json")
            for found in (
                json.loads(run(*options, "-m", "errant", "-p", "system.m2.char", width)),
                json.loads(run(*options, "-m", "m2", "-p", "out.txt", "--aligned")),
                json.loads(run(*options, "-m", "m2", "-p", "system.m2.char", width)),
            ):
                (scored,) = found["systems"][0]["scores"]
                assert scored["value"] == 0.5
        stream = run("score", "--stream", "-m", "m2", "--gold", "gold.m2.char", "-p", "gold.m2.char", "-f", "json")
        assert json.loads(stream)["systems"][0]["scores"][0]["value"] == 1.0
        assert "1\t1\t1\t0.5\t0.5\t0.5" in run(
            "errant_compare", "-hyp", "system.m2.char", "-ref", "gold.m2.char", width
        )
        assert "F_0.5       : 0.5000" in run("m2scorer", "out.txt", "gold.m2.char")
        assert (
            run("convert", "system.m2.char", "--annotator", "0", "-o", "-").splitlines()[0] == "他 说 ： 我 去 学 校 。"
        )
        assert "学 校 了" in run("explain", "-m", "errant", "--gold", "gold.m2.char", "-p", "system.m2.char", width)
        compared = run("compare", "--gold", "gold.m2.char", "-m", "m2", "-p", "out.txt", "gold.m2.char", "--aligned")
        assert "gold.m2.char" in compared

    def test_sources_of_another_width_are_refused_with_the_way_out(self, refused):
        hint = "differences between full-width and half-width characters, (pass|use) --ignore-width"
        refused(["score", "-m", "errant", "--gold", "gold.m2.char", "-p", "system.m2.char"], hint)
        refused(["errant_compare", "-hyp", "system.m2.char", "-ref", "gold.m2.char"], hint, status=1)

    def test_in_python(self):
        predictions = Path("system.m2.char")
        found = gecbench.score(predictions, "gold.m2.char", ["errant"], ignore_width=True)
        assert found["errant"].value == 0.5
        with pytest.raises(InputError, match="half-width characters, pass ignore_width=True"):
            gecbench.score(predictions, "gold.m2.char", ["errant"])

    def test_a_board_takes_them(self, run):
        options = ("--board", "board", "-c", "gold.m2.char", "-p", "system.m2.char", "--aligned", "--format", "json")
        record = json.loads(run("leaderboard", "submit", "--name", "one", *options))
        assert record["scores"]["m2"]["value"] == 0.5


def test_the_sample_of_cherrant_gives_the_digits_of_its_own_program(mirror, run):
    folder = "raw.githubusercontent.com/HillZhang1999/MuCGEC/39221934ee4ccf07801879136a75dd7e11319977"
    samples = mirror.mirror / folder / "scorers/ChERRANT/samples"
    files = (samples / "demo.hyp.m2.char", samples / "demo.ref.m2.char")
    printed = run("errant_compare", "-hyp", files[0], "-ref", files[1], "--ignore-width")
    assert "8\t19\t35\t0.2963\t0.186\t0.2649" in printed
    scored = json.loads(
        run("score", "-m", "errant", "-p", files[0], "--gold", files[1], "--ignore-width", "-f", "json")
    )
    assert round(scored["systems"][0]["scores"][0]["value"], 4) == 0.2649
