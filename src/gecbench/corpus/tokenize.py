"""Tokenize and detokenize text, with a named tokenizer or guided by the source.

`SourceGuide` tokenizes a raw prediction the way its corpus is tokenized. Words that occur in the source are split as in
the source. Other words are split as elsewhere in the corpus.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from string import ascii_letters
from typing import Any

from gecbench.corpus.corpus import check_texts, overlap
from gecbench.corpus.groups import split_treebank
from gecbench.errors import InputError, MissingDependencyError

Tokenizer = Callable[[str], str]
_CJK = "\u3000-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"


def _characters(text: str) -> str:
    return " ".join(re.sub(f"[{_CJK}]", r" \g<0> ", text).split())


def _moses() -> Tokenizer:
    tokenizer = _import_library("sacremoses", "moses").MosesTokenizer(lang="en")
    return lambda text: str(tokenizer.tokenize(text, return_str=True, escape=False))


def _spacy() -> Tokenizer:
    pipeline = _import_library("spacy", "spacy").blank("en")
    return lambda text: " ".join(token.text for token in pipeline(text) if not token.is_space)


def _13a() -> Tokenizer:
    tokenizer: Tokenizer = _import_library("sacrebleu.tokenizers.tokenizer_13a", "13a", "sacrebleu").Tokenizer13a()
    return tokenizer


def _intl() -> Tokenizer:
    library = _import_library("sacrebleu.tokenizers.tokenizer_intl", "intl", "sacrebleu")
    tokenizer: Tokenizer = library.TokenizerV14International()
    return tokenizer


TOKENIZERS: Mapping[str, Callable[[], Tokenizer]] = {
    "treebank": lambda: split_treebank,
    "moses": _moses,
    "spacy": _spacy,
    "13a": _13a,
    "intl": _intl,
    "char": lambda: _characters,
}


def make_tokenizer(name: str) -> Tokenizer:
    """Return a tokenizer by name.

    The names are `treebank`, `moses` (sacremoses), `spacy` (blank English pipeline), `13a` and `intl` (sacrebleu), and
    `char` (each Chinese or Japanese character is a token, other words stay whole).

    >>> make_tokenizer("treebank")("She doesn't like cats.")
    "She does n't like cats ."
    """
    if name not in TOKENIZERS:
        raise InputError(f"unknown tokenizer {name!r}", fix=f"Choose one of {', '.join(TOKENIZERS)}")
    return TOKENIZERS[name]()


def tokenize(texts: Iterable[str], tokenizer: str = "treebank") -> list[str]:
    """Tokenize raw text.

    Args:
        texts: The texts, as people write them.
        tokenizer: "treebank", "moses", "spacy", "13a", "intl" or "char".

    Returns:
        The texts with single spaces between tokens.

    Raises:
        InputError: The tokenizer is unknown, or a text is not a string.
        gecbench.errors.MissingDependencyError: The tokenizer needs a package that is not installed.

    >>> tokenize(["She doesn't like cats."])
    ["She does n't like cats ."]
    """
    split = make_tokenizer(tokenizer)
    return [" ".join(split(text).split()) for text in check_texts(texts, "texts")]


def detokenize(texts: Iterable[str]) -> list[str]:
    """Join tokens into normal text.

    Punctuation, contractions and quotation marks are attached to words.

    Args:
        texts: Texts with spaces between tokens.

    Returns:
        The joined texts.

    Raises:
        InputError: A text is not a string.

    >>> detokenize(["She does not like `` cats '' , ( or dogs ) ."])
    ['She does not like "cats", (or dogs).']
    """
    return [_detokenize(text.split()) for text in check_texts(texts, "texts")]


_CLITICS = {mark + end for mark in "'’" for end in ("", "s", "m", "d", "ll", "re", "ve")} | {"n't", "n’t"}
_JOIN_LEFT = {*".,!?;:%)]}…”»", "...", "''"} | _CLITICS
_JOIN_RIGHT = {*"([{$#", "``"}
_CLOSING = {'"': '"', "“": "”", "„": "“”", "«": "»", "‘": "’", "‚": "‘’"}  # the marks that close each opening mark


def _detokenize(tokens: list[str]) -> str:
    text: list[str] = []
    unclosed: list[str] = []
    chinese = re.compile(f"[{_CJK}“”‘’—…·]+") if re.search(f"[{_CJK}]", "".join(tokens)) else None
    joined = True
    for place, token in enumerate(tokens, 1):
        closed = next((mark for mark in reversed(unclosed) if token in _CLOSING[mark]), None)
        opens = token in _CLOSING and closed is None and place < len(tokens)
        left = not opens and (token in _CLOSING or closed is not None or token.lower() in _JOIN_LEFT)
        unspaced = chinese and chinese.fullmatch(tokens[place - 2]) and chinese.fullmatch(token)
        if text and not joined and not left and not unspaced:
            text.append(" ")
        text.append('"' if token in ("``", "''") else token)
        joined = opens or token in _JOIN_RIGHT
        if closed is not None:
            unclosed.remove(closed)
        elif opens and token not in unclosed:
            unclosed.append(token)
    return "".join(text)


def _import_library(module: str, tokenizer: str, package: str = "") -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        problem = f"the tokenizer {tokenizer!r} needs the package {module.partition('.')[0]}"
        package = package or f"'gecbench[{tokenizer}]'"
        raise MissingDependencyError(f"{problem}. Install it: pip install {package}") from error


_TYPOGRAPHIC = {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "…": "..."}
_PLAIN = str.maketrans(_TYPOGRAPHIC)
# keeps the length of the text: "…" becomes a semicolon, which every tokenizer also splits off
_SHOWN = str.maketrans({**_TYPOGRAPHIC, "…": ";"})
_JOINED_PAIRS = {"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"}
_OPENING = "\"'(“‘`"
_CANDIDATES = ("treebank", "13a", "intl", "char")
_LONGEST_RUN = 8
_SAMPLE_SIZE = 500
Run = tuple[str, bool]  # tokens written without spaces, and whether they end the line
Runs = dict[Run, tuple[str, ...] | None]


def plain_form(text: str) -> str:
    """Return the text with plain quotation marks, apostrophes and ellipses.

    Use this form to compare texts.
    """
    return _straight(text if text.isascii() else text.translate(_PLAIN))


def _straight(text: str) -> str:
    """Replace Treebank quotation marks with straight ones."""
    return text.replace("``", '"').replace("''", '"') if "`" in text or "'" in text else text


class SourceGuide:
    """The way a corpus is tokenized, learned from its lines."""

    def __init__(self, lines: Iterable[str], tokenizer: str) -> None:
        self.tokenizer = tokenizer
        self._split: Tokenizer = make_tokenizer(tokenizer)
        sentences = [line.split() for line in dict.fromkeys(lines)]
        words = Counter(chain.from_iterable(sentences))
        known: defaultdict[Run, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for tokens in sentences:
            for run, way in _runs(tokens):
                known[run][way] += 1
        self._known_splits = {run: split for run, ways in known.items() if (split := _majority_split(run[0], ways))}
        self._longest = _longest_runs(self._known_splits)
        self._gaps = _learn_gaps(sentences, words)
        self._single_characters = tokenizer == "char" and max(map(len, words), default=0) == 1
        self._splits_full_stops = _split_full_stops(sentences) >= 0
        self._directed_quotes = words["``"] > words['"']
        # A typographic character that the corpus uses may be a correction, so it stays. Others get their plain form.
        used = set("".join(words))
        self._forms = {ord(mark): plain for mark, plain in _TYPOGRAPHIC.items() if mark not in used}
        self._quotes = [mark for mark, plain in _TYPOGRAPHIC.items() if plain == '"' and mark in used]
        if "’" in used and "'" not in used:
            self._forms[ord("'")] = "’"

    def tokenize(self, source: str, text: str) -> str:
        """Tokenize a raw prediction, guided by its tokenized source."""
        source_tokens = source.split()
        # If a line uses typographic quotation marks, its straight quotation marks are intended and stay.
        own = _own_runs(source_tokens, straight_quotes=not any(mark in text for mark in self._quotes))
        longest = _longest_runs(own)
        tokens: list[str] = []
        chunks = _straight(text.translate(self._forms)).split()
        for chunk, following in pairwise([*chunks, ""]):
            # Fast path: most words also occur in the source, and `_guided` would find those first.
            found = own.get((chunk, not following)) or own.get((chunk, bool(following)))
            if found:
                tokens.extend(found)
            else:
                places = self._split_places(chunk, following)
                tokens.extend(self._guided(chunk, places, own, longest, final=not following))
        directed = "``" in source_tokens or ('"' not in source_tokens and self._directed_quotes)
        return " ".join(_direct_quotes(tokens) if directed else tokens)

    def _split_places(self, chunk: str, following: str) -> list[int]:
        """Return the positions at which a chunk (text between spaces) may be split.

        These positions come from the tokenizer, except at gaps that the corpus always or never splits. The tokenizer
        gets typographic characters in their plain forms.
        """
        if self._single_characters:
            return [*range(len(chunk) + 1)]
        shown = chunk.translate(_SHOWN)
        if not following:
            pieces = self._split(shown).split()
        else:
            ends = _ends_sentence(shown) and following.lstrip(_OPENING)[:1].isupper()
            apart = f"{shown[:-1]} ." if self._splits_full_stops and ends else shown
            pieces = self._split(f"{apart} x").split()[:-1]
        places = {0, *accumulate(len(_straight(piece)) for piece in pieces)}
        if max(places) != len(chunk):  # the tokenizer changed characters
            places = {0, len(chunk)}
        if not chunk.isalpha():
            for place, gap in enumerate(_gaps_of(chunk), 1):
                known = self._gaps.get(gap)
                if known is not None:
                    (places.add if known else places.discard)(place)
        if "://" in chunk:
            begin, end = _address(chunk)
            places = {begin, end} | {place for place in places if not begin < place < end}
        return sorted(places)

    def _guided(
        self, chunk: str, places: list[int], own: Runs, longest: Mapping[str, int], final: bool
    ) -> Iterator[str]:
        """Yield the tokens of a chunk.

        At each place this is the longest known run or, if there is none, the text up to the next place.
        """
        first = 0
        while first < len(places) - 1:
            start = places[first]
            reach = start + max(longest.get(chunk[start], 0), self._longest.get(chunk[start], 0))
            last = max(first + 1, bisect_right(places, reach) - 1)
            for end in range(last, first, -1):
                spelled, ends_line = chunk[start : places[end]], final and end == len(places) - 1
                found = (
                    own.get((spelled, ends_line))
                    or own.get((spelled, not ends_line))
                    or self._known_splits.get((spelled, ends_line))
                )
                if found:
                    yield from found
                    break
            else:
                yield chunk[start : places[first + 1]]
                end = first + 1
            first = end


def measure_tokenizer(lines: Sequence[str]) -> str:
    """Return the tokenizer that best restores lines after detokenization.

    Return `none` for raw text. The best tokenizer restores the most lines. If tokenizers tie, the overlap of tokens
    decides.
    """
    sample = [" ".join(line.split()) for line in lines[:: max(1, len(lines) // _SAMPLE_SIZE)]]
    raw = [text.translate(_SHOWN) for text in detokenize(sample)]
    wanted = [_straight(line.translate(_SHOWN)) for line in sample]
    results = {"none": raw}
    for name in _CANDIDATES:
        split = make_tokenizer(name)
        results[name] = [_straight(" ".join(split(text).split())) for text in raw]
    return max(
        results,
        key=lambda name: (sum(map(str.__eq__, results[name], wanted)), sum(map(overlap, results[name], wanted))),
    )


def _own_runs(tokens: Sequence[str], straight_quotes: bool) -> Runs:
    """Return the tokens of each run of a source, by its spelling.

    Each run (see `_runs`) is listed by its exact spelling and its plain spelling. The value is None if a spelling is
    split in two ways. With `straight_quotes`, straight quotation marks may stand for the source's typographic ones.
    """
    exact: Runs = {}
    plain: Runs = {}
    for (spelled, final), way in _runs(tokens):
        exact[spelled, final] = way if exact.get((spelled, final), way) == way else None
        simple = plain_form(spelled)
        if simple != spelled and (straight_quotes or '"' not in simple):
            plain[simple, final] = way if plain.get((simple, final), way) == way else None
    return plain | exact


def _longest_runs(runs: Iterable[Run]) -> dict[str, int]:
    """Return for each character the length of the longest run that starts with it."""
    longest: dict[str, int] = {}
    for spelled, _ in runs:
        longest[spelled[0]] = max(len(spelled), longest.get(spelled[0], 0))
    return longest


def _majority_split(spelled: str, ways: Counter[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the split of a run that is more frequent than all others together.

    Return None if there is no such split. A run with quotation marks must always be split the same way, because the
    direction of the marks varies.
    """
    way, count = max(ways.items(), key=itemgetter(1))
    return way if len(ways) == 1 or (2 * count > ways.total() and '"' not in spelled) else None


