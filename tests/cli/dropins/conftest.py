"""Files for the drop-in commands."""

import pytest

from gecbench import derive_groups, load_demo, load_demo_systems
from gecbench.formats.imeasure_xml import write_imeasure_xml
from gecbench.formats.m2 import write_m2
from gecbench.formats.text import write_lines


@pytest.fixture
def six(folder):
    """Write the first six sentences of the demo corpus, as the official programs got them."""
    demo = load_demo().select(range(6))
    write_lines("source.txt", demo.sources)
    for k in range(4):
        write_lines(f"ref{k}.txt", [texts[k] for texts in demo.references])
    for name in ("rule-based", "good-corrector"):
        write_lines(f"{name}.6.txt", load_demo_systems()[name][:6])
    write_m2(demo, "gold6.m2")
    write_imeasure_xml(derive_groups(demo), "gold6.xml")
    return folder
