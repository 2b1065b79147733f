"""The version of gecbench. The build reads it from here."""

__version__ = "0.3.0"

REQUIREMENT = "gecbench @ git+https://github.com/gecbench/gecbench"
"""The requirement that pip installs. Shorten it to `gecbench` after the first release on PyPI."""
