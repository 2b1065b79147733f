"""gecbench: benchmark grammatical error correction, exact to the official scorers.

>>> import gecbench
>>> corpus = gecbench.Corpus(sources=["She like cats very much ."], references=[["She likes cats very much ."]])
>>> gecbench.score(["She likes cats very much ."], corpus)["gleu"].value
1.0
"""

import lazy_loader

from gecbench.version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
