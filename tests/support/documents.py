"""Run the examples of Markdown documents and print the documents with their real output.

    python tests/support/documents.py README.md            print the document with its real output
    python tests/support/documents.py README.md --write    update the document in place

All blocks of a document run in order, in a folder with the demo's files, without a network:
`python` blocks are executed (as a session where they start with `>>>`); in `console` blocks `$ gecbench …` is run,
`$ cat FILE` makes the file shown, `$ echo $?` shows the last exit code. The metrics table between its two
markers is made from the registry. A block after the comment "needs the corpora" runs only where GECBENCH_MIRROR is set,
one after "needs Spark" only where pyspark and Java are, one after "needs TRL" only where trl is. Blocks can import the
modules of `examples/`.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import socket
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gecbench.cli import main as run_command

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
NEEDS = {
    "<!-- needs the corpora -->\n": lambda: bool(os.environ.get("GECBENCH_MIRROR")),
    "<!-- needs TRL -->\n": lambda: find_spec("trl") is not None,
    "<!-- needs Spark -->\n": lambda: find_spec("pyspark") is not None and shutil.which("java") is not None,
}
METRICS_TABLE = re.compile(r"(?<=<!-- metrics:begin -->\n).*?(?=<!-- metrics:end -->)", re.DOTALL)


def run_document(text: str, folder: Path) -> str:
    """Return the document with every shown output replaced by the real one."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    console = Console(folder)

    def run_block(block: re.Match[str]) -> str:
        if lacks_its_needs(text, block):
            return block[0]
        line = text.count("\n", 0, block.start()) + 1
        try:
            return f"```{block['language']}\n{_run(block['language'], block['body'], namespace, console)}```"
        except Exception as error:
            raise RuntimeError(f"the {block['language']} block in line {line} fails") from error

    return BLOCK.sub(run_block, METRICS_TABLE.sub(lambda _: metrics_table(), text))


def lacks_its_needs(text: str, block: re.Match[str]) -> bool:
    """Return whether a comment before the block names something that is not here."""
    return any(text[: block.start()].endswith(comment) and not there() for comment, there in NEEDS.items())


def _run(language: str, body: str, namespace: dict[str, Any], console: Console) -> str:
    if language == "console":
        return "".join(console.run(command, shown) for command, shown in commands(body))
    if language != "python":
        return body
    if body.lstrip().startswith(">>>"):
        return "".join(_run_session(body, namespace))
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(body, "<document>", "exec"), namespace)
    return body


def _run_session(body: str, namespace: dict[str, Any]) -> Iterator[str]:
    for example in doctest.DocTestParser().get_examples(body):
        first, *rest = example.source.splitlines()
        yield "".join(f"{line}\n" for line in [f">>> {first}", *(f"... {line}".rstrip() for line in rest)])
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            try:
                exec(compile(example.source, "<document>", "single"), namespace)
            except Exception as error:
                if not example.exc_msg:
                    raise
                print("Traceback (most recent call last):\n  ...", *traceback.format_exception_only(error), sep="\n")
        yield output.getvalue().rstrip("\n") + "\n" if output.getvalue() else ""


def commands(body: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output shown under it."""
    parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
    if parts[0]:
        raise ValueError(f"a console block starts with a command, not with {parts[0]!r}")
    return list(zip(parts[1::2], parts[2::2], strict=True))


class Console:
    """A shell that knows `gecbench`, `cat FILE` and `echo $?`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.exit_code = 0

    def run(self, command: str, shown: str) -> str:
        """Return the command with its output."""
        words = shlex.split(command)
        if words[0] == "gecbench" and not {"|", ">", "<", ";", "&&"} & set(words):
            return f"$ {command}\n{self._gecbench(words[1:])}"
        if words[0] == "cat" and len(words) == 2:
            (self.folder / words[1]).write_text(shown, encoding="utf-8", newline="\n")
            return f"$ {command}\n{shown}"
        if command == "echo $?":
            return f"$ {command}\n{self.exit_code}\n"
        raise ValueError(f"cannot run {command!r}")

    def _gecbench(self, arguments: Sequence[str]) -> str:
        output, before = io.StringIO(), Path.cwd()
        os.chdir(self.folder)
        try:
            # catch_warnings shows a warning again that an earlier command gave, as a new process does.
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output), warnings.catch_warnings():
                self.exit_code = run_command(arguments)
        except SystemExit as end:
            self.exit_code = int(end.code or 0)
        finally:
            os.chdir(before)
        return output.getvalue()


def metrics_table() -> str:
    """Return the metrics of the registry as a Markdown table."""
    from gecbench.metrics.base import METRICS

    lines = ["| name | metric | what it measures | papers | parameters |", "|---|---|---|---|---|"]
    for name, metric in METRICS.items():
        parameters = ", ".join(f"`{each.name}={each.default}`" for each in metric.parameters().values())
        lines.append(f"| `{name}` | {metric.title} | {metric.description} | {metric.papers} | {parameters} |")
    return "".join(f"{line}\n" for line in lines)


def _no_network(connection: socket.socket, address: Any) -> None:
    """Connect to this machine alone, as Spark's driver does to its Java part."""
    if connection.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError("documents run without a network")
    _connect(connection, address)


_connect = socket.socket.connect


def main() -> None:
    """Print documents with their real output, or update them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true", help="update the document in place")
    options = parser.parse_args()
    socket.socket.connect = _no_network  # type: ignore[method-assign]
    os.environ["TQDM_DISABLE"] = "1"  # progress depends on the machine
    sys.path.append(str(ROOT / "examples"))
    before = Path.cwd()
    for document in [path.resolve() for path in options.documents]:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "metrics", Path(folder) / "metrics")
            text = document.read_text(encoding="utf-8")
            if "\n$ gecbench demo --write demo\n" not in text:
                with contextlib.redirect_stdout(io.StringIO()):
                    run_command(["demo", "--write", str(Path(folder) / "demo")])
            os.chdir(folder)
            try:
                updated = run_document(text, Path(folder))
            except RuntimeError as error:
                raise RuntimeError(f"{document}: {error}") from error
            os.chdir(before)
        if options.write:
            document.write_text(updated, encoding="utf-8", newline="\n")
        else:
            sys.stdout.buffer.write(updated.encode())


def table(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the first Markdown table whose header begins with this cell."""
    found = re.search(rf"^\| {re.escape(heading)} \|.*\n\|[-:|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found, f"no table {heading!r}"
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in found[1].splitlines()]


def without_versions(text: str) -> list[str]:
    text = re.sub(r"\b(version|sacrebleu):[^|\s']+", r"\1:*", text)
    text = re.sub(r"\brecords/[0-9a-f]{64}\b", "records/*", text)
    return re.sub(r"\b\d{4}-\d\d-\d\d$", "a date", text, flags=re.MULTILINE).splitlines()


if __name__ == "__main__":
    main()
