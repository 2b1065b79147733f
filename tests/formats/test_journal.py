"""Journals: what a kill leaves is read back, anything else is refused and left as it is."""

import hashlib
import io
import json
import sys

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from gecbench import InputError
from gecbench.formats.journal import RowJournal, State, StateJournal

KEY = {"model": "cmd:cat", "sentences": 42}
ROWS = [{"line": 1, "text": "One é ."}, {"line": 2, "text": "Two ."}, {"line": 9, "text": "Three ."}]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.partial.jsonl"


def load(path, **options):
    """Return the rows of a journal, and the journal."""
    journal = RowJournal(path, KEY, "Choose another -o")
    rows = journal.load(**options)
    for number, row in enumerate(rows):
        if "line" not in row:
            with journal:
                raise journal.damaged(number)
    return rows, journal


def write(path, rows):
    with load(path)[1] as journal:
        journal.append(rows)


def test_every_torn_end_is_dropped(path):
    write(path, ROWS)
    whole = path.read_bytes()
    ends = [position + 1 for position, byte in enumerate(whole) if byte == 0x0A]
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        complete = sum(end <= length for end in ends)
        rows, journal = load(path)
        assert rows == ROWS[: max(0, complete - 1)]
        with journal:
            journal.append([{"line": 3}])
        assert load(path)[0][-1] == {"line": 3}


def test_a_file_that_is_not_a_journal_stays(path):
    path.write_bytes(b"my notes")
    with pytest.raises(InputError, match=r"out.partial.jsonl:1: this line is damaged. Discard the file with --restart"):
        load(path)
    assert path.read_bytes() == b"my notes"


@pytest.mark.parametrize("line", [b"{}", b"\xff", b"[]", b"[" * 100_000])
@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_damaged_line_is_an_error_and_the_file_stays(path, line, number):
    write(path, ROWS)
    lines = path.read_bytes().split(b"\n")
    lines[number] = line
    damaged = b"\n".join(lines) + b'{"line": 4'
    path.write_bytes(damaged)
    with pytest.raises(
        InputError, match=rf"partial.jsonl(:{number + 1}: this line is damaged|: contains the outputs of).*--restart"
    ):
        load(path)
    assert path.read_bytes() == damaged
    assert load(path, restart=True)[0] == []


def test_rows_of_another_run_are_refused(path, monkeypatch):
    write(path, ROWS)
    before = path.read_bytes()
    monkeypatch.setitem(KEY, "model", "cmd:tac")
    with pytest.raises(
        InputError, match=r"another run \(model: 'cmd:cat' in the file, 'cmd:tac' now\). Choose another -o, or disc"
    ):
        load(path)
    assert path.read_bytes() == before
    with load(path, restart=True)[1] as journal:
        journal.append(ROWS)
    assert path.read_bytes() == before.replace(b"cmd:cat", b"cmd:tac")


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_restarting_empties_no_other_file(tmp_path, path):
    other = tmp_path / "other"
    other.write_text("mine")
    path.symlink_to(other)
    for restart in (False, True):
        with pytest.raises(InputError, match="is not a regular file"):
            load(path, restart=restart)
    assert other.read_text() == "mine"


def test_one_run_at_a_time(path):
    pytest.importorskip("fcntl")
    _, first = load(path)
    with first, pytest.raises(InputError, match=r"is in use by another run\. Choose another -o"):
        load(path)
    assert load(path)[0] == []


def test_truncating_and_finishing(path):
    write(path, [])
    assert not path.exists(), "a journal without rows is not left"
    write(path, ROWS)
    with load(path)[1] as journal:
        journal.truncate(1)
        journal.append(ROWS[2:])
    rows, journal = load(path)
    assert rows == [ROWS[0], ROWS[2]]
    with journal:
        journal.finish()
    assert not path.exists()


def state_journal(target, **key):
    return StateJournal({"file": "a.txt", **key}, target, "Wait for it")


