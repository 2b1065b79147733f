"""A tiny upstream tree of our own sentences."""

from __future__ import annotations

import csv
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

from gecbench.corpora.conll14 import INPUT, REWRITES, SYSTEMS
from gecbench.corpora.download import Downloader
from gecbench.corpora.upstream import SOURCES, Pin, Upstream

WORKERS = ("A1XXXXXXXXXXXX", "A2YYYYYYYYYYYY", "A3ZZZZZZZZZZZZ")

JFLEG = {
    "dev": (
        ["She walk home .", "I am agree with &raspsquo;you&raspsquo; .", "Dogs barks in 1 2 streets ."],
        [
            ["She walks home .", "I agree with you .", "Dogs bark in 1 2 streets ."],
            ["She walked home .", "I agree with you .", "Dogs bark in twelve streets ."],
            ["She walk home .", "I do agree with you .", "A dog barks in 1 2 streets ."],
            ["She is walking home .", "I agree with you .", "Dogs bark ."],
        ],
    ),
    "test": (
        ["He said `` come here '' .", "We goes out ."],
        [["He said `` come here '' .", "We go out ."]] * 3 + [["He said come here .", "We went out ."]],
    ),
}
GUG_ROWS = [
    (1, "A training sentence.", 4, [4, 4, 4, 4, 4], "train"),
    (2, "She walk home.", 2, [2, 2, 1, 2, 3], "test"),
    (3, 'He said "come here".', 4, [4, 3, 4, 4, 4], "dev"),
    (4, "I am agree with 'you'.", 3, [3, 3, 3, 3, 2], "test"),
    (5, "Dogs barks in 12 streets.", 2, [3, 2, 2, 2, 2], "test"),
    (7, "We goes out.", 1, [2, 2, 2, 2, 2], "dev"),
    (8, "Nobody judged this.", 0, [], "none"),
]
CONLL = ["My Town", "My town are small .", "It have a river and", "a old bridge .", "People likes it ."]
EDITS = (
    {
        2: [("2 3", "SVA", "is")],
        3: [("1 2", "SVA", "has")],
        4: [("0 0", "Trans", "also"), ("0 1", "ArtOrDet", "an")],
    },
    {2: [("2 3", "SVA", "is")], 3: [("1 2", "SVA", "had"), ("5 5", "Mec", ","), ("5 5", "Trans", "too")]},
)
NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{}\n"


