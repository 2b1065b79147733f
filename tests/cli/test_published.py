"""The published command, and the place of scores among published results."""

import json

import pytest

import gecbench
from gecbench.corpora.published import corpora_with_results, with_published


def test_corpora_are_listed(run):
    listed = [line.split()[0] for line in run("published").splitlines()[2:]]
    assert listed == corpora_with_results()
    data = json.loads(run("published", "-f", "json"))
    assert {row["corpus"]: row["metrics"] for row in data}["jfleg:dev"] == {"gleu": 11, "m2": 6}


def test_the_metric_with_the_most_results_comes_by_default(run):
    lines = run("published", "-c", "conll14").splitlines()
    assert lines[0].split() == ["system", "M2", "P", "R", "year", "approach", "src"]
    assert lines[2].split()[-7:] == ["GPT-4", "72.8", "83.9", "47.5", "2024", "ensemble", "[1]"]
    assert lines[-1].startswith("Other metrics (-m NAME, or -m all): bleu (13), gleu (28)")
    table = lines[: lines.index("")]
    assert max(map(len, table)) <= 80
    assert sum("*" in line for line in table) == 15
    wide = run("published", "-c", "conll14", "--wide").splitlines()
    assert wide[0].split() == ["system", "M2", "P", "R", "year", "approach", "recomputed", "source"]
    assert " ".join(wide[5].split()) == ("Cao et al. (2023), Flan-T5-xxl, supervised 69.6 75.0 53.8 2023 seq2seq – [4]")
    assert "M2" not in run("published", "-c", "conll14", "-m", "some", "-f", "tsv")


def test_json_has_every_field(run):
    rows = json.loads(run("published", "-c", "bea19:dev", "-m", "all", "-f", "json"))
    row = next(each for each in rows if each["system"] == "T5-11B")
    assert (row["value"], row["precision"], row["recall"], row["year"]) == (58.6, 60.9, 51.1, 2024)
    assert row["url"] == "https://github.com/grammarly/pillars-of-gec"


def test_names_that_are_not_known(run, refused):
    refused(["published", "-c", "colnl14"], "no published results on 'colnl14'. Did you mean conll14?")
    refused(["published", "-c", "conll14", "-m", "m3"], "with the metric 'm3'")
    refused(["published", "-m", "m2"], "-m needs a corpus")
    assert run("published", "-c", "demo") == "no published results on demo\n"
    assert run("published", "-c", "jfleg", "-m", "m2") == "no published results on jfleg with m2\n"


def test_published_is_refused_before_any_work(refused, folder):
    for corpus in (["-c", "demo"], ["--gold", "no-such.m2"], ["-s", "no-such.txt", "-r", "no-reference.txt"]):
        for more in ([], ["--stream"]):
            arguments = ["score", *corpus, "-p", "no-such.txt", "--published", *more]
            refused(arguments, "--published needs a corpus with published results")


@pytest.fixture
def report():
    demo, outputs = gecbench.load_demo(), gecbench.load_demo_systems()
    chosen = {name: outputs[name] for name in ("good-corrector", "do-nothing")}
    return gecbench.compare(chosen, demo, ["m2", "gleu(draws=py3)", "green"], test="t-test", resamples=0)


def test_places_of_scores(report):
    """The demo's scores stand for scores on JFLEG's development set."""
    lines = with_published(report, "jfleg:dev", "text").splitlines()
    places = lines[lines.index("Published results (gecbench published -c jfleg:dev), as reported by others:") + 1 :]
    good, nothing = (f"{100 * report[name]['m2'].value:.2f}" for name in ("good-corrector", "do-nothing"))
    assert places[0] == f"good-corrector: m2 {good} is above Chollampatt et al. (2016) (52.7, 2017) (rank 1 of 5)."
    assert places[1] == f"do-nothing: m2 {nothing} is below AMU (Napoles et al. 2017) (43.2, 2017) (rank 5 of 5)."
    assert places[2].endswith("; the published scores use the metric's default settings.")
    assert places[4] == "good-corrector: no published results with green."
    assert places[6:] == [
        "Note on Napoles et al. 2017, Table 5: The M2 gold edits come from the authors' converter, "
        "which also compares lemmas."
    ]


def test_places_in_other_formats(report):
    data = json.loads(with_published(report, "jfleg:dev", "json"))
    assert [entry["system"] for entry in data["systems"]] == ["good-corrector", "do-nothing"]
    first = data["published"][0]
    assert (first["system"], first["metric"], first["rank"], first["results"]) == ("good-corrector", "m2", 1, 4)
    assert first["above"] is None
    assert first["below"]["year"] == 2017
    assert "rank" not in data["published"][4]
    for name, sign in (("latex", "% "), ("tsv", "# ")):
        added = with_published(report, "jfleg:dev", name).removeprefix(report.render(name))
        assert all(line.startswith(sign) for line in added.strip().splitlines())
