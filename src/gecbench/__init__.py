"""gecbench: benchmark grammatical error correction, exact to the official scorers.

>>> import gecbench
>>> corpus = gecbench.Corpus(sources=["She like cats very much ."], references=[["She likes cats very much ."]])
>>> gecbench.score(["She likes cats very much ."], corpus)["gleu"].value
1.0
"""

from gecbench.version import __version__ as __version__

_PLACES: dict[str, str] = {}


def _places() -> dict[str, str]:
    """Return the public names, each with the module that `__init__.pyi` imports it from."""
    if not _PLACES:
        from pathlib import Path

        stub = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
        imports = [line.split() for line in stub if line.startswith("from ")]
        _PLACES.update({words[-1]: words[1] for words in imports})
    return _PLACES


def __getattr__(name: str) -> object:
    if name == "__all__":
        return sorted(_places())
    if name not in _places():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    place = _places()[name]
    room = import_module(f".{name}" if place == "." else place, __name__)
    value: object = room if place == "." else getattr(room, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_places()})
