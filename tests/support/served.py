"""What the tests of served models share."""

import json
from pathlib import Path

import gecbench
from gecbench.corpus.tokenize import detokenize
from gecbench.models.correction import record_path

DEMO = gecbench.load_demo()
TOKENS = dict(zip(DEMO.sources, gecbench.load_demo_systems()["good-corrector"], strict=True))
NATURAL = dict(zip(detokenize(DEMO.sources), detokenize(TOKENS.values()), strict=True))
SMALL = gecbench.Corpus(sources=["He go home.", "They is here.", "", "I likes it."], name="small")
FIXED = {"He go home.": "He goes home.", "They is here.": "They are here.", "I likes it.": "I like it."}
RIGHT = [FIXED.get(source, source) for source in SMALL.sources]
KEY = "sk-made-up-0123456789"


def correct(server, **options):
    return gecbench.correct(f"endpoint:{server.url}", SMALL, "out.txt", name="it", **options)


def record():
    return json.loads(record_path(Path("out.txt")).read_text(encoding="utf-8"))


def everything_written():
    return b"\n".join(path.read_bytes() for path in Path().rglob("*") if path.is_file())