_NEVER_INSIDE = 200  # a gap counts as always split if it is split this many times as often as it is inside a token
_NEVER_SPLIT = 10  # a gap counts as never split if it is inside a token this many times as often as it is split


def _learn_gaps(sentences: Iterable[Sequence[str]], words: Mapping[str, int]) -> dict[str, bool]:
    """Return the gaps between characters that a corpus treats consistently.

    The value is True for a gap that is always split, and False for a gap that is never split. The space between two
    tokens may come from the raw text, so it alone does not show a split. A gap counts as always split only if it is
    hardly ever inside a token.
    """
    inside: Counter[str] = Counter()
    for word, count in words.items():
        if not ("/" in word and "." in word) and not word.startswith("www."):
            for gap in _gaps_of(word):
                inside[gap] += count
    pairs: Counter[tuple[str, ...]] = Counter()
    for tokens in sentences:
        firsts, lasts = [token[0] for token in tokens], [token[-1] for token in tokens]
        pairs.update(zip(lasts, firsts[1:], strict=False))
        pairs.update(
            (left, mark, right)
            for left, mark, right in zip(lasts, tokens[1:], firsts[2:], strict=False)
            if len(mark) == 1 and not mark.isalnum() and left.isalnum() and right.isalnum()
        )
    between: Counter[str] = Counter()
    for characters, count in pairs.items():
        between["".join(map(_kind, characters))] += count if len(characters) == 2 else 2 * count
    return {gap: split for gap in inside | between if (split := _always(gap, inside[gap], between[gap])) is not None}


