"""An XML reader that rejects document types and entities.

So no entity can expand or include a file.
"""

from __future__ import annotations

from xml.parsers import expat

from gecbench.errors import InputError


class XmlReader:
    """Base class of readers that handle elements and text one by one.

    `open` and `close` are called for every element, and `characters` for text. Errors name the file and the line.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse
        self.parser.StartElementHandler = self.open
        self.parser.EndElementHandler = self.close
        self.parser.CharacterDataHandler = self.characters

    def read(self, data: bytes) -> None:
        """Read a whole document."""
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            problem = f"not well-formed XML: {expat.ErrorString(error.code)}"
            raise InputError(problem, file=self.file, line=error.lineno) from None
        except InputError:
            raise
        except (LookupError, ValueError) as error:
            raise InputError(f"the encoding is not supported ({error})", file=self.file, fix="Use UTF-8") from None

    def wrong(self, problem: str, fix: str = "") -> InputError:
        """Return the error for a problem on the current line."""
        return InputError(problem, file=self.file, line=self.parser.CurrentLineNumber, fix=fix)

    def refuse(self, *_: object) -> None:
        """Raise an error for a declaration."""
        raise self.wrong("the declarations <!DOCTYPE ...> and <!ENTITY ...> are not allowed", "Remove them")

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""

    def close(self, name: str) -> None:
        """Handle the end of an element."""

    def characters(self, data: str) -> None:
        """Handle text."""
