"""The files of a page: complete, repeatable, without formulas or other hosts."""

import json
import re
from pathlib import Path

from boards import DEMO, GOOD, QUICK, demo_board, made_up_record
from corpora_support import files_of

import gecbench
from gecbench.leaderboard.page import PagePlan, build_site, csv_lines
from gecbench.leaderboard.records import Details, digest, figure
from gecbench.leaderboard.store import FolderStore


def test_build_is_whole_and_repeatable(tmp_path):
    store = demo_board(tmp_path / "board")
    plan = PagePlan([DEMO], resamples=QUICK, publish_references=True)
    built = build_site(store, tmp_path / "site", plan)
    written = files_of(tmp_path / "site").keys()
    assert written == set(built.files)
    assert {"index.html", "README.md", "style.css", "data/board.js", "data/board.json", "data/board.csv"} <= written
    systems = {name for name in written if name.startswith("data/system-")}
    identities = [record.id for record in store.load().records]
    assert systems == {f"data/system-{name}.{ending}" for name in identities for ending in ("js", "json")}
    flat = json.loads((tmp_path / "site/data/board.json").read_text())["records"]
    assert {row["system"] for row in flat} > {"good-corrector", "Ge et al. (2018)"}
    build_site(store, tmp_path / "site", plan)
    bare = build_site(store, tmp_path / "bare", PagePlan([DEMO], seeds=False, texts=False, resamples=QUICK))
    assert not [name for name in bare.files if "system-" in name or "corpus-" in name]
    assert "swiming" not in "".join(path.read_text() for path in bare.files.values() if path.suffix == ".js")


def test_a_metric_that_is_not_installed_has_no_scores_of_sentences(tmp_path, monkeypatch):
    monkeypatch.setattr(gecbench.ERRANT, "missing", lambda: "errant is not installed")
    details = Details(GOOD)
    names = {"outputs": details.outputs, "details": digest(details.to_json()), "fingerprint": DEMO.fingerprint()}
    record = made_up_record(scores={"errant": figure(0.5), "gleu": figure(0.5)}, **names)
    store = FolderStore(tmp_path / "board")
    store.add(record, details)
    build_site(store, tmp_path / "site", PagePlan([DEMO], resamples=QUICK, publish_references=True))
    shown = json.loads((tmp_path / f"site/data/system-{record.id}.json").read_text())
    assert set(shown["sentence_scores"]) == {"gleu"}


def test_cells_are_no_formulas():
    row = dict.fromkeys(["corpus", "reference_set", "kind", "date", "submitter"], "x")
    line = csv_lines({**row, "system": "=HYPERLINK(1)", "scores": {"gleu": {"value": -0.5}}})
    assert line == "x,x,'=HYPERLINK(1),x,x,x,gleu,-0.5,,,,,,,,,,,\n"


def test_page_sources_ask_no_other_host(repository):
    for path in (repository / "spaces/leaderboard").rglob("*"):
        if path.suffix in (".html", ".js", ".css"):
            source = path.read_text(encoding="utf-8")
            found = [line for line in source.splitlines() if "://" in line and "http://www.w3.org/2000/svg" not in line]
            assert not [line for line in found if "hf://" not in line and "https://…" not in line], Path(path).name
            assert "innerHTML" not in source
            assert "eval(" not in source
            assert not re.search(r"\son\w+=", source) or path.suffix != ".html"
