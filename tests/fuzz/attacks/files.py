"""Hostile files through the commands that read them."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from hypothesis import strategies as st

import gecbench

from .. import formats
from ..confined import Case
from ..explore import attack
from ..formats import damaged

METRICS = [name for name, metric in gecbench.METRICS.items() if metric.extra is None]
metrics = st.lists(st.sampled_from(METRICS), min_size=1, max_size=2, unique=True)
printed = st.sampled_from([[], ["-f", "json"], ["-f", "markdown"], ["-f", "tsv"], ["-f", "latex"]])
TOKENIZED = ["--tokenized", "--aligned"]
preprocessing = st.sampled_from(
    [TOKENIZED, TOKENIZED, [], ["--clean", *TOKENIZED], ["--tokenize", "auto", "--aligned"]]
)
counts = st.integers(1, 4)


def scoring(gold: Sequence[str], prediction: str) -> st.SearchStrategy[list[str]]:
    """Return commands that score or explain predictions."""
    score = st.builds(
        lambda ways, shape, taken, more: ["score", *gold, "-p", prediction, *taken, "-m", *ways, *shape, *more],
        *(metrics, printed, preprocessing, st.sampled_from([[], ["--per-sentence"], ["--resamples", "20"]])),
    )
    broken_down = st.builds(
        lambda way, what: ["score", *gold, "-p", prediction, *TOKENIZED, "-m", way, "--by", what],
        *(st.sampled_from(METRICS), st.sampled_from(["edit-distance", "references", "error-type", "operation"])),
    )
    explain = st.sampled_from(["m2", "imeasure"]).map(
        lambda way: ["explain", *gold, "-p", prediction, *TOKENIZED, "-m", way]
    )
    bound = st.sampled_from(METRICS).map(lambda way: ["human", "bound", *gold, "-m", way, "--aligned"])
    return st.one_of(score, score, broken_down, explain, bound)


def cases(
    commands: st.SearchStrategy[list[str]],
    statuses: Sequence[int] = (0, 2),
    outputs: Sequence[str] = (),
    **files: st.SearchStrategy[bytes],
) -> st.SearchStrategy[Case]:
    """Return runs of the commands with these files; `a_txt` is a.txt, and `outputs` may be made."""
    named = st.fixed_dictionaries({name.replace("_", "."): content for name, content in files.items()})
    return st.builds(
        lambda command, found: Case(command, found, frozenset(outputs), frozenset(statuses)), commands, named
    )


def texts(count: int) -> st.SearchStrategy[Case]:
    """Return parallel text, scored, converted, tokenized or compared."""
    lines = damaged(formats.text_lines(count) | formats.text_lines(count, formats.plain_sentences))
    gold = ["-s", "s.txt", "-r", "r.txt", "q.txt"]
    ending = st.sampled_from([".m2", ".xml", ".jsonl"])
    commands = st.one_of(
        scoring(gold, "p.txt"),
        st.just(["compare", *gold, "-p", "p.txt", "s.txt", *TOKENIZED, "--resamples", "20"]),
        ending.map(lambda end: ["convert", *gold, "-o", f"out{end}"]),
        st.sampled_from(["treebank", "moses", "13a", "intl", "char"]).map(lambda way: ["tokenize", "p.txt", "-t", way]),
        st.just(["tokenize", "p.txt", "-s", "s.txt", "-o", "out.txt"]),
        st.just(["detokenize", "p.txt", "-o", "out.txt"]),
        st.just(["human", "change", *gold, "-p", "p.txt", *TOKENIZED]),
    )
    official = st.sampled_from([[], ["-d"], ["-n", "2"], ["--iter", "3"]]).map(
        lambda more: ["compute_gleu", "-s", "s.txt", "-r", "r.txt", "q.txt", "-o", "p.txt", *more]
    )
    files = {"s_txt": lines, "r_txt": lines, "q_txt": lines, "p_txt": lines}
    made = ["out.txt", "out.m2", "out.xml", "out.jsonl"]
    return cases(commands, outputs=made, **files) | cases(official, statuses=(0, 1, 2), **files)


def edits(count: int) -> st.SearchStrategy[Case]:
    """Return M2 files as gold and as predictions."""
    lines = formats.text_lines(count, formats.plain_sentences)
    gold = ["--gold", "g.m2"]
    ending = st.sampled_from([".xml", ".jsonl", ".m2"])
    commands = st.one_of(
        scoring(gold, "p.txt"),
        scoring(gold, "g.m2"),
        ending.map(lambda end: ["convert", "g.m2", "-o", f"out{end}"]),
        st.sampled_from("0139").map(lambda who: ["convert", "g.m2", "--annotator", who, "-o", "out.txt"]),
        st.just(["convert", "g.m2", "--to-source", "s.txt", "--to-references", "r.txt", "q.txt"]),
    )
    compared = ["errant_compare", "-hyp", "h.m2", "-ref", "g.m2"]
    official = st.sampled_from(
        [
            *(compared, [*compared, "-ds"], [*compared, "-dt", "-cat", "3"], [*compared, "-cse", "-v"]),
            *(["m2scorer", "p.txt", "g.m2"], ["m2scorer", "-v", "--ignore_whitespace_casing", "p.txt", "g.m2"]),
            *(["ieval", "-ref:g.m2", "-hyp:p.txt"], ["ieval", "-ref:g.m2", "-hyp:p.txt", "-nomix", "-per-sent"]),
        ]
    )
    files = {"g_m2": damaged(formats.m2(count)), "h_m2": damaged(formats.m2(count)), "p_txt": lines}
    made = ["out.txt", "out.m2", "out.xml", "out.jsonl", "s.txt", "r.txt", "q.txt"]
    return cases(commands, outputs=made, **files) | cases(official, statuses=(0, 1, 2), **files)


def groups(count: int) -> st.SearchStrategy[Case]:
    """Return I-measure XML files."""
    commands = st.one_of(
        scoring(["--gold", "g.xml"], "p.txt"),
        st.sampled_from([".m2", ".jsonl", ".xml"]).map(lambda end: ["convert", "g.xml", "-o", f"out{end}"]),
    )
    official = st.sampled_from([[], ["-nomix"], ["-vv"], ["-max:df", "-opt:corpus"], ["-per-sent", "-w:1e5"]]).map(
        lambda more: ["ieval", "-ref:g.xml", "-hyp:p.txt", *more]
    )
    files = {"g_xml": damaged(formats.xml(count)), "p_txt": formats.text_lines(count, formats.plain_sentences)}
    made = ["out.m2", "out.xml", "out.jsonl"]
    return cases(commands, outputs=made, **files) | cases(official, statuses=(0, 1, 2), **files)


def corpora(count: int) -> st.SearchStrategy[Case]:
    """Return corpora in JSON Lines."""
    commands = st.one_of(
        scoring(["-c", "c.jsonl"], "p.txt"),
        st.sampled_from([".m2", ".jsonl", ".xml"]).map(lambda end: ["convert", "c.jsonl", "-o", f"out{end}"]),
        st.just(["human", "change", "-c", "c.jsonl"]),
        st.just(["leaderboard", "submit", "-c", "c.jsonl", "-p", "p.txt", "--name", "x", "--dry-run", *TOKENIZED]),
    )
    files = {
        "c_jsonl": damaged(formats.corpus_rows(count)),
        "p_txt": formats.text_lines(count, formats.plain_sentences),
    }
    return cases(commands, outputs=["out.m2", "out.xml", "out.jsonl"], **files)


def tables(count: int) -> st.SearchStrategy[Case]:
    """Return predictions in tables."""
    rows = formats.table_rows(count)
    files = {
        "p_jsonl": damaged(formats.json_lines(rows)),
        "p_csv": damaged(formats.separated(",", rows)),
        "p_tsv": damaged(formats.separated("\t", rows)),
        "p_parquet": damaged(formats.parquet(rows)),
        "s_txt": formats.text_lines(count, formats.plain_sentences),
    }
    column = st.sampled_from([[], [], ["--column", "prediction"], ["--column", "id"], ["--column", ""]])

    def one(name: str) -> st.SearchStrategy[Case]:
        commands = column.map(lambda more: ["score", "-s", "s.txt", "-r", "s.txt", "-p", name, *TOKENIZED, *more])
        return cases(commands, **{key: files[key] for key in ("s_txt", name.replace(".", "_"))})

    return st.sampled_from(["p.jsonl", "p.csv", "p.tsv", "p.parquet"]).flatmap(one)


def opinions(_count: int) -> st.SearchStrategy[Case]:
    """Return human judgments and scores of systems."""
    commands = st.one_of(
        printed.map(lambda shape: ["human", "rank", "j.csv", "--runs", "4", *shape]),
        printed.map(lambda shape: ["human", "rank", "j.csv", "--runs", "4", "--method", "expected-wins", *shape]),
        printed.map(lambda shape: ["human", "agreement", "j.csv", *shape]),
        printed.map(lambda shape: ["meta", "x.tsv", "--human", "h.tsv", "--resamples", "5", *shape]),
        printed.map(lambda shape: ["meta", "x.tsv", "--human", "j.csv", "--runs", "4", *shape]),
    )
    found = damaged(formats.scores())
    return cases(commands, j_csv=damaged(formats.judgments()), x_tsv=found, h_tsv=found)


FILES = {
    "files-text": ("parallel text", texts),
    "files-m2": ("M2 files (gold and predictions)", edits),
    "files-xml": ("I-measure XML", groups),
    "files-jsonl": ("corpora in JSON Lines", corpora),
    "files-tables": ("predictions in JSON Lines, CSV, TSV and Parquet", tables),
    "files-judgments": ("human judgments (CSV, XML) and scores of systems", opinions),
}
ATTACKS = [
    attack(
        name,
        f"{what} with hostile words, numbers and bytes, read by every command that accepts them",
        counts.flatmap(functools.cache(make)),
    )
    for name, (what, make) in FILES.items()
]
