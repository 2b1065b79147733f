from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from dataclasses import replace

import pytest
from corpora_support import PATIENT, pins_of, tiny_mirror
from loopback import Loopback

from gecbench.corpora.upstream import Upstream
from gecbench.corpora.upstream.archives import read_members
from gecbench.corpora.upstream.pins import ArchiveError, HashMismatchError

MEBIBYTE = 1 << 20


def tar(path, *members: tuple[str, bytes | tarfile.TarInfo]):
    with tarfile.open(path, "w:gz") as opened:
        for name, content in members:
            if isinstance(content, tarfile.TarInfo):
                opened.addfile(content)
                continue
            info = tarfile.TarInfo(name)
            info.size = len(content)
            opened.addfile(info, io.BytesIO(content))
    return path


def link(name: str, target: str, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def test_only_the_wanted_members_come_out(tmp_path):
    archive = tar(tmp_path / "a.tar.gz", ("top/x/one", b"1"), ("top/two", b"22"), ("other/x/one", b"no"))
    assert read_members(archive, {"x/one": 9}, folder="top", unpacked_limit=MEBIBYTE) == {"x/one": b"1"}
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


@pytest.mark.parametrize("name", ["../../evil", "/etc/evil", "top/../../evil", "..\\evil", "C:/evil"])
def test_paths_that_lead_out_are_refused(tmp_path, name):
    archive = tar(tmp_path / "a.tar.gz", (name, b"x"), ("top/one", b"1"))
    with pytest.raises(ArchiveError, match="leads out"):
        read_members(archive, {"one": 9}, folder="top", unpacked_limit=MEBIBYTE)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as opened:
        opened.writestr(name, "x")
    with pytest.raises(ArchiveError, match="leads out"):
        read_members(tmp_path / "a.zip", {"one": 9}, unpacked_limit=MEBIBYTE)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(tmp_path, kind):
    archive = tar(tmp_path / "a.tar.gz", ("one", link("top/one", "/etc/hostname", kind)))
    with pytest.raises(ArchiveError, match="not a plain file"):
        read_members(archive, {"one": 9}, folder="top", unpacked_limit=MEBIBYTE)


def test_zip_links_are_refused(tmp_path):
    info = zipfile.ZipInfo("A1.m2")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as opened:
        opened.writestr(info, "/etc/hostname")
    with pytest.raises(ArchiveError, match="not a plain file"):
        read_members(tmp_path / "a.zip", {"A1.m2": 99}, unpacked_limit=MEBIBYTE)


def test_a_bomb_is_stopped_while_unpacking(tmp_path):
    archive = tmp_path / "bomb.tar.gz"
    with gzip.open(archive, "wb") as stream:
        info = tarfile.TarInfo("padding")
        info.size = 64 * MEBIBYTE
        stream.write(info.tobuf())
        for _ in range(64):
            stream.write(b"\0" * MEBIBYTE)
    assert archive.stat().st_size < MEBIBYTE
    with pytest.raises(ArchiveError, match="unpacks to more"):
        read_members(archive, {"one": 9}, folder="top", unpacked_limit=4 * MEBIBYTE)


def test_a_member_larger_than_pinned_is_refused(tmp_path):
    archive = tar(tmp_path / "a.tar.gz", ("top/one", b"x" * 100))
    with pytest.raises(ArchiveError, match="larger"):
        read_members(archive, {"one": 99}, folder="top", unpacked_limit=MEBIBYTE)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("A1.m2", b"\0" * MEBIBYTE)
    with pytest.raises(ArchiveError, match="larger"):
        read_members(tmp_path / "a.zip", {"A1.m2": 1000}, unpacked_limit=MEBIBYTE)


def test_a_name_twice_is_refused(tmp_path):
    archive = tar(tmp_path / "a.tar.gz", ("top/one", b"1"), ("top/one", b"2"))
    with pytest.raises(ArchiveError, match="twice"):
        read_members(archive, {"one": 9}, folder="top", unpacked_limit=MEBIBYTE)


def test_missing_members_and_damaged_archives_are_named(tmp_path):
    archive = tar(tmp_path / "a.tar.gz", ("top/one", b"1"))
    with pytest.raises(ArchiveError, match="lacks two"):
        read_members(archive, {"one": 9, "two": 9}, folder="top", unpacked_limit=MEBIBYTE)
    archive.write_bytes(archive.read_bytes()[:40])
    with pytest.raises(ArchiveError, match="damaged"):
        read_members(archive, {"one": 9}, folder="top", unpacked_limit=MEBIBYTE)
    archive.write_bytes(b"<html>not an archive</html>")
    with pytest.raises(ArchiveError, match="damaged"):
        read_members(archive, {"one": 9}, folder="top", unpacked_limit=MEBIBYTE)


def test_members_are_checked_by_hash(tmp_path):
    mirror = tiny_mirror(tmp_path / "mirror")
    pins = pins_of(mirror)
    key = "conll14/noalt/official-2014.1.m2"
    assert Upstream(mirror=mirror, cache=tmp_path, pins=pins).read(key).startswith(b"S My Town")
    wrong = {**pins, key: replace(pins[key], sha256="0" * 64)}
    with pytest.raises(HashMismatchError, match="0" * 64):
        Upstream(mirror=mirror, cache=tmp_path, pins=wrong).read(key)


@pytest.fixture
def network(tmp_path):
    """Serve the archives of a tiny mirror; give the server, the pins, and a function that makes an upstream."""
    mirror = tiny_mirror(tmp_path / "mirror")
    pins = pins_of(mirror)
    server = Loopback()
    for place in {pin.url.split("://")[1] for pin in pins.values() if pin.source.archive}:
        server.files["/" + place] = (mirror / place).read_bytes()
    with server.running():
        yield (
            server,
            pins,
            lambda: Upstream(cache=tmp_path / "cache", pins=pins, base_url=server.url, downloader=PATIENT),
        )


KEY = "conll14/noalt/official-2014.0.m2"


def test_a_page_instead_of_an_archive_never_enters_the_cache(network, tmp_path):
    server, pins, upstream = network
    place = pins[KEY].url.split("://")[1]
    good, server.files["/" + place] = server.files["/" + place], b"<html>Please log in</html>"
    cached = tmp_path / "cache" / place
    with pytest.raises(ArchiveError, match="kept as"):
        upstream().read(KEY)
    assert not cached.exists()
    assert cached.with_name(cached.name + ".corrupt").read_bytes().startswith(b"<html>")
    server.files["/" + place] = good
    assert upstream().read(KEY).startswith(b"S My Town")
    cached.write_bytes(b"damaged")
    assert upstream().read(KEY).startswith(b"S My Town")
    assert cached.with_name(cached.name + ".corrupt.1").read_bytes() == b"damaged"


def test_an_archive_with_another_member_is_refused_with_both_hashes(network):
    server, pins, upstream = network
    right = pins[KEY].sha256
    pins[KEY] = replace(pins[KEY], sha256="0" * 64)
    with pytest.raises(HashMismatchError) as caught:
        upstream().read(KEY)
    assert "0" * 64 in str(caught.value)
    assert right in str(caught.value)
    assert f"noalt/official-2014.0.m2 in {server.url}" in str(caught.value)
    assert caught.value.kept.is_file()


def test_archives_come_over_the_network_too(network):
    server, pins, make_upstream = network
    server.plan["/" + pins["bn15/A1.m2"].url.split("://")[1]] = ["drop"]
    upstream = make_upstream()
    assert upstream.read("bn15/A10.m2").startswith(b"S My Town")
    assert upstream.read("bn15/A2.m2").startswith(b"S My Town")
    assert len(server.requests) == 2
