"""`gecbench corpora`: what can be scored by name, and under which protocol."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from gecbench.cli.options import add_command, add_format_option
from gecbench.errors import InputError, did_you_mean

_EXAMPLES = """  gecbench corpora
  gecbench corpora cweb:g                       (details of one corpus)
  gecbench corpora --accept-license bea19       (needed once)
  gecbench score -c conll14 -p output.txt       (downloads the corpus)

In scripts, set GECBENCH_ACCEPT_LICENSE=bea19 instead of --accept-license.
"""
_DEV = {"validation": "dev"}


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "corpora", summary, _EXAMPLES, run)
    parser.add_argument("name", metavar="NAME", nargs="?", help="show the details of this corpus")
    parser.add_argument("--accept-license", metavar="NAME", help="accept the license of this corpus")
    add_format_option(parser)


def run(options: argparse.Namespace) -> None:
    """Print the list or one entry of it, or record that a license is accepted."""
    from gecbench.corpora.build import list_corpora

    if options.accept_license:
        _accept(options.accept_license)
        return
    entries = {entry["name"]: entry for entry in list_corpora()}
    if options.name is None:
        print(_listed(list(entries.values()), options.format))
    elif options.name in entries:
        print(_described(entries[options.name], options.format))
    else:
        hint = f"{did_you_mean(options.name, entries)}Choose one of {', '.join(entries)}"
        raise InputError(f"no corpus {options.name!r}", fix=hint)


def _accept(name: str) -> None:
    from gecbench.corpora.upstream import SOURCES, Upstream

    asking = [source.name for source in SOURCES.values() if source.terms]
    source = SOURCES.get(name.partition(":")[0])
    if source is None or not source.terms:
        raise InputError(f"no license to accept for {name!r}", fix=f"These ask for it: {', '.join(asking)}")
    Upstream.from_environment().accept_license(source.name)
    print(f"You accepted the license of {source.name}: {source.terms}")


def _listed(entries: list[dict[str, Any]], table_format: str) -> str:
    from gecbench.analysis.tables import Table, render_rows

    rows = [
        [
            *(entry["name"], entry["language"], _sentences(entry["sentences"])),
            *(entry["gold"], entry["metric"] or "–", _license(entry)),
        ]
        for entry in entries
    ]
    header = ["corpus", "language", "sentences", "gold", "metric", "license"]
    return render_rows(Table(header, rows), entries, table_format)


def _sentences(splits: Mapping[str, int | None]) -> str:
    known = {_DEV.get(split, split): rows for split, rows in splits.items()}
    return ", ".join(f"{split} {rows:,}" if rows is not None else split for split, rows in known.items())


def _license(entry: Mapping[str, Any]) -> str:
    return entry["license"] if entry["accepted"] else f"{entry['license']} (accept)"


def _described(entry: Mapping[str, Any], table_format: str) -> str:
    from gecbench.corpora.upstream import Upstream

    files = [row for row in Upstream.from_environment().describe() if row["key"].partition("/")[0] in _sources(entry)]
    if table_format == "json":
        return json.dumps({**entry, "files": files}, ensure_ascii=False, indent=2)
    shown = {
        **{key: entry[key] for key in ("title", "description", "language", "tokenization", "gold")},
        "sentences": _sentences(entry["sentences"]),
        "metric": entry["metric"] or "none: the references are secret",
        "license": entry["license"] + (f" ({entry['terms']})" if entry["terms"] else ""),
        "may be redistributed": "yes" if entry["redistributable"] else "no",
        **{key: entry[key] for key in ("homepage", "citation")},
    }
    lines = [f"{key + ':':<22}{value}" for key, value in shown.items() if value]
    pins = [f"  {row['url']}\n    sha256 {row['sha256'] or 'not pinned'}, {row['where']}" for row in files]
    return "\n".join([entry["name"], *lines, "files:", *pins])


def _sources(entry: Mapping[str, Any]) -> tuple[str, ...]:
    from gecbench.corpora.catalog import DATASETS

    return DATASETS[entry["dataset"]].sources
