"""Generate the pages of the manual that are not written by hand. mkdocs calls the functions named `on_...`.

The start page is README.md. Cards come from metrics/ and datasets/, the command page from the parsers, the Python
page from the public names, and tables of speed and of reproduced papers from benchmarks/results.json. Equations become
MathML, so pages need no script and no network. Links out of docs/ go to the repository. Pages that the navigation in
mkdocs.yml does not name are added to the end of its last section.
"""

from __future__ import annotations

import argparse
import contextlib
import html
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import griffe
from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/gecbench/gecbench/blob/main/"
SITE = "https://gecbench.github.io/gecbench/"
CARDS = {
    f"cards/{card.parent.name}.md": f"{kind}/{card.parent.name}/README.md"
    for kind in ("metrics", "datasets")
    for card in sorted((ROOT / kind).glob("*/README.md"))
}


class Sessions(griffe.Extension):
    """Shows the Python sessions in docstrings as code, because mkdocstrings would show them as quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put the sessions of a docstring into fenced code blocks."""
        if obj.docstring:
            session = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
            obj.docstring.value = session.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)


def on_config(config: Any) -> Any:
    """Make the package and the benchmarks importable, because mkdocs undoes earlier changes of a hook to sys.path."""
    sys.path[:0] = [folder for name in ("src", "benchmarks") if (folder := str(ROOT / name)) not in sys.path]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages and plots, and add pages without a place to the navigation."""
    import document

    pages = {"index.md": _readme(), "reference/cli.md": _command_line(), "reference/api.md": _python()}
    pages |= {page: _card(source) for page, source in CARDS.items()}
    pages |= document.figures()
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    named = set(_named(config.nav))
    sections = {next(iter(entry)): entry for entry in config.nav}
    for title, section in (("Metrics", "metrics"), ("Corpora", "datasets")):
        cards = [page for page, source in CARDS.items() if source.startswith(section)]
        sections[title][title] += [{f"Card: {Path(page).stem}": page} for page in cards]
        named |= set(cards)
    for file in files.documentation_pages():
        if file.src_uri not in named:
            config.nav[-1][next(iter(config.nav[-1]))].append(file.src_uri)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Insert tables and plots, and link files outside docs/ to their page on the site or to the repository."""
    if "<!-- results: " in markdown:
        import document

        markdown = document.filled(document.with_figures(markdown))
    markdown = re.sub(r"^<!-- published: (\S+) (\S+) -->$", _published, markdown, flags=re.MULTILINE)
    made_of = {source: made for made, source in CARDS.items()}
    folder = Path(page.file.src_uri).parent

    def link(found: re.Match[str]) -> str:
        target, _, anchor = found[2].partition("#")
        place = os.path.normpath(Path("docs") / folder / target).replace(os.sep, "/")
        if re.match(r"[a-z]+:", target) or not target or place.startswith("docs/"):
            return found[0]
        anchor = f"#{anchor}" if anchor else ""
        if place in made_of:
            return f"{found[1]}({os.path.relpath(made_of[place], folder)}{anchor})"
        return f"{found[1]}({REPOSITORY}{place}{anchor})"

    return _outside_code(markdown, lambda text: re.sub(r"(\])\(([^()\s]+)\)", link, text))


def on_post_page(output: str, **_: Any) -> str:
    """Name the search dialog and the navigation of each section."""
    output = output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )
    return re.sub(
        r'(<nav class="md-nav" data-md-level="[1-9]") aria-labelledby="__nav_(\w+)_label"',
        r'\1 aria-label="Section \2"',
        output,
    )


def on_post_build(config: Any) -> None:
    """Unescape `&` between letters in the search index, so that W&I is found."""
    index = Path(config.site_dir) / "search/search_index.json"
    index.write_text(re.sub(r"\b&amp;\b", "&", index.read_text(encoding="utf-8")), encoding="utf-8")


def _published(found: re.Match[str]) -> str:
    """Return the published results for a corpus and a metric, as `gecbench published` prints them."""
    from gecbench.cli import main

    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        if main(["published", "-c", found[1], "-m", found[2], "--format", "markdown"]):
            raise ValueError(f"no published results on {found[1]} by {found[2]}")
    return output.getvalue()


def on_page_content(content: str, **_: Any) -> str:
    """Turn the equations that arithmatex marked into MathML."""
    for form, display, opening, closing in (
        ("span", "inline", r"\\\(", r"\\\)"),
        ("div", "block", r"\\\[", r"\\\]"),
    ):
        pattern = rf'<{form} class="arithmatex">\s*{opening}(.*?){closing}\s*</{form}>'
        content = re.sub(
            pattern,
            lambda found, display=display: convert(html.unescape(found[1]), display=display),
            content,
            flags=re.DOTALL,
        )
    return content


