"""Ranks among comparable entries, p-values and clusters; figures of a page are those that `score` gives."""

import csv
import json
from dataclasses import replace
from itertools import pairwise
from urllib.parse import urlencode

import pytest
from boards import DEMO, GOOD, QUICK, RULES, add, demo_board, script_data, text
from chromium import open_page

import gecbench
from gecbench.analysis.significance import DEFAULT_SEED
from gecbench.api import significance_tests
from gecbench.display import percent
from gecbench.leaderboard.page import PagePlan, build_site, table_key
from gecbench.leaderboard.ranking import Significance, corpora_by_table
from gecbench.leaderboard.records import default_metric, table_of
from gecbench.leaderboard.rows import table_rows
from gecbench.leaderboard.scoring import board_metric
from gecbench.leaderboard.seeds import public_submissions, seed_records
from gecbench.leaderboard.store import FolderStore
from gecbench.leaderboard.submission import Submission, score_submission

REWRITES = 8
SYSTEMS = 24


def page_rows(site, corpus):
    """Return the rows of a table as the page is given them, and as board.json and board.csv have them."""
    table = table_of(corpus)
    records = json.loads((site / "data/board.json").read_text())["records"]
    lines = csv.DictReader((site / "data/board.csv").open(encoding="utf-8", newline=""))
    return (
        script_data(site / f"data/table-{table_key(table)}.js"),
        {row["id"]: row for row in records if (row["corpus"], row["reference_set"]) == table},
        {(one["system"], one["metric"]): one for one in lines if (one["corpus"], one["reference_set"]) == table},
    )


def check_figures(site, corpus, outputs, metrics):
    """Compare every figure of a table with `score`, with `human_bound`, and among all files."""
    table, records, lines = page_rows(site, corpus)
    shown = {row["system"]: row for row in table["rows"]}
    assert set(shown) == set(outputs)
    compared = 0
    for system, predictions in outputs.items():
        scores = gecbench.score(predictions, corpus, metrics, resamples=QUICK, aligned=True, tokenized=True)
        row = shown[system]
        assert set(row["scores"]) == set(metrics)
        for metric, figure in row["scores"].items():
            expected = scores[metric]
            interval = expected.interval
            for name, exact in {"value": expected.value, "low": interval.low, "high": interval.high}.items():
                assert figure[name] == pytest.approx(exact, abs=1e-9)
                assert percent(figure[name]) == percent(exact), "no figure is rounded twice"
            assert figure.get("parts", {}) == {part: expected.parts[part] for part in expected.metric.columns}
            if "ratio" in figure:
                assert figure["ratio"] == pytest.approx(figure["against_others"] / figure["human"], abs=1e-9)
            assert "capped" not in figure
            whole = records[row["id"]]["scores"][metric]
            assert whole["value"] == float(lines[system, metric]["value"]) == expected.value
            compared += 1
    for metric, figure in table["people"]["scores"].items():
        bound = gecbench.human_bound(board_metric(metric), corpus, sizes="last").rows[0].human
        assert figure["value"] == pytest.approx(bound, abs=1e-9)
    return compared


def check_ranks(site, corpus, metrics):
    table, _, _ = page_rows(site, corpus)
    systems = [row for row in table["rows"] if row["role"] == "system"]
    for metric in metrics:
        values = sorted((row["scores"][metric]["value"] for row in systems), reverse=True)
        for row in systems:
            figure = row["scores"][metric]
            assert values[figure["rank"] - 1] == figure["value"]
            assert figure["value"] not in values[: figure["rank"] - 1]
    others = [row for row in table["rows"] if row["role"] != "system"]
    assert not any("rank" in figure for row in others for figure in row["scores"].values())


