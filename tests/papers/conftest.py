from functools import cache

import pytest

from gecbench.papers import reproduce
from gecbench.papers.data import Conll14


@pytest.fixture(scope="session")
def data(mirror):
    return Conll14(mirror)


@pytest.fixture(scope="session")
def reproduced(mirror):
    """Return a paper's reproduction, computed once."""
    return cache(lambda paper, **settings: reproduce(paper, mirror, **settings))
