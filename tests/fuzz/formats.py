"""Strategies for every file that gecbench reads: mostly of the right shape, with hostile words and numbers in it."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

Content = st.SearchStrategy[bytes]
WORDS = (
    *("a", "a", "b", "b", "c", "The", "the", "cat", "goes", ".", ",", "can't", "n't", '"', "``", "''", "-NONE-", "-"),
    *("|||", "||", "S", "A", "A 0 1|||X|||b|||REQUIRED|||-NONE-|||0"),
    *("<", "&", "<c>", "&amp;", "]]>", "\\", "{", "[1]"),
    *("é", "e\u0301", "İ", "ß", "\u00a0", "\u3000", "\u2028", "\x85", "\x1c", "\x0b", "\x00", "\x1b[31m", "\u202e"),
    *("\ufeff", "\u200b", "😀", "\U0010ffff", "\ufffe", "٣", "x" * 300, "=1+1", "%s", "{0}", "\t", "nan", "http://x.y"),
)
NUMBERS = (
    *("0", "0", "1", "1", "2", "3", "-1", "-2", "9", "007", "+1", "1_0", "٣", "", " 1", "1.5", "1e3", "1e400", "nan"),
    *("inf", "2147483647", "2147483648", "4294967296", "9223372036854775808", "-9223372036854775809", "9" * 400, "0x1"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, -1, 0.5, 2**31, 2**32, 2**63, 10**400, 1e299, float("nan"), float("inf"), "", "a"),
    *("cat", "0", [], [None], [[]], {}, {"a": 1}, "\ud800", ["a", 1], [["a"]], "\u202e", "x" * 2000),
)
words = st.sampled_from(WORDS) | st.text(max_size=4)
numbers = st.sampled_from(NUMBERS)
sentences = st.lists(words, max_size=7).map(" ".join).map(lambda text: text.replace("\n", " ").replace("\r", " "))
plain_sentences = st.lists(st.sampled_from(WORDS[:12]), min_size=1, max_size=8).map(" ".join)
values = st.recursive(
    st.sampled_from(VALUES),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["source", "id", "x", ""]), inner, max_size=3)
    ),
    max_leaves=5,
)


def encoded(text: str) -> bytes:
    """Return text as bytes; lone surrogates become bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def damaged(content: Content) -> Content:
    """Return the content, sometimes cut, doubled, partly replaced, compressed, in another encoding or not text."""

    def cut(data: bytes, place: float, size: int, piece: bytes) -> bytes:
        at = int(place * len(data))
        return data[:at] + piece + data[at + size :]

    pieces = st.sampled_from(
        [b"", b"\xff", b"\x00", b"\n", b"\r", b"\r\n", b"\xed\xa0\x80", b"|||", b'"', b"<", b"9" * 50]
    )
    ends = st.floats(0, 1)
    return st.one_of(
        *[content] * 6,
        st.builds(cut, content, ends, st.integers(0, 20), pieces),
        st.builds(lambda data, place: data[: int(place * len(data))], content, ends),
        content.map(lambda data: data.replace(b"\n", b"\r\n")),
        content.map(lambda data: b"\xef\xbb\xbf" + data),
        content.map(lambda data: data * 2),
        content.map(lambda data: data.decode("utf-8", "replace").encode("utf-16")),
        content.map(gzip.compress),
        st.builds(lambda data, place: gzip.compress(data)[: int(place * 40)], content, ends),
        st.binary(max_size=60),
    )


def text_lines(count: int, line: st.SearchStrategy[str] = sentences) -> Content:
    """Return plain text, one sentence per line."""
    return st.lists(line, min_size=count, max_size=count).map(
        lambda lines: encoded("".join(f"{each}\n" for each in lines))
    )


spans = st.tuples(st.integers(0, 4), st.integers(0, 2)).map(lambda pair: (pair[0], pair[0] + pair[1]))
texts = st.lists(st.sampled_from(WORDS[:12]), max_size=3).map(" ".join)
_plain_edit = st.builds(
    lambda span, kind, texts, annotator: (
        f"A {span[0]} {span[1]}|||{kind}|||{'||'.join(texts)}|||REQUIRED|||-NONE-|||{annotator}"
    ),
    spans,
    st.sampled_from(["R:NOUN", "M:DET", "UNK", "Nn", "noop"]),
    st.lists(texts, min_size=1, max_size=2),
    st.integers(0, 3),
)
_odd_edit = st.builds(
    lambda start, end, kind, text, annotator: f"A {start} {end}|||{kind}|||{text}|||REQUIRED|||-NONE-|||{annotator}",
    *(numbers, numbers, words, sentences, numbers),
)


