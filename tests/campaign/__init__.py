"""The campaign: attacks on gecbench that machines repeat, `python -m tests.campaign --minutes N`."""
