"""Reading, expanding and writing human judgments."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.errors import InputError
from gecbench.formats.judgments import (
    MTURK_COLUMNS,
    Judgment,
    Place,
    Ranking,
    count_from_zero,
    expand_pairs,
    parse_expert_groups,
    parse_jfleg_pairwise,
    parse_mturk,
    parse_ranking_xml,
    parse_wmt_csv,
    read_judgments,
    relabel,
)

XML = """<?xml version="1.0" encoding="UTF-8"?>
<appraise-results>
  <ranking-item src-id="3" user="ann">
    <translation rank="2" system="A B"/>
    <translation rank="1" system="C"/>
  </ranking-item>
  <ranking-item src-id="4" user="ben"/>
</appraise-results>
"""
WMT = "segmentId,judgeId,system1Id,system2Id,system1rank,system2rank\n"


def check_refused(parse: Callable[..., object], text: str, line: int, message: str) -> str:
    with pytest.raises(InputError, match=message) as caught:
        parse(text, file="judged")
    assert (caught.value.file, caught.value.line) == ("judged", line)
    return str(caught.value)


def test_ranking_xml() -> None:
    first, second = parse_ranking_xml(XML, file="judged")
    assert first == Ranking(3, "ann", (Place(("A", "B"), 2), Place(("C",), 1)))
    assert second == Ranking(4, "ben", ())
    assert parse_ranking_xml(XML, file="judged", first_sentence=1)[0].sentence == 2


def test_ranking_xml_reads_commas_and_durations() -> None:
    text = XML.replace("A B", "A,B").replace('user="ann"', 'user="ann" duration="1:02:03.5"')
    ranking = parse_ranking_xml(text, file="judged")[0]
    assert (ranking.places[0].systems, ranking.seconds) == (("A", "B"), 3723.5)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('rank="2"', 'rank="two"', 4, "rank is 'two'"),
        ('user="ann"', "", 3, "<ranking-item> has no attribute 'user'"),
        ('system="C"', 'system="A"', 5, "repeats a system"),
        ('system="C"', 'system=" "', 5, "is empty"),
        ('system="C"', f'system="{" ".join(f"s{k}" for k in range(99))}"', 5, "more than 100 systems in one"),
        ("</appraise-results>", "", 9, "not well-formed XML"),
        ("<appraise-results>", '<!DOCTYPE a [<!ENTITY b "c">]><appraise-results>', 2, "not allowed"),
        ("<appraise-results>", '<!DOCTYPE a SYSTEM "http://example.org/a"><appraise-results>', 2, "not allowed"),
        ('<ranking-item src-id="3" user="ann">', "<translation/>", 3, "outside"),
        ("<translation", '<ranking-item src-id="3" user="ann"/><translation', 4, "<ranking-item> inside another"),
        ('user="ann"', 'user="ann" duration="soon"', 3, "'soon' is not hours:minutes:seconds"),
        ('user="ann"', f'user="ann" duration="{"9" * 400}:00:01"', 3, "a number in the duration has more than"),
    ],
)
def test_bad_ranking_xml(old: str, new: str, line: int, message: str) -> None:
    check_refused(parse_ranking_xml, XML.replace(old, new, 1), line, message)


def test_expansion_ties_systems_of_one_text() -> None:
    ranking = Ranking(0, "ann", (Place(("A", "B"), 2), Place(("C",), 1), Place(("D",), float("nan"))))
    outcomes = {(p.system1, p.system2): p.outcome for p in expand_pairs([ranking])}
    assert outcomes == {("A", "B"): 0, ("A", "C"): -1, ("B", "C"): -1}
    assert [(p.system1, p.system2) for p in expand_pairs([ranking], groups=True)] == [("A B", "C")]
    unranked = [p for p in expand_pairs([ranking], unranked=True) if not p.ranked]
    assert [p.system2 for p in unranked] == ["D", "D", "D"]


def test_wmt_csv_with_more_systems_and_unranked() -> None:
    text = "judgeID,segmentId,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank\r\n"
    ranking = parse_wmt_csv(text + "ann,7,A,1,B,-1,C,2", file="judged", first_sentence=1)[0]
    assert (ranking.sentence, ranking.judge) == (6, "ann")
    assert isnan(ranking.places[1].rank)
    assert [(p.system1, p.system2, p.outcome) for p in expand_pairs([ranking])] == [("A", "C", 1)]


@pytest.mark.parametrize(
    ("row", "line", "message"),
    [
        ("1,ann,A,B,1,x\n", 2, "system2rank is 'x'"),
        ("1,ann,A,B,1,nan\n", 2, "system2rank is 'nan'"),
        ("1,ann,A,B,1,2\n\n1,ann,A,A,1,2\n", 4, "compared with itself"),
        ("one,ann,A,B,1,2\n", 2, "segmentId is 'one'"),
        ("1,,A,B,1,2\n", 2, "the judge is missing"),
        ("1,ann,,B,1,2\n", 2, "system1Id is empty"),
        ("1,ann,A,B,1\n", 2, "the row has 5 fields, but the header has 6"),
        ("1,ann,A,B,1,2,3\n", 2, "7 fields"),
        ('1,ann,A,B,1,2\n"1,ann\n', 3, "not valid CSV"),
    ],
)
def test_bad_wmt_csv(row: str, line: int, message: str) -> None:
    check_refused(parse_wmt_csv, WMT + row, line, message)


def test_files_are_recognized_by_their_beginning(tmp_path: Path) -> None:
    path = tmp_path / "judged"
    for text, judges in ((XML, ["ann", "ben"]), (WMT + "1,ann,A,B,1,2\n", ["ann"]), (mturk(hit("SECRET")), ["w1"])):
        path.write_text(text)
        assert [ranking.judge for ranking in read_judgments(path)] == judges


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    latin = tmp_path / "latin"
    latin.write_bytes(b"segmentId\nn\xe4h\n")
    with pytest.raises(InputError, match="not UTF-8") as caught:
        read_judgments(latin)
    assert caught.value.line == 2
    with pytest.raises(InputError, match="no such file"):
        read_judgments(tmp_path / "absent")
    with pytest.raises(InputError, match="empty"):
        parse_wmt_csv("", file="judged")
    check_refused(parse_wmt_csv, "segmentId,system1Id,system2Id,system1rank\n", 1, "no column system2rank")


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)
RANKS = st.integers(0, 9).map(float) | st.floats(0, 9) | st.just(float("nan"))


@given(
    st.lists(st.tuples(st.integers(0, 99), NAMES, st.lists(NAMES, min_size=2, max_size=2, unique=True), RANKS, RANKS))
)
def test_any_name_and_rank_in_a_wmt_csv(rows: list[tuple[int, str, list[str], float, float]]) -> None:
    stream = io.StringIO(WMT, newline="")
    stream.seek(0, io.SEEK_END)
    csv.writer(stream).writerows(
        (n, judge, *systems, *("-1" if isnan(rank) else repr(rank) for rank in ranks))
        for n, judge, systems, *ranks in rows
    )
    again = list(expand_pairs(parse_wmt_csv(stream.getvalue(), file="judged"), unranked=True))
    pairs = [Judgment(n, judge, systems[0], systems[1], r1, r2) for n, judge, systems, r1, r2 in rows]
    assert list(map(repr, again)) == list(map(repr, pairs))


def test_jfleg_names() -> None:
    ranking = parse_jfleg_pairwise(WMT + "5,ann,turk,NMT,1,2\n", file="judged")[0]
    assert [place.systems for place in ranking.places] == [("Human",), ("CAMB16",)]


def mturk(*rows: dict[str, str]) -> str:
    header = ",".join(MTURK_COLUMNS) + ",Approve"
    blank = dict.fromkeys(MTURK_COLUMNS, "")
    body = [",".join(f'"{value}"' for value in (blank | row).values()) for row in rows]
    return "\n".join([header, *body])


def hit(worker: str, *slots: tuple[str, str, str], status: str = "Approved") -> dict[str, str]:
    row = {"WorkerId": worker, "AssignmentStatus": status, "Input.sentID": "1"}
    for number in range(1, 6):
        system, text, rank = slots[number - 1] if number <= len(slots) else ("###", "###", "")
        row |= {
            f"Input.system{number}": system,
            f"Input.sentence{number}": text,
            f"Answer.rank_{number}": rank,
        }
    return row


def test_mturk_hides_workers_and_drops_rejected() -> None:
    text = mturk(
        hit("SECRET2", ("A B", "one\ntwo", "1"), ("C", "three", "")),
        hit("SECRET1", ("A", "one", "1"), status="Rejected"),
        hit("SECRET2", ("A", "one", "2")),
    )
    rankings = parse_mturk(text, file="judged")
    assert [ranking.judge for ranking in rankings] == ["w1", "w1"]
    everybody = parse_mturk(text, file="judged", statuses=("Approved", "Rejected"))
    assert [ranking.judge for ranking in everybody] == ["w1", "w2", "w1"]
    assert rankings[0].places[0] == Place(("A", "B"), 1, "one\ntwo")
    assert isnan(rankings[0].places[1].rank)
    assert "SECRET" not in repr(rankings)


def test_bad_mturk_names_the_first_line_of_the_record_and_no_worker() -> None:
    text = mturk(hit("SECRET", ("A", "one\ntwo", "1")), hit("SECRET", ("A", "one", "best")))
    assert "SECRET" not in check_refused(parse_mturk, text, 4, r"Answer\.rank_1 is 'best'")
    check_refused(parse_mturk, mturk(hit("w", ("A", "x", "1"), ("B A", "y", "2"))), 2, r"Input\.system2 repeats")


def test_relabel_identifies_systems_by_text() -> None:
    outputs = {"A": ["x", 'He said " no "'], "B": ["x", "He said `` no ''"], "C": ["x", "He said yes"]}
    shown = Ranking(
        1,
        "w1",
        (Place(("C",), 1, "He said &quot; no &quot;"), Place(("A",), 3, "He  said no"),
         Place(("B",), 2, "He said yes"),
         Place(("D",), 4, "Never said"), Place(("E",), float("nan"), "He said yes")),
    )  # fmt: skip
    (again,) = relabel([shown], outputs)
    assert [(place.systems, place.rank) for place in again.places] == [(("A", "B"), 2), (("C",), 2), ((), 4)]
    assert len(list(expand_pairs([again], groups=True))) == 1


def test_relabel_without_texts_regroups_by_output() -> None:
    outputs = {"A": ["same"], "B": ["sa me"], "C": ["other"]}
    (again,) = relabel([Ranking(0, "e1", (Place(("A",), 1), Place(("B",), 4), Place(("C",), 2)))], outputs)
    assert [(place.systems, place.rank) for place in again.places] == [(("A", "B"), 2.5), (("C",), 2)]
    with pytest.raises(InputError, match=r"sentence 1 \(counted from 0\) was judged, but A has 1 line\b"):
        relabel([Ranking(1, "e1", ())], outputs)


def test_expert_groups() -> None:
    text = "7\t0.5\t{'A B||C': [['1', '2'], ['2', '2']], 'A||D': [['1', '1']]}\n"
    rankings = parse_expert_groups(text, file="judged", first_sentence=1)
    assert [(r.sentence, r.judge, [p.rank for p in r.places]) for r in rankings] == [
        (6, "e1", [1, 2]),
        (6, "e2", [2, 2]),
    ]
    assert rankings[0].places[0].systems == ("A", "B")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7\t0.5", "2 fields, but each line needs 3: sentence, agreement"),
        ("x\t0\t{'A||B': [['1', '2']]}", "sentence is 'x'"),
        ("7\t0\t__import__('os')", "not a table of rankings"),
        ("7\t0\t{}", "not a table of rankings"),
        ("7\t0\t{'A||B': [5]}", "not a table of rankings"),
        ("7\t0\t{'A||B': [['1']]}", "1 rank for 2 texts"),
        ("7\t0\t{'A||B': [['1', 'b']]}", "rank is 'b'"),
    ],
)
def test_bad_expert_groups(line: str, message: str) -> None:
    check_refused(parse_expert_groups, "1\t0\t{'A||B': [['1', '2']]}\n" + line, 2, message)


def ranking_of(sentence: int, *places: str) -> Ranking:
    return Ranking(sentence, "judge", tuple(Place(tuple(names.split()), rank) for rank, names in enumerate(places)))


OUTPUTS = {"A": ["one", "two", "three"], "B": ["one", "deux", "three"], "C": ["uno", "deux", "tres"]}


@pytest.mark.parametrize("first", [0, 1])
def test_places_with_several_systems_show_where_the_numbers_start(first: int) -> None:
    rankings = [ranking_of(first, "A B", "C"), ranking_of(first + 1, "B C", "A"), ranking_of(first + 2, "A B", "C")]
    found, seen = count_from_zero(rankings, OUTPUTS, file="mine.xml")
    assert ([ranking.sentence for ranking in found], seen) == ([0, 1, 2], first)


def test_the_numbers_alone_may_show_where_they_start() -> None:
    for numbers, expected in (((0, 1), 0), ((1, 3), 1), ((1, 2), None)):
        found, seen = count_from_zero([ranking_of(n, "A", "C") for n in numbers], OUTPUTS, file="mine.csv")
        assert seen == expected
        assert [ranking.sentence for ranking in found] == [n - (expected or 0) for n in numbers]


def test_judgments_of_other_outputs_are_refused() -> None:
    with pytest.raises(InputError, match=r"^mine.xml: some systems have the same output .* outputs differ"):
        count_from_zero([ranking_of(n, "A B C") for n in (1, 2)], OUTPUTS, file="mine.xml")
    with pytest.raises(InputError, match="sentence 4 was judged, but the outputs have 3 lines"):
        count_from_zero([ranking_of(4, "A", "B")], OUTPUTS, file="mine.xml")
    with pytest.raises(InputError, match=r"sentence 3 \(counted from 0\) was judged, but the outputs have 3 lines"):
        count_from_zero([ranking_of(n, "A", "B") for n in (0, 3)], OUTPUTS, file="mine.xml")


def test_expert_groups_with_a_key_that_cannot_be_hashed():
    check_refused(parse_expert_groups, "1\t0\t{[]: [['1', '2']]}\n", 1, "the third field is not a table of rankings")
