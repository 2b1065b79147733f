"""A spaCy pipeline trained here on a few sentences: tags, dependencies and lemmas, all that errant looks at."""

from __future__ import annotations

from pathlib import Path

import pytest

# Each token: word, tag of the Penn Treebank, lemma, head (counted from the sentence's start), dependency.
SENTENCES = [
    "She/PRP/she/1/nsubj likes/VBZ/like/1/ROOT the/DT/the/3/det cats/NNS/cat/1/dobj ./././1/punct",
    "She/PRP/she/1/nsubj like/VBP/like/1/ROOT the/DT/the/3/det cat/NN/cat/1/dobj ./././1/punct",
    "He/PRP/he/1/nsubj goes/VBZ/go/1/ROOT to/IN/to/1/prep school/NN/school/2/pobj ./././1/punct",
    "He/PRP/he/1/nsubj go/VBP/go/1/ROOT to/IN/to/1/prep schools/NNS/school/2/pobj ./././1/punct",
    "They/PRP/they/1/nsubj went/VBD/go/1/ROOT in/IN/in/1/prep a/DT/a/4/det house/NN/house/2/pobj ./././1/punct",
    "The/DT/the/1/det dog/NN/dog/2/nsubj saw/VBD/see/2/ROOT a/DT/a/4/det bird/NN/bird/2/dobj ./././2/punct",
    "Dogs/NNS/dog/1/nsubj see/VBP/see/1/ROOT birds/NNS/bird/1/dobj in/IN/in/1/prep trees/NNS/tree/3/pobj ./././1/punct",
]
UNIVERSAL = {"PRP": "PRON", "DT": "DET", "IN": "ADP", ".": "PUNCT", "NN": "NOUN", "NNS": "NOUN"}
EPOCHS = 40


def train(folder: Path) -> Path:
    """Train the pipeline and write it to a folder."""
    spacy = pytest.importorskip("spacy")
    pytest.importorskip("errant")
    from spacy.tokens import Doc
    from spacy.training import Example

    spacy.util.fix_random_seed(1)
    nlp = spacy.blank("en", meta={"name": "tiny", "version": "1.2.3"})
    nlp.add_pipe("tagger")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    rows = [[word.rsplit("/", 4) for word in sentence.split()] for sentence in SENTENCES]
    examples = []
    for row in rows:
        words, tags, _, heads, dependencies = zip(*row, strict=True)
        gold = {"words": words, "tags": tags, "heads": list(map(int, heads)), "deps": dependencies}
        examples.append(Example.from_dict(Doc(nlp.vocab, words), gold))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(EPOCHS):
        nlp.update(examples, sgd=optimizer)
    ruler = nlp.add_pipe("attribute_ruler")
    for tag in {token[1] for row in rows for token in row}:
        ruler.add([[{"TAG": tag}]], {"POS": UNIVERSAL.get(tag, "VERB")})
    for word, lemma in {(token[0], token[2]) for row in rows for token in row}:
        ruler.add([[{"ORTH": word}]], {"LEMMA": lemma})
    nlp.to_disk(folder)
    return folder