def check_tests(site, corpus, outputs, metric, resamples=QUICK):
    """Compare the tests of every two systems, and the stars and clusters, with those of `compare`."""
    table, _, _ = page_rows(site, corpus)
    tests = script_data(site / f"data/tests-{table_key(table_of(corpus))}-{metric}.js")
    names = {row["id"]: row["system"] for row in table["rows"]}
    places = {names[name]: place for place, name in enumerate(tests["ids"])}
    assert len(outputs) == tests["ranked"]
    options = {"resamples": resamples, "aligned": True, "tokenized": True}
    report = gecbench.compare(outputs, corpus, [metric], test="bootstrap", **options)
    scores = {name: report[name] for name in outputs}
    for opponent in outputs:
        found = significance_tests(scores, "bootstrap", opponent, resamples, DEFAULT_SEED)
        assert opponent != next(iter(outputs)) or found == report.tests
        assert len(found) == len(outputs) - 1
        for test in found:
            i, j = places[test.system], places[opponent]
            value, low, high, p_value = tests["differences"][min(i, j)][abs(i - j) - 1]
            sign = 1 if i < j else -1
            assert sign * value == pytest.approx(test.difference, abs=1e-6)
            assert p_value == pytest.approx(test.p_value, abs=1e-6)
            assert tests["adjusted"][j][i] == pytest.approx(test.p_adjusted, abs=1e-6)
            assert low <= high
    ranked = sorted(
        (row["scores"][metric] for row in table["rows"] if row["role"] == "system"), key=lambda each: each["rank"]
    )
    starts = [b["cluster"] != a["cluster"] for a, b in pairwise(ranked)]
    assert starts == [figure["p_adjusted"] < 0.05 for figure in ranked[1:]], "a cluster starts where a star is"


@pytest.fixture(scope="session")
def public_board(mirror, tmp_path_factory):
    """The page of all public CoNLL-14 systems and of JFLEG's references as systems, the corpora, and all outputs."""
    folder = tmp_path_factory.mktemp("public")
    nucle = gecbench.load_corpus("conll14_fluency:nucle", upstream=mirror)
    jfleg = gecbench.load_corpus("jfleg:test", upstream=mirror)
    people = [list(lines) for lines in zip(*jfleg.references, strict=True)]
    references = [Submission(f"Reference {k}", lines, aligned=True) for k, lines in enumerate(people)]
    handed_in = {nucle.name: list(public_submissions(nucle, mirror)), jfleg.name: references}
    store = FolderStore(folder / "board")
    for corpus in (nucle, jfleg):
        for submission in handed_in[corpus.name]:
            scored = score_submission(submission, corpus, resamples=QUICK)
            store.add(scored.record, scored.details)
    build_site(store, folder / "site", PagePlan([nucle, jfleg], resamples=QUICK))
    outputs = {
        name: {each.system: list(each.predictions) for each in submissions} for name, submissions in handed_in.items()
    }
    return folder / "site", nucle, jfleg, outputs


def public_metrics():
    return [name for name, metric in gecbench.METRICS.items() if metric.missing() is None]


def test_board_of_all_public_systems_is_what_score_gives(public_board):
    site, nucle, jfleg, outputs = public_board
    assert [len(outputs[corpus.name]) for corpus in (nucle, jfleg)] == [1 + SYSTEMS + REWRITES, 4]
    metrics = public_metrics()
    compared = 0
    for corpus in (nucle, jfleg):
        compared += check_figures(site, corpus, outputs[corpus.name], metrics)
        check_ranks(site, corpus, ["gleu", "m2", "imeasure", "green", "bleu"])
    assert compared == (1 + SYSTEMS + REWRITES + 4) * len(metrics)
    systems = [row["system"] for row in page_rows(site, nucle)[0]["rows"] if row["role"] == "system"]
    for metric in metrics:
        check_tests(site, nucle, {name: outputs[nucle.name][name] for name in systems}, metric)
    table, _, _ = page_rows(site, nucle)
    reported = {row["system"] for row in table["reported"]}
    assert not reported & set(outputs[nucle.name]), "a system that is scored stands once"
    assert "GPT-3.5 (SEEDA)" in reported
    amu = next(row for row in table["rows"] if row["system"] == "AMU")
    assert amu["reported"]["m2"]["value"] == pytest.approx(0.3502)
    assert 100 * amu["scores"]["imeasure"]["value"] == pytest.approx(-2.78, abs=0.005)


SHOWN = """
return [...document.querySelectorAll("table.ranking tbody tr:not([data-id=''])")].map((row) =>
  [row.querySelector("th bdi").textContent,
   ...[...row.querySelectorAll("td.number")].map((cell) => cell.firstChild.textContent)]);
"""


