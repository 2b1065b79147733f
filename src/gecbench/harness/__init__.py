"""Evaluation harnesses: the same sentences, prompts and scores in lm-evaluation-harness and Inspect AI."""
