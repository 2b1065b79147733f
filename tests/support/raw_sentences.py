"""Sentences, tokenized and raw, for the tests of raw text."""

import gecbench
from gecbench.corpus.tokenize import detokenize

DEMO = gecbench.load_demo()
GOOD = gecbench.load_demo_systems()["good-corrector"]
RAW_GOOD = detokenize(GOOD)

SOURCES = [
    "My uncle do n't likes the rain , but he walk every day .",
    "The bakers says that bread , butter and jam is enough .",
    "Are you sure that the ferry 's captain have seen us ?",
    "We has painted the door , the fence and the gate .",
    "What a lovely gardens you has , Maria !",
    "It is n't clear who have won the race .",
    "The twins , who is nine , goes to school by bicycle .",
    "Her brother 's boat are older than the harbour .",
    "Tomorrow , the mayor open the new bridge .",
    "Nobody know why the clock have stopped .",
]
TOKENIZED = [
    "My uncle does n't like the rain , but he walks every day .",
    "The bakers say that bread , butter and jam are enough .",
    "Are you sure that the ferry 's captain has seen us ?",
    "We have painted the door , the fence and the gate .",
    "What a lovely garden you have , Maria !",
    "It is n't clear who has won the race .",
    "The twins , who are nine , go to school by bicycle .",
    "Her brother 's boat is older than the harbour .",
    "Tomorrow , the mayor opens the new bridge .",
    "Nobody knows why the clock has stopped .",
]
RAW = [
    "My uncle doesn't like the rain, but he walks every day.",
    "The bakers say that bread, butter and jam are enough.",
    "Are you sure that the ferry's captain has seen us?",
    "We have painted the door, the fence and the gate.",
    "What a lovely garden you have, Maria!",
    "It isn't clear who has won the race.",
    "The twins, who are nine, go to school by bicycle.",
    "Her brother's boat is older than the harbour.",
    "Tomorrow, the mayor opens the new bridge.",
    "Nobody knows why the clock has stopped.",
]


def corpus(references=TOKENIZED):
    return gecbench.Corpus(sources=SOURCES, references=[[text] for text in references])
