"""The version of gecbench, which the build reads from here."""

__version__ = "0.3.0"

REQUIREMENT = "gecbench @ git+https://github.com/gecbench/gecbench"
"""The requirement to pass to `pip install`. Shorten it to `gecbench` after the first release on PyPI."""
