"""Three ways in which others turn tokens into raw text: sacremoses, NLTK, and the plain regular expressions."""

import re
from importlib import import_module


def by_moses():
    detokenizer = import_module("sacremoses").MosesDetokenizer(lang="en")
    return lambda line: detokenizer.detokenize(line.split(), unescape=False) if line.split() else ""


def by_nltk():
    detokenizer = import_module("nltk.tokenize.treebank").TreebankWordDetokenizer()
    return lambda line: detokenizer.detokenize(line.split())


def by_regex():
    return _by_regex


_JOINS = [
    (re.compile(r" ([.,!?;:%)\]}])"), r"\1"),
    (re.compile(r"([(\[{$#]) "), r"\1"),
    (re.compile(r" (n't|'s|'m|'re|'ve|'ll|'d|')(?= |$|[.,!?;:])"), r"\1"),
    (re.compile(r"`` ?"), '"'),
    (re.compile(r" ?''"), '"'),
    (re.compile(r'(^| )" (.*?) "'), r'\1"\2"'),
]


def _by_regex(line):
    for pattern, replacement in _JOINS:
        line = pattern.sub(replacement, line)
    return line


WAYS = {"sacremoses": by_moses, "nltk": by_nltk, "regex": by_regex}