def files_of(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder, by path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def place_of(root: Path, key: str) -> Path:
    """Return where a mirror has a source or a file of it, in a folder that is there."""
    source, _, path = key.partition("/")
    place = root / SOURCES[source].url.split("://")[1] / path
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def write(root: Path, key: str, text: str) -> None:
    place_of(root, key).write_bytes(text.encode())


def write_tar(path: Path, *members: tuple[str, bytes] | tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as opened:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                opened.addfile(member)
                continue
            info = tarfile.TarInfo(member[0])
            info.size = len(member[1])
            opened.addfile(info, io.BytesIO(member[1]))
    return path


def m2(edits: dict[int, list[tuple[str, str, str]]], annotator: int = 0) -> str:
    lines = []
    for number, sentence in enumerate(CONLL, 1):
        lines.append(f"S {sentence}")
        for span, kind, correction in edits.get(number, []):
            lines.append(f"A {span}|||{kind}|||{correction}|||REQUIRED|||-NONE-|||{annotator}")
        lines.append("")
    return "\n".join(lines) + "\n"


def csv_text(header: list[str], rows: list[list[str]]) -> str:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    return written.getvalue()


def write_jfleg(root: Path) -> None:
    for name, (sources, references) in JFLEG.items():
        tail = " \n" if name == "dev" else "\n"
        files = {"src": sources, "spellchecked.src": [line.lower() for line in sources]}
        files |= {f"ref{k}": lines for k, lines in enumerate(references)}
        for suffix, lines in files.items():
            write(root, f"jfleg/{name}/{name}.{suffix}", "".join(line + tail for line in lines))
        blocks = [f"S {line}\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n" for line in sources]
        blocks[0] += "A 1 9|||#Rs#|||walks|||REQUIRED|||-NONE-|||2\n"
        write(root, f"jfleg/EACL_exp/m2converter/{name}.ref.m2", "\n".join(blocks))
    header = "Id\tSentence\tExpert Judgement\tCrowd Flower Judgements\tAverage\tDataset"
    lines = [header]
    for number, sentence, expert, crowd, group in GUG_ROWS:
        cell = '"' + sentence.replace('"', '""') + '"' if '"' in sentence else sentence
        average = (expert + sum(crowd)) / 6
        lines.append(f"{number}\t{cell}\t{expert}\t{crowd}\t{average!r}\t{group}")
    write(root, "gug/gug_annotations.tsv", "\r\n".join(lines) + "\r\n")
    pair_header = "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system2Number,"
    pair_header += "system1Id,system2Id,system1rank,system2rank"
    pairs = ["gug,gug,4,4,4,annotA,-1,-1,turk,NMT,1,3", "gug,gug,5,5,5,annotB,-1,-1,NUS,orig,1,1"]
    write(root, "jfleg/EACL_exp/mturk/pairwise.csv", "\r\n".join([pair_header, *pairs]))
    coded = "ID,Original sentence,Reference sentence,Original,Reference,AMU,CAMB14,CAMB16,NUS\r\n"
    coded += "2,She walk home.,She walks home.,U,M,U,U,M,\r\n"
    write(root, "jfleg/EACL_exp/manual_eval/coded_sentences.csv", coded)


def outputs(system: str) -> list[str]:
    """Return a toy system's output: RAC and AMU correct sentence 2, AMU alone also sentence 5."""
    lines = list(CONLL)
    if system in ("AMU", "RAC"):
        lines[1] = "My town is small ."
    if system == "AMU":
        lines[4] = 'People like "it" .'
    return lines


def write_conll(root: Path) -> None:
    sgml = '<DOC nid="1">\n<TEXT>\n<TITLE>\nMy Town\n</TITLE>\n<P>\nMy town are small. '
    sgml += "It have a river and a old bridge.\n"
    sgml += '</P>\n</TEXT>\n</DOC>\n<DOC nid="2">\n<TEXT>\n<P>\nPeople likes it.\n</P>\n</TEXT>\n</DOC>\n'
    both = {2: [("2 3", "SVA", "is")], 3: [("1 2", "SVA", "has")]}
    alternatives = m2(both).replace(
        "A 1 2|||SVA|||has|||REQUIRED|||-NONE-|||0",
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\nA 1 2|||SVA|||has||had|||REQUIRED|||-NONE-|||1",
    )
    members = {
        "noalt/official-2014.0.m2": m2(EDITS[0]),
        "noalt/official-2014.1.m2": m2(EDITS[1]),
        "noalt/official-2014.0.sgml": sgml,
        "alt/official-2014.combined-withalt.m2": alternatives,
    }
    named = [(f"conll14st-test-data/{name}", text.encode()) for name, text in members.items()]
    write_tar(place_of(root, "conll14"), *named)
    for path in REWRITES.values():
        for letter in "AB":
            lines = [f"{line} {letter.lower()}" if line.endswith(".") else line for line in CONLL]
            lines[3] = "" if letter == "A" else lines[3]
            write(root, f"reassess/annotations/{path}{letter}", "".join(f"{line}\n" for line in lines))
    write(root, "reassess/annotations/merged_ids", "8\n4\n")
    for name in (*SYSTEMS, INPUT):
        end = "\r\n" if name == "PKU" else " \n"
        text = "".join(line + end for line in outputs(name))
        write(root, f"grammatical/data/original/official_submissions/{name}", text)
    others = " ".join(sorted({*SYSTEMS, INPUT} - {"AMU", "RAC"}))
    xml = '<?xml version="1.0" encoding="UTF-8"?>\n<appraise-results><error-correction-ranking-result>'
    xml += '<ranking-item duration="00:01:02.500000" id="0" src-id="1" user="annotator01">'
    xml += f'<translation rank="1" system="AMU RAC"/><translation rank="4" system="{others}"/></ranking-item>'
    xml += "</error-correction-ranking-result></appraise-results>\n"
    write(root, "grammatical/data/judgments.xml", xml)
    write_crowd(root)


def write_crowd(root: Path) -> None:
    header = ["WorkerId", "AssignmentStatus", "WorkTimeInSeconds", "Input.sentID"]
    header += [f"Input.{kind}{slot}" for slot in range(1, 6) for kind in ("system", "sentence")]
    header += [f"Answer.rank_{slot}" for slot in range(1, 6)]
    unused = ["###", "###"]
    shown = [
        "AMU",
        "People like &amp;quot;it&amp;quot; .",
        "RAC",
        "People likes it .",
        "IPN",
        "People  likes it .",
    ]
    rows = [
        [WORKERS[0], "Approved", "65", "4", *shown, *unused, *unused, "1", "2", "3", "", ""],
        [WORKERS[1], "Rejected", "30", "4", *shown, *unused, *unused, "2", "", "1", "", ""],
    ]
    write(root, "reassess/inter_annotator_agreements/Ctrl_merged.csv", csv_text(header, rows))
    refs = ["refNUCLE refExptMinimal", "My town\nis small .", "src", "My town are small ."]
    rows = [[WORKERS[2], "Approved", "12", "1", *refs, *unused, *unused, *unused, "1", "5", "", "", ""]]
    rows += [[WORKERS[0], "Approved", "9", "1", *refs, *unused, *unused, *unused, "1", "2", "", "", ""]]
    write(root, "reassess/inter_annotator_agreements/Main_merged.csv", csv_text(header, rows))
    header = ["WorkerId", "Input.sentID", "Input.sentence1", "Answer.Q1MultiLineTextInput"]
    rows = [
        [WORKERS[1], "5", CONLL[4], "People don&#39;t\n like it ."],
        [WORKERS[2], "5", CONLL[4], "They like it."],
    ]
    write(root, "reassess/annotations/extra_fluency/results_extra-HITs.csv", csv_text(header, rows))


def write_bn15(root: Path, folder: str = "10gec_annotations/") -> None:
    with zipfile.ZipFile(place_of(root, "bn15"), "w", zipfile.ZIP_DEFLATED) as opened:
        for number in range(1, 11):
            edits = EDITS[0] if number == 7 else EDITS[1] if number == 3 else {5: [("1 2", "SVA", f"like{number}")]}
            opened.writestr(f"{folder}A{number}.m2", m2(edits))
            opened.writestr(f"__MACOSX/{folder}A{number}.m2", "not this one")


def write_m2_corpora(root: Path) -> None:
    """Write files of the form of CoNLL-13, BEA-19, CWEB, UA-GEC and GECCC, and MuCGEC's text."""
    write_tar(place_of(root, "conll13"), ("release2.3.1/original/data/official-preprocessed.m2", m2(EDITS[0]).encode()))
    test = "".join(f"{line}\n" for line in CONLL)
    members = {"m2/ABCN.dev.gold.bea19.m2": m2(EDITS[1]), "test/ABCN.test.bea19.orig": test}
    write_tar(place_of(root, "bea19"), *((f"wi+locness/{name}", text.encode()) for name, text in members.items()))
    both = "S The web are big .\nA 2 3|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0\n" + NOOP.format(1) + "\n"
    for name in ("G.dev", "G.test", "S.dev", "S.test"):
        write(root, f"cweb/data/m2/CWEB-{name}.m2", both)
    heading = "S # 0007\n" + NOOP.format(0) + NOOP.format(1) + "\n"
    for name in ("gec-only", "gec-fluency"):
        write(root, f"ua-gec/data/{name}/test/{name}.test.m2", heading + both)
    for part in ("dev", "test"):
        for unit in ("sentence", "paragraph"):
            write(root, f"geccc/data/{part}/{unit}.m2", both + "S Ano .\n" + NOOP.format(0) + "\n")
    lines = ["1\t我有一本的书。\t我有一本书。\t我有一些书。", "2\t他有MP3。\t没有错误", "3\t书他。\t无法标注"]
    write(root, "mucgec/data/MuCGEC/MuCGEC_dev.txt", "\n".join(lines) + "\n")


def tiny_mirror(root: Path) -> Path:
    write_jfleg(root)
    write_conll(root)
    write_bn15(root)
    write_m2_corpora(root)
    return root


def pins_of(root: Path) -> dict[str, Pin]:
    """Return pins for what is in a mirror folder."""
    pins = {}
    for source in SOURCES.values():
        place = place_of(root, source.name)
        if source.unpinned:
            found = dict.fromkeys(source.unpinned)
        elif source.archive:
            with tarfile.open(place) as opened:
                found = {member.name.partition("/")[2]: opened.extractfile(member).read() for member in opened}
        else:
            found = files_of(place)
        for path, content in found.items():
            size, digest = (None, None) if content is None else (len(content), hashlib.sha256(content).hexdigest())
            pins[f"{source.name}/{path}"] = Pin(source, path, size, digest)
    return pins


def upstream_of(mirror: Path) -> Upstream:
    """Return the upstream that a mirror folder is, as it is now."""
    upstream = Upstream(mirror=mirror, cache=mirror.parent / "cache", pins=pins_of(mirror), is_offline=True)
    upstream.accept_license("bea19")
    return upstream


PATIENT = Downloader(attempts=4, backoff=0.0, timeout=5.0, pause=lambda _seconds: None)
