"""The version of gecbench: stated here, read by the build."""

__version__ = "0.3.0"

REQUIREMENT = "gecbench @ git+https://github.com/gecbench/gecbench"
"""What pip installs; the name alone will do once there is a release on PyPI."""
