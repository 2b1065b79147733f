"""`python:module:function`: a function that corrects one sentence or a list."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import redirect_stdout
from typing import Any, get_origin

from gecbench.display import shorten
from gecbench.errors import counted, type_name
from gecbench.metrics.plugin import find_function
from gecbench.models.base import Model, Outputs

_RETURN = "Return one string for each sentence, in order"
_TAKES = "The function must take a string and return a string, or take a list and return a list"


class FunctionModel(Model):
    """A function that takes a sentence or a list of sentences.

    The annotation of its parameter says which. A function without an annotation is first called with one sentence. If
    it returns a string, it is called once per sentence, otherwise with lists. Text that it prints goes to standard
    error, because scores go to standard output.
    """

    def __init__(self, text: str, function: Callable[..., Any] | None = None) -> None:
        super().__init__(text)
        self.function = function or find_function(text, "model")[1]
        self._by_sentence = _annotated_for_sentence(self.function)

    @property
    def name(self) -> str:
        """The function's name."""
        return self.text.rpartition(":")[2]

    def correct(self, sentences: Sequence[str], lines: Sequence[int]) -> Outputs:
        """Yield the outputs, one by one or in batches."""
        if self._by_sentence is None:
            self._by_sentence = self._takes_a_sentence(sentences[0])
        if not self._by_sentence:
            yield self._call_with_list(sentences, lines[0])
            return
        for line, sentence in zip(lines, sentences, strict=True):
            output = self._call(sentence, line, sentence)
            if not isinstance(output, str):
                problem = f"returned {type_name(output)}, not a string"
                raise self.failure(problem, line, sentence, fix="Return the corrected sentence")
            yield [output]

    def _takes_a_sentence(self, sentence: str) -> bool:
        try:
            with redirect_stdout(sys.stderr):
                return isinstance(self.function(sentence), str)
        except (Exception, SystemExit):
            return False

    def _call_with_list(self, sentences: Sequence[str], first_line: int) -> Sequence[str]:
        outputs = self._call(list(sentences), first_line, sentences[0])
        if isinstance(outputs, (str, Set, Mapping)) or not hasattr(outputs, "__iter__"):
            problem = f"returned {type_name(outputs)}, but was given a list"
            raise self.failure(problem, first_line, sentences[0], fix=_TAKES)
        found = list(outputs)
        if len(found) != len(sentences):
            problem = f"returned {counted(len(found), 'output')} for {counted(len(sentences), 'sentence')}"
            raise self.failure(problem, first_line, sentences[0], fix=_RETURN)
        for k, output in enumerate(found):
            if not isinstance(output, str):
                problem = f"returned a list that contains {type_name(output)}, not only strings"
                raise self.failure(problem, first_line + k, sentences[k], fix=_RETURN)
        return found

    def _call(self, argument: str | list[str], line: int, sentence: str) -> Any:
        try:
            with redirect_stdout(sys.stderr):
                output = self.function(argument)
                is_generator = isinstance(argument, list) and isinstance(output, Iterator)
                return list(output) if is_generator else output  # a generator runs, and may fail, here
        except (Exception, SystemExit) as error:
            text = shorten(str(error), 200)
            problem = f"raised {type(error).__name__}{f': {text}' if text else ''}"
            raise self.failure(problem, line, sentence, fix="Fix the function") from error


def _annotated_for_sentence(function: Callable[..., Any]) -> bool | None:
    """Return whether the first parameter is annotated as one string.

    True means a string, False a sequence, and None no annotation or another type.
    """
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except (TypeError, ValueError, NameError):
        return None
    if not parameters or parameters[0].annotation is inspect.Parameter.empty:
        return None
    annotation = parameters[0].annotation
    if annotation is str:
        return True
    kind = get_origin(annotation) or annotation
    return False if isinstance(kind, type) and hasattr(kind, "__iter__") else None
