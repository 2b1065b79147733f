"""Records and details: what is refused, and content addresses."""

import json

import pytest
from boards import made_up_record

import gecbench
from gecbench import InputError
from gecbench.leaderboard.records import Details, Record, Settings, canonical_json, digest, figure, table_of

FIGURE = figure(0.5)
BAD_FIELDS = {
    "no name": ({"system": " "}, "system is empty"),
    "a long name": ({"system": "x" * 201}, "system has 201 characters"),
    "a line break": ({"system": "a\nb"}, "system contains a control character"),
    "a lone surrogate": ({"system": "\ud800"}, "system contains a control character"),
    "a number for a name": ({"system": 7}, "system is not text"),
    "a script link": ({"links": [{"title": "", "url": "javascript:alert(1)"}]}, "url is 'javascript:alert"),
    "a data link": ({"links": [{"title": "", "url": "data:text/html,x"}]}, "Links start with http"),
    "a relative link": ({"links": [{"title": "", "url": "//evil.example"}]}, "Links start with http"),
    "a broken link": ({"links": [{"title": "", "url": "http://[::1"}]}, "Links start with http"),
    "many links": ({"links": [{"title": "", "url": "https://x.org"}] * 11}, "links has 11 entries"),
    "a link without address": ({"links": [{"title": "x"}]}, "lacks the field url"),
    "a name that turns round": ({"system": "good\u202etxt.exe"}, "system contains a control character or a text dir"),
    "a name that hides a mark": ({"submitter": "a\u2066b"}, "submitter contains a control character or a text dir"),
    "a description of two lines": ({"description": "a\u2028b"}, "description contains a control character"),
    "a filler for a name": ({"system": "\u3164"}, "system contains the invisible character U"),
    "an empty Braille pattern": ({"system": "A\u2800"}, "system contains the invisible character U"),
    "a filler of Hangul": ({"submitter": "\u115f"}, "submitter contains the invisible character U"),
    "joiners for a name": ({"system": "\u200d\u200c"}, "system has no visible character"),
    "marks for a name": ({"system": "\u034f\ufe0f"}, "system has no visible character"),
    "an unknown kind": ({"kind": "guessed"}, "kind is 'guessed'"),
    "no date": ({"date": "yesterday"}, "date is 'yesterday'"),
    "an impossible date": ({"date": "2026-02-30"}, "not a date"),
    "no scores": ({"scores": {}}, "no scores"),
    "a metric with markup": ({"scores": {"<b>": FIGURE}}, "has the invalid key '<b>'"),
    "prototype pollution": ({"scores": {"__proto__": FIGURE}}, "has the invalid key"),
    "a score that is no number": (
        {"scores": {"gleu": {**FIGURE, "value": float("nan")}}},
        "not a number below a million",
    ),
    "a score beyond all measure": ({"scores": {"gleu": {**FIGURE, "value": 10**400}}}, "not a number below a million"),
    "a score of another scale": ({"scores": {"gleu": {**FIGURE, "value": 1e299}}}, "not a number below a million"),
    "a score that is true": ({"scores": {"gleu": {**FIGURE, "value": True}}}, "not a number below a million"),
    "a missing part": ({"scores": {"gleu": {"value": 1}}}, "gleu lacks the fields against_others"),
    "outputs that are a path": ({"outputs": "../../etc/passwd"}, "not a SHA-256"),
    "a scored record without outputs": ({"outputs": None, "details": None}, "no outputs"),
    "another schema": ({"schema": 3}, "schema is 3, not 2"),
    "negative sentences": ({"sentences": -1}, "sentences is -1"),
    "a list of scores": ({"scores": [FIGURE]}, "scores is not a JSON object"),
}


@pytest.mark.parametrize(("change", "message"), BAD_FIELDS.values(), ids=BAD_FIELDS)
def test_bad_fields_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        made_up_record(**change)


def test_a_switch_is_true_or_false():
    with pytest.raises(InputError, match="publish_references is not true or false"):
        Settings(publish_references=1)


def test_a_record_of_schema_1_is_read():
    old = json.loads(made_up_record().to_json()) | {"schema": 1}
    old["scores"] = {"gleu": {"value": 0.25, "low": 0.2, "high": 0.3, "signature": "", "source": None, "differs": ""}}
    read = Record.from_json(canonical_json(old))
    assert (read.schema, read.scores) == (2, {"gleu": figure(0.25, low=0.2, high=0.3)})


def test_round_trip():
    first = made_up_record(
        links=[{"title": "p", "url": "https://example.org"}],
        description="Ünïcode\u00a0\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645 ok",
    )
    again = Record.from_json(first.to_json())
    assert again == first
    assert again.id == first.id == digest(first.to_json())
    assert made_up_record(system="T").id != first.id


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b'{"schema":1}', b"\xff", b"[" * 100_000, b"9" * 5000], ids=range(8)
)
def test_bad_json_is_refused(data):
    for kind in (Record, Details):
        with pytest.raises(InputError):
            kind.from_json(data)


BAD_DETAILS = {
    "text for groups": ({"by_distance": {"gleu": "x"}}, "by_distance.gleu is not a list"),
    "half a group": ({"by_distance": {"gleu": [{"label": "0"}]}}, "lacks the fields sentences, value"),
    "nested lists": ({"by_distance": {"gleu": [[[[]]]]}}, "is not a JSON object"),
    "no number": ({"sentence_scores": {"gleu": [[]]}}, "not a number below a million"),
    "another length": ({"sentence_scores": {"gleu": [1.0, 1.0]}}, "different numbers of predictions"),
    "no text": ({"predictions": [1]}, r"predictions\[0\] is not text"),
}


@pytest.mark.parametrize(("change", "message"), BAD_DETAILS.values(), ids=BAD_DETAILS)
def test_details_of_another_shape_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        Details(**{"predictions": ["a"], **change})


def test_table_names():
    named = gecbench.Corpus(sources=["a"], name="jfleg:default:test")
    assert table_of(named) == ("jfleg:test", "default")
    assert table_of(gecbench.Corpus(sources=["a"], name="mine.jsonl")) == ("mine", "default")
