"""The files of a page: complete, repeatable, without formulas or other hosts."""

import json
import re
import sys
from pathlib import Path

import pytest
from boards import DEMO, GOOD, QUICK, demo_board, made_up_record
from corpora_support import files_of

import gecbench
from gecbench.cli import main
from gecbench.leaderboard.page import PagePlan, build_site
from gecbench.leaderboard.records import Details, Settings, digest, figure
from gecbench.leaderboard.rows import csv_lines
from gecbench.leaderboard.store import FolderStore


def test_build_is_whole_and_repeatable(tmp_path):
    store = demo_board(tmp_path / "board")
    plan = PagePlan([DEMO], resamples=QUICK, publish_references=True)
    built = build_site(store, tmp_path / "site", plan)
    written = files_of(tmp_path / "site").keys()
    assert written == set(built.files)
    assert {"index.html", "README.md", "style.css", "data/board.js", "data/board.json", "data/board.csv"} <= written
    identities = [record.id for record in store.load().records]
    for kind in ("system", "outputs"):
        found = {name for name in written if name.startswith(f"data/{kind}-")}
        assert found == {f"data/{kind}-{name}.{ending}" for name in identities for ending in ("js", "json")}
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
    shown = json.loads((tmp_path / f"site/data/outputs-{record.id}.json").read_text())
    assert set(shown["sentence_scores"]) == {"gleu"}


def test_cells_are_no_formulas():
    row = dict.fromkeys(["corpus", "reference_set", "kind", "date", "submitter"], "x")
    line = csv_lines({**row, "system": "=HYPERLINK(1)", "scores": {"gleu": {"value": -0.5}}})
    assert line == "x,x,'=HYPERLINK(1),x,x,x,gleu,-0.5,,,,,,,,,,,,\n"


def test_page_sources_ask_no_other_host(repository):
    for path in (repository / "spaces/leaderboard").rglob("*"):
        if path.suffix in (".html", ".js", ".css"):
            source = path.read_text(encoding="utf-8")
            found = [line for line in source.splitlines() if "://" in line and "http://www.w3.org/2000/svg" not in line]
            assert not [line for line in found if "hf://" not in line and "https://…" not in line], Path(path).name
            assert "innerHTML" not in source
            assert "eval(" not in source
            assert not re.search(r"\son\w+=", source) or path.suffix != ".html"


def bad_record(store, **changes):
    """Add a record whose details have fewer predictions than its corpus, all hashes being right."""
    details = Details(list(GOOD[:2]))
    record = made_up_record(
        system="bad",
        fingerprint=DEMO.fingerprint(),
        outputs=details.outputs,
        details=digest(details.to_json()),
        **changes,
    )
    store.add(record, details)
    return record


def test_a_record_whose_details_do_not_fit_is_left_out_by_name(tmp_path, capsys):
    store = demo_board(tmp_path / "board")
    bad = bad_record(store)
    built = build_site(store, tmp_path / "site", PagePlan([DEMO], resamples=QUICK, publish_references=True))
    problem = f"records/{bad.id}.json (bad) is skipped: its details file has 2 outputs, but demo has 42"
    assert [warning.startswith(problem) for warning in built.warnings].count(True) == 1
    board = json.loads((tmp_path / "site/data/board.json").read_text(encoding="utf-8"))
    assert bad.id not in {row["id"] for row in board["records"]}
    assert board["skipped"] == 1
    words = ["--board", str(tmp_path / "board"), "-c", "demo", "-o", str(tmp_path / "again"), "--publish-references"]
    assert main(["leaderboard", "build", *words]) == 0
    assert f"gecbench: warning: records/{bad.id}.json" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_no_link_is_published_or_written_through(tmp_path, refused):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    store = demo_board(tmp_path / "board")
    (store.folder / "board.json").write_bytes(Settings(logo="logo.svg").to_json())
    (store.folder / "logo.svg").symlink_to(secret)
    site = tmp_path / "site"
    build_site(FolderStore(store.folder), site, PagePlan([DEMO], resamples=QUICK))
    (site / "index.html").unlink()
    (site / "index.html").symlink_to(secret)
    built = build_site(FolderStore(store.folder), site, PagePlan([DEMO], resamples=QUICK))
    assert "logo.svg is skipped, because it is a symbolic link. Replace the link with the image" in built.warnings
    assert secret.read_text() == "secret"
    assert not any(path.read_bytes() == b"secret" for path in site.rglob("*") if path.is_file())
    assert not (site / "index.html").is_symlink()
    other = tmp_path / "other"
    other.mkdir()
    (other / "data").symlink_to(site)
    refused(
        ["leaderboard", "build", "--board", store.folder, "-c", "demo", "-o", other],
        "data: is a symbolic link. Replace the link with a real folder",
    )


def test_files_of_others_are_not_overwritten(folder, refused):
    store = demo_board(folder / "board")
    mine = Path("mine")
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    (mine / "README.md").write_text("mine")
    build = ["leaderboard", "build", "--board", store.folder, "-c", "demo", "-o", "mine"]
    said = refused(build)
    problem = "mine: has files that gecbench did not write (README.md). Give a new or empty folder with -o."
    assert said == f"gecbench: {problem}\n"
    assert files_of(mine).keys() == {"notes.txt", "README.md"}
    assert (mine / "README.md").read_text() == "mine"
    for name in ("404.html", "base.css", "index.html"):
        (mine / name).write_text("mine")
    assert "did not write (404.html, README.md, base.css, …). Give" in refused(build)
    assert (mine / "index.html").read_text() == "mine"


def test_other_files_may_stay_beside_a_page(tmp_path):
    store, site = demo_board(tmp_path / "board"), tmp_path / "site"
    site.mkdir()
    (site / "notes.txt").write_text("mine")
    plan = PagePlan([DEMO], seeds=False, texts=False, resamples=QUICK)
    build_site(store, site, plan)
    (site / "index.html").write_text("old")
    build_site(store, site, plan)
    assert (site / "index.html").read_text() != "old"
    assert (site / "notes.txt").read_text() == "mine"
