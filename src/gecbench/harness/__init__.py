"""Tasks for lm-evaluation-harness, Inspect AI and lighteval.

All harnesses use the same sentences, prompts and scores.
"""
