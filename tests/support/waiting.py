"""Waiting for what happens in another process."""

import time


def eventually(happened, message="it never happens", *, seconds=120.0, every=0.01):
    """Wait until a function returns something true, and return that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := happened():
            return found
        time.sleep(every)
    raise AssertionError(message)