def m2(count: int) -> Content:
    """Return an M2 file."""
    noop = st.just("A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0")
    edits = st.lists(st.one_of(*[_plain_edit] * 12, noop, _odd_edit), max_size=4)
    block = st.builds(lambda source, edits: "\n".join([f"S {source}", *edits]), plain_sentences | sentences, edits)
    return st.lists(block, min_size=count, max_size=count).map(lambda blocks: encoded("\n\n".join(blocks) + "\n"))


def xml(count: int) -> Content:
    """Return an I-measure XML file."""

    def attributes(**given: str) -> str:
        return "".join(f" {name}={quoteattr(value)}" for name, value in given.items())

    number = st.one_of(*[st.integers(0, 4).map(str)] * 8, numbers)
    change = st.builds(
        lambda start, end, text: f"<c{attributes(start=start, end=end)}>{escape(text)}</c>",
        number,
        number,
        texts | sentences,
    )
    alternative = st.builds(
        lambda name, changes: f"<alt{attributes(ann=name)}>{''.join(changes)}</alt>",
        number | st.sampled_from(["0 1", "A", ""]),
        st.lists(change, max_size=2),
    )
    error = st.builds(
        lambda required, kind, alternatives: (
            f"<error{attributes(id='1', req=required, type=kind)}>{''.join(alternatives)}</error>"
        ),
        st.sampled_from(["yes", "no", "perhaps"]),
        words,
        st.lists(alternative, max_size=2),
    )
    sentence = st.builds(
        lambda count, text, errors: (
            f"<sentence{attributes(id='0', numann=count)}><text>{escape(text)}</text>"
            f"<error-list>{''.join(errors)}</error-list></sentence>"
        ),
        *(number, plain_sentences | sentences, st.lists(error, max_size=3)),
    )
    return st.lists(sentence, min_size=count, max_size=count).map(
        lambda all_: encoded(f"<scripts><script id='1'>{''.join(all_)}</script></scripts>")
    )


def json_lines(rows: st.SearchStrategy[list[Any]]) -> Content:
    """Return JSON values, one per line."""
    return rows.map(lambda found: "".join(f"{json.dumps(row)}\n" for row in found).encode())


