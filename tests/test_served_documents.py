"""What the pages on served models and on the Hub show is run, and the texts in them fit the files they speak of."""

import difflib
import re
from pathlib import Path

import pytest
import yaml
from chat_server import ChatServer
from documents import BLOCK, ROOT, Console, commands, without_versions
from served import NATURAL

from gecbench.models.prompts import NAMES
from gecbench.models.replies import UNANSWERED

pytest.importorskip("huggingface_hub", minversion="1.0")
SHOWN = "http://localhost:8000/v1"
SERVED, HUB = ROOT / "docs" / "served-models.md", ROOT / "docs" / "hub.md"
SENTENCES = list(NATURAL)
PLAN = {SENTENCES[2]: f"```\n{NATURAL[SENTENCES[2]]}\n```", SENTENCES[8]: "I'm sorry, but I can't help with that."}


def renewed(document: Path, folder: Path) -> str:
    """Return a document with the output that its commands really print."""
    with ChatServer(NATURAL | PLAN).running() as server:
        console = Console(folder)

        def run(block: re.Match[str]) -> str:
            if block["language"] != "console":
                return block[0]
            done = [
                console.run(command.replace(SHOWN, server.url), shown).replace(server.url, SHOWN)
                for command, shown in commands(block["body"])
            ]
            return block[0].replace(block["body"], "".join(done))

        return BLOCK.sub(run, document.read_text(encoding="utf-8"))


@pytest.mark.parametrize("document", [SERVED, HUB], ids=lambda path: path.name)
def test_document_shows_what_happens(document, tmp_path, online):
    shown, real = without_versions(document.read_text(encoding="utf-8")), without_versions(renewed(document, tmp_path))
    assert shown == real, "\n".join(difflib.unified_diff(shown, real, "shown", "real", lineterm=""))


def test_prompts_and_outcomes_are_those_there_are():
    text = SERVED.read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)`(?: \(default\))? \| ", text, re.MULTILINE)) == set(NAMES)
    unchanged = re.findall(r"\| the source, as it is \| `([\w ]+)` \|", text)
    assert set(unchanged) == set(UNANSWERED)


def test_the_framework_is_the_one_that_the_datasets_name():
    declared = {yaml.safe_load(path.read_text())["evaluation_framework"] for path in ROOT.glob("datasets/*/eval.yaml")}
    assert {re.search(r'^\+\t\tname: "(.*)",$', HUB.read_text(encoding="utf-8"), re.MULTILINE)[1]} == declared