def _always(gap: str, inside: int, between: int) -> bool | None:
    """Return whether a gap is always split (True) or never (False).

    Return None if this is unclear.
    """
    if "'" in gap or "’" in gap or ("." in gap and len(gap) == 3):
        return None  # contractions, abbreviations and numbers are left to the tokenizer
    if inside == 0 and between > 2 and len(set(gap)) == 1:
        return True
    if between > _NEVER_INSIDE * (inside + 0.5):
        return True
    return False if inside > _NEVER_SPLIT * (between + 0.5) else None


def _gaps_of(word: str) -> Iterator[str]:
    """Yield the kinds of the characters at each gap.

    These are two characters, or three if one is a mark between letters or digits.
    """
    kinds = [*map(_kind, word)]
    for place in range(1, len(kinds)):
        begin, end = place - 1, place + 1
        if not kinds[begin].isalpha() and kinds[place].isalpha() and begin and kinds[begin - 1].isalpha():
            begin -= 1
        elif kinds[begin].isalpha() and not kinds[place].isalpha() and end < len(kinds) and kinds[end].isalpha():
            end += 1
        yield "".join(kinds[begin:end])


def _address(chunk: str) -> tuple[int, int]:
    """Return the start and end of the web address in a chunk.

    Punctuation after the address is left out.
    """
    return len(chunk[: chunk.index("://")].rstrip(ascii_letters)), len(chunk.rstrip(".,!?;:)]}'\"»”“’…"))