def test_every_figure_is_seen_as_the_terminal_prints_it(public_board, browser, calm):
    site, nucle, jfleg, outputs = public_board
    for corpus in (nucle, jfleg):
        name, reference_set = table_of(corpus)
        metrics = sorted(public_metrics(), key=lambda each: each != default_metric(table_of(corpus)))
        columns = ",".join([*metrics, "m2.precision"])
        query = urlencode({"corpus": name, "set": reference_set, "cols": columns, "people": 1})
        open_page(browser, f"{(site / 'index.html').as_uri()}#table?{query}")
        shown = {system: values for system, *values in browser.execute_script(SHOWN)}
        assert set(shown) == set(outputs[corpus.name])
        for system, predictions in outputs[corpus.name].items():
            scores = gecbench.score(predictions, corpus, metrics, aligned=True, tokenized=True)
            precision = scores["m2"].parts["precision"]
            expected = [[scores[each].value] + [precision] * (each == "m2") for each in metrics]
            printed = [percent(value).replace("-", "−") for values in expected for value in values]
            assert shown[system] == printed, (corpus.name, system)


def with_signature(record, old, new):
    scores = {
        name: {**figure, "signature": figure["signature"].replace(old, new)} for name, figure in record.scores.items()
    }
    return replace(record, scores=scores)


def places_of(records, metric="gleu", corpora=()):
    places = Significance(FolderStore("nowhere"), corpora_by_table(corpora), QUICK, compute=False).places(
        records, metric
    )
    return {record.system: places.get(record.id) for record in records}


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    store = FolderStore(tmp_path_factory.mktemp("board"))
    return [add(store, "good", GOOD), add(store, "rules", RULES)]


def test_other_settings_and_other_data_have_no_rank(records):
    good, rules = records
    capped = replace(with_signature(good, "mixing:yes", "mixing:cap:9:unmixed"), system="capped", date="2025")
    older = replace(good, system="older", fingerprint="0" * 8)
    fewer = replace(with_signature(good, "mixing:yes|", ""), system="fewer", date="2025")
    places = places_of([good, rules, capped, older, fewer], "imeasure", [DEMO])
    assert [places[name].rank for name in ("good", "rules", "capped", "older")] == [1, 2, None, None]
    assert places["fewer"].differs == "Scored with unknown settings"
    assert places["capped"].differs == "Scored with other settings: mixing:cap:9:unmixed"
    assert places["older"].differs == "Scored on another version of the data"
    assert places_of([good, rules, capped])["capped"].rank == 1, "GLEU is scored alike"


def test_version_and_resamples_do_not_part_entries(records):
    good, rules = records
    other = with_signature(with_signature(good, "version:", "version:9."), f"resamples:{QUICK}:", "resamples:7:")
    assert [place.rank for place in places_of([other, rules]).values()] == [1, 2]


def test_equal_scores_share_a_rank_and_people_have_none(records):
    good, rules = records
    twin, person = replace(good, system="twin"), replace(good, system="person", role="human")
    places = places_of([good, rules, twin, person])
    assert (places["good"].rank, places["twin"].rank, places["rules"].rank) == (1, 1, 3)
    assert places["person"] is None


def test_p_values_are_printed_as_the_terminal_prints_them(tmp_path):
    store = FolderStore(tmp_path)
    records = [add(store, "good", GOOD), add(store, "rules", RULES)]
    rows = table_rows(records, Significance(store, corpora_by_table([DEMO]), 2000))
    figure = next(row for row in rows if row["system"] == "rules")["scores"]["gleu"]
    assert (figure["p_value"] < 0.001, figure["p_text"]) == (True, "< 0.001")


@pytest.mark.filterwarnings("ignore::gecbench.metrics.imeasure.MixingLimitWarning")
def test_an_entry_tells_how_many_sentences_were_capped(tmp_path, monkeypatch, run):
    from gecbench.kernels.imeasure import Limits

    monkeypatch.setattr(gecbench.IMeasure, "limits", Limits(segment=1, lattice=0))
    store = FolderStore(tmp_path / "board")
    record = add(store, "good", GOOD)
    capped = record.scores["imeasure"]["capped"]
    assert 0 < capped <= len(DEMO)
    assert f"|capped:{capped}|" in record.scores["imeasure"]["signature"]
    assert places_of([record], "imeasure", [DEMO])["good"].rank == 1, "capped sentences are no other settings"
    (tmp_path / "good.txt").write_bytes(text(RULES))
    shown = run(
        *("leaderboard", "submit", "--board", tmp_path / "board", "-c", "demo", "-p", tmp_path / "good.txt"),
        *("--name", "x", "--dry-run"),
    )
    assert "Capped sentences have too many mixed references (" in shown


