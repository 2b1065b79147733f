from __future__ import annotations

import contextlib
import gzip
import hashlib
import stat
import tarfile
import zipfile
from dataclasses import replace

import pytest
from corpora_support import PATIENT, write_tar
from loopback import Loopback

from gecbench.corpora.download import read_members
from gecbench.corpora.upstream import HashMismatchError, Upstream
from gecbench.errors import ArchiveError, UpstreamError

MEBIBYTE = 1 << 20


def link(kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo("top/one")
    info.type, info.linkname = kind, "/etc/hostname"
    return info


def write_zip(path, name: str | zipfile.ZipInfo, content: str | bytes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr(name, content)
    return path


def test_only_the_wanted_members_come_out(tmp_path):
    archive = write_tar(tmp_path / "a.tar.gz", ("top/x/one", b"1"), ("top/two", b"22"), ("other/x/one", b"no"))
    assert read_members(archive, {"x/one": 9}, name="it", folder="top", unpacked_limit=MEBIBYTE) == {"x/one": b"1"}
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.gz"]


OUTSIDE = ("../../evil", "/etc/evil", "top/../../evil", "..\\evil", "C:/evil")
KINDS = {"symlink": tarfile.SYMTYPE, "link": tarfile.LNKTYPE, "device": tarfile.CHRTYPE, "pipe": tarfile.FIFOTYPE}
BAD_TAR = {f"to {name}": ([(name, b"x"), ("top/one", b"1")], "leads out") for name in OUTSIDE}
BAD_TAR |= {name: ([link(kind)], "it is not a regular file: .* Replace the archive") for name, kind in KINDS.items()}
BAD_TAR |= {"larger than pinned": ([("top/one", b"x" * 100)], "larger")}
BAD_TAR |= {"a name twice": ([("top/one", b"1"), ("top/one", b"2")], "twice")}
BAD_TAR |= {"a member missing": ([("top/two", b"1")], "lacks one")}


@pytest.mark.parametrize(("members", "message"), BAD_TAR.values(), ids=BAD_TAR)
def test_tar_archives_that_are_refused(tmp_path, members, message):
    archive = write_tar(tmp_path / "a.tar.gz", *members)
    with pytest.raises(ArchiveError, match=message):
        read_members(archive, {"one": 99}, name="it", folder="top", unpacked_limit=MEBIBYTE)


ZIP_LINK = zipfile.ZipInfo("one")
ZIP_LINK.external_attr = (stat.S_IFLNK | 0o777) << 16
BAD_ZIP = {f"to {name}": (name, "x", "leads out") for name in OUTSIDE}
BAD_ZIP |= {"link": (ZIP_LINK, "/etc/hostname", "it is not a regular file: .* Replace the archive")}
BAD_ZIP |= {"larger than pinned": ("one", b"\0" * MEBIBYTE, "larger")}


@pytest.mark.parametrize(("name", "content", "message"), BAD_ZIP.values(), ids=BAD_ZIP)
def test_zip_archives_that_are_refused(tmp_path, name, content, message):
    archive = write_zip(tmp_path / "a.zip", name, content)
    with pytest.raises(ArchiveError, match=message):
        read_members(archive, {"one": 99}, name="it", unpacked_limit=MEBIBYTE)


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
        read_members(archive, {"one": 9}, name="it", folder="top", unpacked_limit=4 * MEBIBYTE)


def test_damaged_archives_are_named(tmp_path):
    archive = write_tar(tmp_path / "a.tar.gz", ("top/one", b"1"))
    for content in (archive.read_bytes()[:40], b"<html>not an archive</html>"):
        archive.write_bytes(content)
        with pytest.raises(ArchiveError, match="damaged"):
            read_members(archive, {"one": 9}, name="it", folder="top", unpacked_limit=MEBIBYTE)


def test_members_are_checked_by_hash(tiny):
    key = "conll14/noalt/official-2014.1.m2"
    assert tiny.read(key).startswith(b"S My Town")
    wrong = {**tiny.pins, key: replace(tiny.pins[key], sha256="0" * 64)}
    with pytest.raises(HashMismatchError, match="0" * 64):
        Upstream(mirror=tiny.mirror, cache=tiny.cache, pins=wrong).read(key)


@pytest.fixture
def network(tiny, tmp_path):
    """Serve the archives of a tiny mirror; give the server, the pins, and a function that makes an upstream."""
    pins = tiny.pins
    server = Loopback()
    for place in {pin.url.split("://")[1] for pin in pins.values() if pin.source.archive}:
        server.files["/" + place] = (tiny.mirror / place).read_bytes()
    options = {"cache": tmp_path / "cache", "pins": pins, "downloader": PATIENT}
    with server.running():
        yield server, pins, lambda: Upstream(base_url=server.url, **options)


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


def test_the_license_is_shown_until_a_file_has_come_and_the_hash_of_what_is_not_pinned(network, capsys):
    server, pins, upstream = network
    key = "bea19/test/ABCN.test.bea19.orig"
    place = "/" + pins[key].places[0]
    server.plan[place] = ["404"]
    for _ in range(2):  # at first nothing comes
        upstream_now = upstream()
        upstream_now.accept_license("bea19")
        with contextlib.suppress(UpstreamError):
            upstream_now.read(key)
        assert "gecbench: bea19 is published under the licenses of Write & Improve" in (
            shown := capsys.readouterr().err
        )
    digest = hashlib.sha256(server.files[place]).hexdigest()
    assert f"no hash is known for {server.url}{place}, so the download was not checked. Its sha256 is {digest}" in shown
    assert upstream().read(key)
    assert capsys.readouterr().err == ""


def test_the_second_address_is_asked_where_the_first_fails(network, capsys):
    server, pins, upstream = network
    first, second = pins["bn15/A1.m2"].places
    server.files["/" + second] = server.files.pop("/" + first)
    assert upstream().read("bn15/A10.m2").startswith(b"S My Town")
    assert [path for path, _ in server.requests] == [f"/{first}", f"/{second}"]
    assert f"{second}, so the download was not checked. Its sha256 is " in capsys.readouterr().err


def test_a_length_that_is_no_number_is_as_none(network):
    server, pins, upstream = network
    server.plan["/" + pins[KEY].url.split("://")[1]] = ["no length"]
    assert upstream().read(KEY).startswith(b"S My Town")


def test_a_redirect_to_another_server_is_followed_to_https_alone(network, tmp_path):
    server, pins, upstream = network
    place = "/" + pins[KEY].url.split("://")[1]
    other = Loopback()
    other.files[place] = server.files[place]
    with other.running():
        server.plan[place] = [other.url + place]
        with pytest.raises(UpstreamError, match="which is not an https address"):
            upstream().read(KEY)
        assert other.requests == []
        server.plan[place] = [server.url + place]
        assert upstream().read(KEY).startswith(b"S My Town")


def test_a_sparse_member_with_a_bad_map_is_damage(tmp_path):
    info = tarfile.TarInfo("top/one")
    info.pax_headers = {"GNU.sparse.map": "0,x", "GNU.sparse.size": "9"}
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as opened:
        opened.addfile(info)
    with pytest.raises(ArchiveError, match="it is damaged"):
        read_members(archive, {"one": 99}, name="it", folder="top", unpacked_limit=MEBIBYTE)
