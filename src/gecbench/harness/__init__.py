"""Evaluation harnesses: the same sentences, prompts and scores in lm-evaluation-harness, Inspect AI and lighteval."""
