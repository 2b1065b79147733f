"""Models by their strings."""

import pytest

import gecbench
from gecbench.models import make_model


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("sed", "unknown model 'sed'.*cmd:COMMAND"),
        ("cmd: ", "unknown model"),
        ("perl:x", "unknown model"),
        ("python:os", "cannot parse the model"),
        ("python::f", "cannot parse the model"),
        ("python:no_such_module_here:f", "cannot import no_such_module_here: ModuleNotFoundError"),
        ("python:os:nothing.here", "os has no 'nothing.here'"),
        ("python:os:sep", "is a str, not a function"),
    ],
)
def test_bad_model_strings(model, message):
    with pytest.raises(gecbench.InputError, match=message):
        make_model(model)


def test_a_kind_alone_is_not_suggested():
    with pytest.raises(gecbench.InputError, match=r"unknown model 'cmd'\. Write cmd:COMMAND"):
        make_model("cmd")


def test_options_belong_to_a_kind():
    words = r"the form python:… have no option timeout \(--timeout\)\..* another kind of model \(cmd: or endpoint:\)"
    with pytest.raises(gecbench.InputError, match=words):
        make_model("python:os:getcwd", timeout=3)
    with pytest.raises(gecbench.InputError, match=r"unknown prompt 'Correct this'.*a text that contains \{sentence\}"):
        make_model("transformers:x", prompt="Correct this")
    assert make_model("cmd:cat", timeout=None).timeout is None