def _kind(character: str) -> str:
    """Return the kind of a character.

    The kind is D for a digit, L for a letter, and C for a Chinese or Japanese character. A mark is its own kind.
    """
    if character.isdigit():
        return "D"
    if character.isalpha():
        return "L" if character < "\u3000" else "C"
    return character


def _runs(tokens: Sequence[str]) -> Iterator[tuple[Run, tuple[str, ...]]]:
    """Yield each run: tokens that raw text may write without spaces between them.

    A run is given as (its spelling, whether it ends the line) and its tokens.
    """
    plain, straight, last = [*map(plain_form, tokens)], [*map(_straight, tokens)], len(tokens) - 1
    for start, first in enumerate(straight):
        spelled = first
        yield (spelled, start == last), (tokens[start],)
        for end in range(start + 1, min(len(tokens), start + _LONGEST_RUN)):
            if not _joins(plain[end - 1], plain[end]):
                break
            spelled += straight[end]
            yield (spelled, end == last), tuple(tokens[start : end + 1])


def _joins(left: str, right: str) -> bool:
    """Return whether raw text may write two tokens without a space between them."""
    if right[0] == "." and right[1:2].isalnum():  # ".net"
        return False
    if right[0] in ".,!?;:)]}%'\"" or left[-1] in '([{$€£¥#"' or left == "'":
        return True
    return right.lower() == "n't" or (left + right).lower() in _JOINED_PAIRS or _is_chinese(left[-1], right[0])


def _is_chinese(left: str, right: str) -> bool:
    return left >= "\u3000" and right >= "\u3000"


def _split_full_stops(sentences: Iterable[Sequence[str]]) -> int:
    """Return how many more periods inside lines are split than joined.

    This is the number of periods split from their words, minus the number joined to them. Short and capitalized words
    do not count, because with a period they are often abbreviations.
    """
    split = glued = 0
    for tokens in sentences:
        for left, middle, right in zip(tokens, tokens[1:], tokens[2:], strict=False):
            split += middle == "." and right[0].isupper() and left[0].islower() and len(left) > 3
        for left, right in pairwise(tokens):
            glued += right[0].isupper() and _ends_sentence(left) and left[0].islower() and len(left) > 4
    return split - glued


def _ends_sentence(word: str) -> bool:
    """Return whether a word may end a sentence.

    Its only period must be at its end, and must not follow a capital.
    """
    return word.find(".") == len(word) - 1 > 0 and (word[-2].islower() or word[-2].isdigit() or word[-2] in ")'\"")


def _direct_quotes(tokens: Iterable[str]) -> Iterator[str]:
    """Turn plain quotation marks alternately into opening and closing Treebank marks."""
    inside = False
    for token in tokens:
        if token in ('"', "``", "''"):
            inside = not inside if token == '"' else token == "``"
            yield ("``" if inside else "''") if token == '"' else token
        else:
            yield token
