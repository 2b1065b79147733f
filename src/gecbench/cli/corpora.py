"""`gecbench corpora`: list the known corpora, with their metrics and licenses."""

from __future__ import annotations

import argparse
import json
import re
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
_PLACES = {"mirror": "in the mirror", "cache": "in the cache", "network": "not downloaded yet"}


def add_parser(commands: Any, summary: str) -> None:
    """Add the command."""
    parser = add_command(commands, "corpora", summary, _EXAMPLES, run)
    parser.add_argument("name", metavar="NAME", nargs="?", help="show the details of this corpus")
    parser.add_argument("--accept-license", metavar="NAME", help="accept the license of this corpus")
    add_format_option(parser)


def run(options: argparse.Namespace) -> None:
    """List the corpora, describe one corpus, or record that a license is accepted."""
    from gecbench.corpora.build import list_corpora

    entries = {entry["name"]: entry for entry in list_corpora()}
    if options.accept_license:
        _accept(options.accept_license, entries)
    elif options.name is None:
        print(_listed(list(entries.values()), options.format, options.wide))
    else:
        print(_described(entries[_full_name(options.name, entries)], options.format))


def _full_name(name: str, entries: Mapping[str, Any]) -> str:
    """Return the name under which a corpus is listed.

    `name` is any name that `-c` accepts, such as `bea19` or `cweb:s:dev`.
    """
    from gecbench.corpora.catalog import DATASETS
    from gecbench.corpora.load import is_known_name, parse_corpus_name

    if name in entries:
        return name
    if is_known_name(name):
        dataset, config, _ = parse_corpus_name(name)
        found = DATASETS[dataset].corpus_name(DATASETS[dataset].config(config))
        if found in entries:
            return found
    fix = did_you_mean(name, entries, "To list the corpora, run gecbench corpora")
    raise InputError(f"there is no corpus {name!r}", fix=fix)


def _accept(name: str, entries: Mapping[str, Any]) -> None:
    from gecbench.corpora.upstream import SOURCES, Upstream

    asking = [source.name for source in SOURCES.values() if source.terms]
    source = SOURCES.get(name.partition(":")[0])
    if source is None or not source.terms:
        _full_name(name, entries)
        fix = f"Only {' and '.join(asking)} {'has' if len(asking) == 1 else 'have'} such a license"
        raise InputError(f"{name!r} has no license that must be accepted", fix=fix)
    Upstream.from_environment().accept_license(source.name)
    print(f"You accepted the license of {source.name}: {source.terms}")


def _listed(entries: list[dict[str, Any]], table_format: str, wide: bool) -> str:
    from gecbench.analysis.tables import Table, render_rows

    header = ["corpus", "lang", "dev", "test", "gold", "metric", "license"]
    rows = [
        [
            entry["name"],
            entry["language"],
            _count(entry["sentences"], "validation"),
            _count(entry["sentences"], "test"),
            entry["gold"],
            entry["metric"] or "–",
            _license(entry),
        ]
        for entry in entries
    ]
    shown = render_rows(Table(header, rows), entries, table_format, wide)
    cells = [cell for row in rows for cell in row]
    legend = {
        "?: counted after the download.": "?" in cells,
        "accept: accept the license (--accept-license).": any(cell.endswith(", accept") for cell in cells),
    }
    notes = " ".join(note for note, holds in legend.items() if holds and table_format == "text")
    return f"{shown}\n\n{notes}" if notes else shown


def _count(splits: Mapping[str, int | None], split: str) -> str:
    """Return the number of sentences of a split, "–" if it is absent, "?" if unknown."""
    rows = splits.get(split, 0)
    return "?" if rows is None else f"{rows:,}" if rows else "–"


def _license(entry: Mapping[str, Any]) -> str:
    name = re.sub(r"^(cc-.*)-\d\.\d$", r"\1", entry["license"])
    return name if entry["accepted"] else f"{name}, accept"


def _described(entry: Mapping[str, Any], table_format: str) -> str:
    from gecbench.corpora.upstream import Upstream

    wanted = _files(entry)
    files = [row for row in Upstream.from_environment().describe() if row["key"].startswith(wanted)]
    if table_format == "json":
        return json.dumps({**entry, "files": files}, ensure_ascii=False, indent=2)
    counts = {_DEV.get(split, split): _count(entry["sentences"], split) for split in entry["sentences"]}
    shown = {
        **{key: entry[key] for key in ("title", "description", "language", "tokenization", "gold")},
        "sentences": ", ".join(f"{split} {rows}" for split, rows in counts.items()).replace("?", "(not counted)"),
        "metric": entry["metric"] or "none (the references are private)",
        "license": entry["license"] + (f" ({entry['terms']})" if entry["terms"] else ""),
        "may be redistributed": "yes" if entry["redistributable"] else "no",
        **{key: entry[key] for key in ("homepage", "citation")},
    }
    lines = [f"{key + ':':<22}{value}" for key, value in shown.items() if value]
    urls: dict[str, list[str]] = {}
    for row in files:
        member = row["key"].partition("/")[2]
        name = "" if row["url"].endswith(member) else f"{member}: "
        place = _PLACES[row["where"]]
        urls.setdefault(row["url"], []).append(f"    {name}sha256 {row['sha256'] or 'unknown'}, {place}")
    pins = [line for url, found in urls.items() for line in (f"  {url}", *found)]
    return "\n".join([entry["name"], *lines, *(["files:", *pins] if pins else [])])


def _files(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys, or prefixes of keys, of the upstream files of a corpus."""
    from gecbench.corpora.catalog import DATASETS

    if entry["dataset"] not in DATASETS:
        return ()  # the demo corpus
    declared = DATASETS[entry["dataset"]]
    return declared.configs[entry["config"]].files or tuple(f"{source}/" for source in declared.sources)
