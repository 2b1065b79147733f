"""The version of gecbench: stated here, read by the build."""

__version__ = "0.2.0"