def _outside_code(text: str, change: Any) -> str:
    """Return the text after applying `change` to everything except fenced blocks."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def _named(nav: Sequence[Any]) -> Iterator[str]:
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            (value,) = entry.values()
            yield from [value] if isinstance(value, str) else _named(value)


def _readme() -> str:
    """Return README.md with its links into this site made relative, so that they are checked."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")

    def link(found: re.Match[str]) -> str:
        page, _, anchor = found[1].partition("#")
        name = f"{page.rstrip('/')}.md" if page else "index.md"
        if not (ROOT / "docs" / name).exists() and (ROOT / "docs" / page / "index.md").exists():
            name = f"{page.rstrip('/')}/index.md"
        return f"]({name}{'#' if anchor else ''}{anchor})"

    text = re.sub(rf"\]\({re.escape(SITE)}([^)\s]*)\)", link, text)
    return text.replace("https://raw.githubusercontent.com/gecbench/gecbench/main/docs/", "")


def _card(source: str) -> str:
    """Return a card without its header. Its relative links point to the repository."""
    text = (ROOT / source).read_text(encoding="utf-8").split("---\n", 2)[2]
    folder = Path(source).parent

    def link(found: re.Match[str]) -> str:
        place = os.path.normpath(folder / found[1]).replace(os.sep, "/")
        return f"]({REPOSITORY}{place})"

    return _outside_code(text, lambda part: re.sub(r"\]\((?![a-z]+:|#)([^()\s]+)\)", link, part))


def _command_line() -> str:
    """Return a page with every command: usage, options and examples, from the parsers."""
    from gecbench.cli.main import make_parser

    lines = [
        "# Command line",
        "",
        "All commands and options. `gecbench COMMAND --help` prints the same text.",
        "",
    ]
    (commands,) = (action for action in make_parser()._actions if isinstance(action, argparse._SubParsersAction))
    for name, parser in commands.choices.items():
        lines += _command(name, parser, 2)
    return "\n".join(lines)


def _command(name: str, parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    yield from ["#" * level + f" gecbench {name}", "", parser.description or "", ""]
    usage = re.sub(r"^usage: ", "", parser.format_usage()).rstrip()
    yield from ["```text", usage, "```", ""]
    for group in parser._action_groups:
        rows = [row for action in group._group_actions if (row := _option(parser, action))]
        if rows:
            yield from [f"| {group.title} | {group.description or 'meaning'} |", "|---|---|", *rows, ""]
    formatter = parser._get_formatter()
    formatter.add_text(parser.epilog)
    if epilog := formatter.format_help().strip("\n"):
        yield from ["```text", epilog, "```", ""]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub, nested in action.choices.items():
                yield from _command(f"{name} {sub}", nested, level + 1)


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> str | None:
    if action.help == argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
        return None
    formatter = parser._get_formatter()
    words = formatter._format_action_invocation(action)
    about = formatter._expand_help(action) if action.help else ""
    cells = [html.escape(text, quote=False).replace("|", "&#124;") for text in (words, about)]
    return f"| <code>{cells[0]}</code> | {cells[1]} |"


SECTIONS = {
    "api": "Scoring",
    "analysis": "What scoring returns",
    "corpora": "Published corpora",
    "corpus": "Corpora, edits and text",
    "metrics": "Metrics",
    "human": "Human performance and judgments",
    "huggingface": "Hugging Face",
    "scale": "gecbench.scale: large corpora",
    "spark": "gecbench.spark: many machines",
    "models": "Models",
    "errors": "Errors",
}


def _python() -> str:
    """Return a page with every public name, from its docstring, by the package that it lives in."""
    import gecbench

    members: dict[str, list[str]] = {package: [] for package in SECTIONS}
    for name in gecbench.__all__:
        value = getattr(gecbench, name)
        if isinstance(value, ModuleType):
            defined = {
                each: found
                for each, found in vars(value).items()
                if getattr(found, "__module__", "").startswith(value.__name__)
            }
            shown = [defined[each] for each in getattr(value, "__all__", defined)]
            members[name] = [f"{each.__module__}.{each.__name__}" for each in shown]
        elif hasattr(value, "__module__") and hasattr(value, "__name__"):
            members.setdefault(value.__module__.split(".")[1], []).append(f"{value.__module__}.{name}")
    lines = [
        "# Python",
        "",
        "Public functions, classes and modules of `import gecbench`, with their docstrings.",
        "",
    ]
    for package, names in members.items():
        lines += [f"## {SECTIONS.get(package, package.capitalize())}", ""]
        for name in names:
            lines += [f"::: {name}", "    options:", "      show_root_full_path: false"]
            if package in ("metrics", "errors") and not name.endswith(".Score"):
                lines += ["      members: false"]
            lines += [""]
    return "\n".join(lines)