def test_places_p_values_and_clusters(tmp_path):
    store = demo_board(tmp_path)
    nearly = list(GOOD)
    nearly[0] = DEMO.sources[0]
    twin = add(store, "nearly good", nearly)
    records = store.load().records
    tests = Significance(store, corpora_by_table([DEMO]), 200)
    places = {each.system: tests.places(records, "gleu").get(each.id) for each in records}
    assert [places[name].rank for name in ("good-corrector", "nearly good", "rule-based")] == [1, 2, 3]
    assert places["good-corrector"].cluster == places["nearly good"].cluster == 1
    assert places["rule-based"].cluster == 2
    assert "do-nothing" not in {each.system for each in records if each.id in tests.places(records, "gleu")}
    assert places["good-corrector"].p_adjusted is None
    assert places["nearly good"].against == next(each.id for each in records if each.system == "good-corrector")
    build_site(store, tmp_path / "site", PagePlan([DEMO], resamples=200))
    outputs = {each.system: store.details(each).predictions for each in records if each.role == "system"}
    for metric in ("gleu", "m2", "imeasure", "green"):
        check_tests(tmp_path / "site", DEMO, outputs, metric, resamples=200)
    assert twin.unchanged > 0
    quick = Significance(store, corpora_by_table([DEMO]), 200, compute=False)
    assert quick.places(records, "gleu") == tests.places(records, "gleu")
    fresh = Significance(FolderStore(tmp_path / "fresh"), corpora_by_table([DEMO]), 200, compute=False)
    assert {place.p_value for place in fresh.places(records, "gleu").values()} == {None}, "never made"
    other = Significance(store, corpora_by_table([DEMO.with_references([0, 1])]), 200)
    assert {place.p_value for place in other.places(records, "gleu").values()} == {None}


class KnownTests(Significance):
    """Tests with given p-values, by the names of the two systems."""

    def __init__(self, store, p_values):
        super().__init__(store, corpora_by_table([DEMO]))
        self.known = p_values

    def p_value(self, record, other, metric):
        return self.known["".join(sorted(record.system + other.system))]


def ranked_records(store):
    """Return four records that rank a, b, c, d, with outputs."""
    record = add(store, "model", GOOD)
    value = record.scores["gleu"]["value"]
    return [
        replace(record, system=name, scores={"gleu": record.scores["gleu"] | {"value": value - k / 100}})
        for k, name in enumerate("abcd")
    ]


def test_clusters_and_stars_follow_adjusted_p_values(tmp_path):
    """By hand. Against a: 3 · 0.001, 2 · 0.03, and 0.04 is raised to that. So b and c, which differ from a by raw
    p-values, share its cluster; d has its own. If b differs from a by 2 · 0.02, it starts a cluster. Against it:
    3 · 0.02 (a), 2 · 0.04 (c) and 0.5 (d), so c and d share that.
    """
    tests = KnownTests(FolderStore(tmp_path), {"ab": 0.03, "bc": 0.04, "ac": 0.04, "ad": 0.001, "bd": 0.5, "cd": 0.01})
    records = ranked_records(FolderStore(tmp_path))
    places = [tests.places(records, "gleu")[each.id] for each in records]
    assert [place.cluster for place in places] == [1, 1, 1, 2]
    assert [place.p_adjusted for place in places] == [None, *map(pytest.approx, (0.06, 0.06, 0.003))]
    tests.known["ab"] = 0.02
    places = [tests.places(records, "gleu")[each.id] for each in records]
    assert [place.cluster for place in places] == [1, 2, 2, 2]
    assert [place.p_adjusted for place in places] == [None, *map(pytest.approx, (0.04, 0.08, 0.5))]
    assert [place.against for place in places] == [None, records[0].id, records[1].id, records[1].id]


def test_too_few_resamples_for_so_many_systems(tmp_path):
    """The two comparisons of three systems need 40 resamples: the smallest adjusted p-value is 2/41."""
    store = demo_board(tmp_path)
    quick = PagePlan([DEMO], seeds=False, resamples=20)
    (warning,) = build_site(store, tmp_path / "site", quick).warnings
    assert "demo (default): with 20 resamples, adjusted p-values cannot be below 0.05" in warning
    assert "Use --resamples 40 or more" in warning
    assert not build_site(store, tmp_path / "site", replace(quick, resamples=40)).warnings


def test_reported_figures_are_neither_ranked_nor_tested(tmp_path):
    records = [each for each in seed_records() if each.table == ("jfleg:test", "default")]
    for row in table_rows(records, Significance(FolderStore(tmp_path), {})):
        assert row["kind"] == "reported"
        for figure in row["scores"].values():
            assert not {"rank", "cluster", "p_value"} & set(figure)
            assert figure["differs"]
