"""Descriptions of error types.

These are the 28 types of CoNLL-14 (NUCLE), and ERRANT's types for English and Czech.
"""

from __future__ import annotations

from collections.abc import Mapping

# Ng et al. 2014, Table 1, with the same abbreviations
CONLL14_TYPES: Mapping[str, str] = {
    "ArtOrDet": "article or determiner",
    "Cit": "citation",
    "Mec": "spelling, punctuation or capitalization",
    "Nn": "noun number",
    "Npos": "noun possessive",
    "Others": "other error",
    "Pform": "pronoun form",
    "Pref": "pronoun reference",
    "Prep": "preposition",
    "Rloc-": "redundant words",
    "SVA": "subject-verb agreement",
    "Sfrag": "sentence fragment",
    "Smod": "dangling modifier",
    "Spar": "parallelism",
    "Srun": "run-on sentence or comma splice",
    "Ssub": "subordinate clause",
    "Trans": "linking word or phrase",
    "Um": "unclear meaning",
    "V0": "missing verb",
    "Vform": "verb form",
    "Vm": "modal verb",
    "Vt": "verb tense",
    "WOadv": "position of an adverb or adjective",
    "WOinc": "word order",
    "Wa": "acronym",
    "Wci": "wrong collocation or idiom",
    "Wform": "word form",
    "Wtone": "tone (too formal or informal)",
}
# Bryant et al. 2017, Table 2; Náplava et al. 2022 for Czech
ERRANT_CATEGORIES: Mapping[str, str] = {
    "ADJ": "adjective",
    "ADJ:FORM": "comparative or superlative form",
    "ADJ:INFL": "adjective inflection",
    "ADP": "preposition",
    "ADV": "adverb",
    "ADV:INFL": "adverb inflection",
    "AUX": "auxiliary verb",
    "AUX:INFL": "auxiliary verb inflection",
    "CCONJ": "coordinating conjunction",
    "CONJ": "conjunction",
    "CONTR": "contraction",
    "DET": "determiner",
    "DET:INFL": "determiner inflection",
    "DIACR": "diacritics",
    "INTJ": "interjection",
    "MORPH": "word form (same stem)",
    "NOUN": "noun",
    "NOUN:INFL": "noun inflection",
    "NOUN:NUM": "noun number",
    "NOUN:POSS": "noun possessive",
    "NUM": "numeral",
    "NUM:INFL": "numeral inflection",
    "ORTH": "capitalization or spacing",
    "ORTH:CASING": "capitalization",
    "ORTH:WSPACE": "spacing",
    "OTHER": "words (no other type fits)",
    "PART": "particle",
    "PREP": "preposition",
    "PRON": "pronoun",
    "PRON:INFL": "pronoun inflection",
    "PROPN": "proper noun",
    "PROPN:INFL": "proper noun inflection",
    "PUNCT": "punctuation",
    "QUOTATION": "quotation marks",
    "SCONJ": "subordinating conjunction",
    "SPELL": "spelling",
    "VERB": "verb",
    "VERB:FORM": "verb form",
    "VERB:INFL": "verb inflection",
    "VERB:SVA": "subject-verb agreement",
    "VERB:TENSE": "verb tense",
    "WO": "word order",
    "WO:SPELL": "word order and spelling",
}
ERRANT_OPERATIONS: Mapping[str, str] = {"M": "missing", "R": "wrong", "U": "unnecessary"}
_SPECIAL = {"noop": "no error", "UNK": "unknown type"}


def error_type_in_words(error_type: str) -> str:
    """Return the meaning of an error type, or an empty string if it is unknown.

    If several types are joined by a slash, as in error groups of the I-measure, each is explained.

    Args:
        error_type: A type of CoNLL-14 (`Wci`) or of ERRANT (`R:VERB:SVA`, or its category or operation alone).

    Returns:
        A few words without the type itself.

    Example:
        >>> error_type_in_words("Wci"), error_type_in_words("M:DET"), error_type_in_words("VERB:SVA")
        ('wrong collocation or idiom', 'missing determiner', 'subject-verb agreement')
        >>> error_type_in_words("Nn/Vt"), error_type_in_words("F/Style")
        ('noun number / verb tense', '')
    """
    known = CONLL14_TYPES.get(error_type) or ERRANT_CATEGORIES.get(error_type) or _SPECIAL.get(error_type)
    if known:
        return known
    operation, colon, category = error_type.partition(":")
    if operation in ERRANT_OPERATIONS and (category in ERRANT_CATEGORIES or not colon):
        return f"{ERRANT_OPERATIONS[operation]} {ERRANT_CATEGORIES[category] if colon else 'words'}"
    parts = error_type.split("/")
    words = [error_type_in_words(part) for part in parts] if len(parts) > 1 else []
    return " / ".join(words) if words and all(words) else ""


def describe_error_type(error_type: str) -> str:
    """Return an error type followed by its meaning.

    If the meaning is unknown, return only the type.

    Args:
        error_type: The error type, as in an M2 file.

    Returns:
        The type, a colon and a few words, or the type alone.

    Example:
        >>> describe_error_type("Wci")
        'Wci: wrong collocation or idiom'
        >>> describe_error_type("F/Style")
        'F/Style'
    """
    words = error_type_in_words(error_type)
    return f"{error_type}: {words}" if words else error_type