class TestStates:
    STATE = State({"rows": 3}, {"counts": np.arange(4)})
    TABLE = pyarrow.table({"index": [0, 1]})

    @pytest.fixture
    def target(self, tmp_path):
        return tmp_path / "per.parquet"

    def test_the_last_state_is_resumed_and_parts_after_it_are_written_again(self, target):
        with state_journal(target) as journal:
            assert journal.load(resume=False) is None
            journal.append(self.TABLE)
            journal.save(State({"rows": 2}, {}))
            journal.append(self.TABLE)
            journal.save(self.STATE)
            journal.append(self.TABLE)
        with state_journal(target) as journal:
            found = journal.load(resume=True)
            assert found.facts == self.STATE.facts
            assert np.array_equal(found.arrays["counts"], np.arange(4))
            journal.append(pyarrow.table({"index": [9]}))
            assert not target.exists()
            journal.finish()
        assert pyarrow.parquet.read_table(target)["index"].to_pylist() == [0, 1, 0, 1, 9]
        assert [path.name for path in target.parent.iterdir()] == ["per.parquet"]

    def test_without_a_state_nothing_is_left(self, target):
        with state_journal(target) as journal:
            journal.append(self.TABLE)
        assert not list(target.parent.iterdir())

    def test_what_does_not_fit_is_refused(self, target):
        def refused(message, resume=True, **key):
            with state_journal(target, **key) as journal, pytest.raises(InputError, match=message):
                journal.load(resume=resume)

        refused(r"there is no unfinished run to resume\. Start without --resume")
        with state_journal(target) as journal:
            journal.save(self.STATE)
        refused(r"this folder belongs to an unfinished run\. Resume the run with --resume", resume=False)
        refused("belongs to a run with other files or options", column="x")
        for content in (b"no state", b"PK\x03\x04"):
            (journal.path / "state").write_bytes(content)
            refused("the saved state is damaged")

    def test_every_state_that_was_cut_or_changed_is_refused(self, target):
        with state_journal(target) as journal:
            journal.append(self.TABLE)
            journal.save(self.STATE)
        state = journal.path / "state"
        whole = state.read_bytes()
        damaged = [whole[:length] for length in range(0, len(whole), 7)]
        damaged += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), 5)]
        for content in damaged:
            state.write_bytes(content)
            with state_journal(target) as journal, pytest.raises(InputError, match="the saved state is damaged"):
                journal.load(resume=True)
            assert state.read_bytes() == content

    @pytest.mark.parametrize("facts", [[], {}, {"key": 1}, {"key": 1, "parts": 1}, {"key": 1, "parts": [[1]]}, "x"])
    def test_a_state_of_another_shape_with_its_hash_is_refused(self, target, facts):
        with state_journal(target) as journal:
            journal.save(self.STATE)
        content = io.BytesIO()
        np.savez(content, facts=json.dumps(facts))
        data = content.getvalue()
        (journal.path / "state").write_bytes(hashlib.sha256(data).hexdigest().encode() + data)
        with state_journal(target) as journal, pytest.raises(InputError, match="the saved state is damaged"):
            journal.load(resume=True)

    @pytest.mark.parametrize("rows", [None, [0], [0, 2], [0, 1]])
    def test_a_part_that_is_not_as_it_was_written_is_refused(self, target, rows):
        """Missing, shorter, with another number, and the same rows written in another way."""
        with state_journal(target) as journal:
            journal.append(self.TABLE)
            journal.save(self.STATE)
        part = journal.path / "part-000000.parquet"
        part.unlink()
        if rows:
            pyarrow.parquet.write_table(pyarrow.table({"index": rows}), part, compression="none")
        with state_journal(target) as journal, pytest.raises(InputError, match=r"a part of|has changed since") as e:
            journal.load(resume=True)
        assert ("missing" if rows is None else "2 rows") in str(e.value)

    def test_one_run_at_a_time(self, target):
        pytest.importorskip("fcntl")
        first, second = state_journal(target), state_journal(target)
        first.append(self.TABLE)
        with pytest.raises(InputError, match=r"is in use by another run\. Wait for it"):
            second.append(self.TABLE)
        first.save(self.STATE)
        with pytest.raises(InputError, match="is in use by another run"):
            second.load(resume=True)
        second.leave()
        second.discard()
        first.finish()
        assert pyarrow.parquet.read_table(target).num_rows == 2
        assert not first.path.exists()
