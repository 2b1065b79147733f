"""The version of gecbench, from the installed package's own metadata."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("gecbench")
except PackageNotFoundError:
    __version__ = "0+unknown"
