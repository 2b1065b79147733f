"""XML read event by event, with nothing expanded or included."""

import pytest

from gecbench.errors import InputError
from gecbench.formats.xml_reader import XmlReader

DECLARED = "the declarations <!DOCTYPE ...> and <!ENTITY ...> are not allowed"
BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE a [
<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<a>&c;</a>"""


class Recorder(XmlReader):
    def __init__(self):
        super().__init__("file.xml")
        self.events = []

    def open(self, name, attributes):
        self.events.append((name, attributes))

    def close(self, name):
        self.events.append(name)

    def characters(self, data):
        self.events.append(f"text {data}")


def test_events_in_order():
    reader = Recorder()
    reader.read(b'<a x="1">one<b/></a>')
    assert reader.events == [("a", {"x": "1"}), "text one", ("b", {}), "b", "a"]


@pytest.mark.parametrize(
    ("data", "place", "problem"),
    [
        (BOMB, ":2", DECLARED),
        (b'<!DOCTYPE a SYSTEM "http://localhost/x.dtd"><a/>', ":1", DECLARED),
        (b'<!DOCTYPE a [<!ENTITY a "aa">]><a/>', ":1", DECLARED),
        (b'<!DOCTYPE a [\n<!ENTITY a SYSTEM "file:///etc/passwd">]><a/>', ":1", DECLARED),
        (b"<a>\n<b>\n</a>", ":3", "not well-formed XML: mismatched tag"),
        (b"", ":1", "not well-formed"),
        (b"plain text", ":1", "not well-formed"),
        (b"<?xml version='1.0' encoding='utf-7'?><a/>", "", "encoding"),
        (b"<?xml version='1.0' encoding='no-such'?><a/>", "", "encoding"),
    ],
)
def test_what_is_refused(data, place, problem):
    reader = Recorder()
    with pytest.raises(InputError, match=problem) as caught:
        reader.read(data)
    assert str(caught.value).startswith(f"file.xml{place}: ")
    assert reader.events in ([], [("a", {}), "text \n", ("b", {}), "text \n"])
