"""Measure the processor time of a reward per completion: batches of 512 raw-text completions of JFLEG's test sentences.

GECBENCH_MIRROR=folder python benchmarks/reward.py
"""

import argparse
import sys
import time

from measure import mirror

import gecbench
from gecbench.huggingface.reward import Reward

GOAL = {"gleu": 0.15, "m2": 0.15}  # milliseconds of processor time per completion
BATCH = 512


def batches(corpus, prompts):
    """Yield batches of completions: `prompts` different sentences, each repeated until the batch is full."""
    copies = BATCH // prompts
    for begin in range(0, len(corpus) - prompts + 1, prompts):
        places = [i for i in range(begin, begin + prompts) for _ in range(copies)]
        texts = [corpus.references[i][k % len(corpus.references[i])] for k, i in enumerate(places)]
        columns = {
            "sentence": [corpus.sources[i] for i in places],
            "corrections": [list(corpus.references[i]) for i in places],
        }
        yield gecbench.detokenize(texts), columns


def milliseconds(reward: Reward, corpus, prompts):
    """Return the processor time per completion."""
    spent, count = 0.0, 0
    for texts, columns in batches(corpus, prompts):
        begin = time.process_time()
        reward(texts, **columns)
        spent += time.process_time() - begin
        count += len(texts)
    return 1000 * spent / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metrics", nargs="+", default=["gleu", "m2", "green", "imeasure"])
    parser.add_argument("--rounds", type=int, default=3, help="measure so often, and report the fastest")
    options = parser.parse_args()
    if mirror() is None:
        sys.exit("Set GECBENCH_MIRROR to a folder with the corpora.")
    corpus = gecbench.load_corpus("jfleg:test")
    print("| metric | goal | 512 different sentences | 64 sentences, 8 completions each |")
    print("|---|--:|--:|--:|")
    for name in options.metrics:
        reward = gecbench.reward(name, source="sentence", references="corrections")
        found = [
            min(milliseconds(reward, corpus, prompts) for _ in range(options.rounds)) for prompts in (BATCH, BATCH // 8)
        ]
        goal = f"≤ {GOAL[name]} ms" if name in GOAL else ""
        print(f"| {name} | {goal} | {found[0]:.3f} ms | {found[1]:.3f} ms |")


if __name__ == "__main__":
    main()