def spoiled(row: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return the value, sometimes with one of its inner values replaced or removed."""

    def spoil(value: Any, path: Sequence[float], new: Any) -> Any:
        if not path or not isinstance(value, (dict, list)) or not value:
            return new
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = keys[int(path[0] * (len(keys) - 1))]
        changed = value.copy()
        changed[key] = spoil(value[key], path[1:], new)
        return changed

    paths = st.lists(st.floats(0, 1), min_size=1, max_size=6)
    return st.one_of(*[row] * 4, st.builds(spoil, row, paths, values))


def corpus_rows(count: int) -> Content:
    """Return a corpus in JSON Lines, with references, annotations or groups."""
    edit = st.builds(
        lambda span, texts, kind: {"start": span[0], "end": span[1], "corrections": texts, "type": kind},
        spans,
        st.lists(texts, min_size=1, max_size=2),
        st.sampled_from(["R:NOUN", "UNK", "noop"]),
    )
    annotation = st.builds(
        lambda who, edits: {"annotator": who, "edits": edits}, st.integers(0, 3), st.lists(edit, max_size=3)
    )
    change = st.builds(lambda span, text: {"start": span[0], "end": span[1], "text": text}, spans, texts)
    alternative = st.builds(
        lambda who, changes: {"annotator": who, "replacements": changes},
        st.sampled_from("012"),
        st.lists(change, max_size=2),
    )
    group = st.builds(
        lambda ways, required: {"alternatives": ways, "required": required, "type": "T"},
        st.lists(alternative, max_size=2),
        st.booleans(),
    )
    gold: dict[str, st.SearchStrategy[Any]] = {
        "references": st.lists(plain_sentences | sentences, min_size=1, max_size=3),
        "annotations": st.lists(annotation, max_size=3),
        "groups": st.builds(lambda groups: {"groups": groups, "annotators": 3}, st.lists(group, max_size=3)),
    }
    source = plain_sentences.map(lambda text: "a b c d " + text)

    def rows(kinds: list[str]) -> st.SearchStrategy[list[Any]]:
        row = st.fixed_dictionaries({"source": source, **{kind: gold[kind] for kind in kinds}})
        return st.lists(spoiled(row), min_size=count, max_size=count)

    return json_lines(st.lists(st.sampled_from(list(gold)), min_size=1, max_size=2, unique=True).flatmap(rows))


def table_rows(count: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Return the rows of a table of predictions."""
    names = st.sampled_from(
        [["prediction"], ["prediction", "id"], ["source", "output"], ["text"], ["a", "b"], ["prediction", "text"]]
    )
    return names.flatmap(
        lambda chosen: st.lists(
            spoiled(st.fixed_dictionaries(dict.fromkeys(chosen, plain_sentences | sentences))),
            min_size=count,
            max_size=count,
        )
    )


def separated(delimiter: str, rows: st.SearchStrategy[list[Any]]) -> Content:
    """Return a table separated by commas or tabs; fields may be quoted, badly quoted or not quoted."""

    def spelled(found: list[Any], quote: str) -> bytes:
        table = [row if isinstance(row, dict) else {"x": row} for row in found]
        lines = [list(table[0])] if table else []
        lines += [list(map(str, row.values())) for row in table]
        return encoded("".join(delimiter.join(f"{quote}{cell}{quote}" for cell in line) + "\n" for line in lines))

    return st.builds(spelled, rows, st.sampled_from(["", '"', "'"]))


def parquet(rows: st.SearchStrategy[list[Any]]) -> Content:
    """Return a Parquet table with all columns that pyarrow can make from the rows."""

    def packed(found: list[Any]) -> bytes:
        import pyarrow
        import pyarrow.parquet

        buffer = io.BytesIO()
        names = list(found[0]) if found and isinstance(found[0], dict) else []
        try:
            columns = {name: [row[name] for row in found] for name in names}
            pyarrow.parquet.write_table(pyarrow.table(columns), buffer)
        except (pyarrow.ArrowException, KeyError, TypeError, OverflowError, UnicodeError):
            return b"PAR1"
        return buffer.getvalue()

    return rows.map(packed)


_systems = st.sampled_from(["A", "B", "C", "D", "A", "B", "", "\u202e", "INPUT"])
_judgment = st.builds(
    lambda *cells: cells,
    st.one_of(*[st.integers(0, 5).map(str)] * 6, numbers),
    st.sampled_from(["w1", "w2", "", "é"]),
    *(_systems, st.one_of(*[st.integers(1, 3).map(str)] * 6, numbers)) * 2,
)


def judgments() -> Content:
    """Return human judgments as WMT CSV, or as ranking XML."""

    def table(rows: list[tuple[str, ...]]) -> bytes:
        header = "segmentId,judgeId,system1Id,system1rank,system2Id,system2rank"
        return encoded("".join(f"{line}\n" for line in [header, *map(",".join, rows)]))

    def ranking(rows: list[tuple[str, ...]]) -> bytes:
        items = "".join(
            f"<ranking-item src-id={quoteattr(segment)} user={quoteattr(judge)} duration='0:01:02'>"
            f"<translation system={quoteattr(one)} rank={quoteattr(first)}/>"
            f"<translation system={quoteattr(two)} rank={quoteattr(second)}/></ranking-item>"
            for segment, judge, one, first, two, second in rows
        )
        return encoded(f"<set>{items}</set>")

    rows = st.lists(_judgment, max_size=8)
    return rows.map(table) | rows.map(table) | rows.map(ranking)


def scores() -> Content:
    """Return a table of system scores, separated by tabs."""
    row = st.tuples(_systems, st.one_of(*[st.integers(-3, 3).map(str)] * 6, numbers)).map("\t".join)
    return st.lists(row, max_size=6).map(lambda rows: encoded("".join(f"{each}\n" for each in rows)))


def changed_json(good: Callable[[], Any]) -> Content:
    """Return a valid JSON object with one or two values replaced."""
    return spoiled(spoiled(st.builds(good))).map(lambda value: json.dumps(value).encode() + b"\n")
