from __future__ import annotations

import hashlib
import pickle
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from corpora_support import PATIENT
from loopback import Loopback

from gecbench.corpora.download import Downloader
from gecbench.corpora.upstream import (
    OFFLINE_VARIABLES,
    HashMismatchError,
    OfflineError,
    Pin,
    Source,
    Upstream,
    default_pins,
    offline,
)
from gecbench.errors import InputError, UpstreamError

CONTENT = b"".join(b"line %d of a made-up file\n" % number for number in range(20_000))
PATH = "files.example/project/1a2b/data.txt"
KEY = "toy/data.txt"


def pins(content: bytes = CONTENT) -> dict[str, Pin]:
    source = Source("toy", "https://files.example/project/1a2b", "1a2b")
    return {KEY: Pin(source, "data.txt", len(content), hashlib.sha256(content).hexdigest())}


@pytest.fixture
def server():
    loopback = Loopback()
    loopback.files["/" + PATH] = CONTENT
    with loopback.running():
        yield loopback


@pytest.fixture
def read(server, tmp_path):
    """Read the file through a new upstream that always has the same cache."""
    usual = {"cache": tmp_path / "cache", "pins": pins(), "base_url": server.url, "downloader": PATIENT}
    return lambda **options: Upstream(**{**usual, **options}).read(KEY)


@pytest.fixture
def cached(tmp_path) -> Path:
    """Return where the cache has the file."""
    return tmp_path / "cache" / PATH


def mirror_of(tmp_path, content: bytes) -> Path:
    mirrored = tmp_path / "mirror" / PATH
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(content)
    return tmp_path / "mirror"


def test_mirror_comes_before_cache_and_network(server, read, tmp_path):
    assert read(mirror=mirror_of(tmp_path, CONTENT)) == CONTENT
    assert server.requests == []
    assert not (tmp_path / "cache").exists()


def test_fetched_once_then_from_cache(server, read, cached):
    assert read() == read() == CONTENT
    assert len(server.requests) == 1
    assert [path for path in cached.parent.iterdir() if path.suffix != ".lock"] == [cached]


def test_a_dropped_connection_is_continued_where_it_broke(server, read):
    server.plan["/" + PATH] = ["drop", "drop"]
    assert read() == CONTENT
    asked = [wanted for _, wanted in server.requests]
    assert asked[0] is None
    assert asked[1] == f"bytes={len(CONTENT) // 2}-"
    assert int(asked[2].removeprefix("bytes=").rstrip("-")) > len(CONTENT) // 2


@pytest.mark.parametrize("steps", ["drop whole", "429 429 serve", "500 500 serve", "503 503 serve"])
def test_a_server_without_ranges_or_with_too_much_to_do_is_asked_again(server, read, steps):
    server.plan["/" + PATH] = steps.split()
    assert read() == CONTENT
    assert len(server.requests) == len(steps.split())


@pytest.mark.parametrize(
    ("step", "message", "requests"),
    [("403", "403", 1), ("404", "404", 1), ("410", "410", 1), ("short", "4 attempts", 4), ("long", "more than", 1)],
)
def test_refusals_are_not_retried_and_no_other_length_enters_the_cache(server, read, cached, step, message, requests):
    server.plan["/" + PATH] = [step] * 9
    with pytest.raises(UpstreamError, match=message):
        read()
    assert len(server.requests) == requests
    assert not cached.exists()
    server.plan.clear()
    assert read() == CONTENT


def test_wrong_bytes_are_refused_with_both_hashes_and_kept(server, read, cached):
    server.plan["/" + PATH] = ["wrong"] * 3
    with pytest.raises(HashMismatchError) as caught:
        read()
    wrong = b"?" * len(CONTENT)
    assert hashlib.sha256(CONTENT).hexdigest() in str(caught.value)
    assert hashlib.sha256(wrong).hexdigest() in str(caught.value)
    assert caught.value.kept.name == "data.txt.corrupt"
    assert caught.value.kept.read_bytes() == wrong
    assert not cached.exists()


def test_a_second_wrong_file_does_not_overwrite_the_first(server, read):
    kept = set()
    for _ in range(2):
        server.plan["/" + PATH] = ["wrong"]
        with pytest.raises(HashMismatchError) as caught:
            read()
        kept.add(caught.value.kept)
    assert len(kept) == 2
    assert all(path.is_file() for path in kept)


def test_a_wrong_beginning_is_dropped_and_fetched_whole(server, read, cached):
    cached.parent.mkdir(parents=True)
    cached.with_name(cached.name + ".part").write_bytes(b"#" * 1000)
    assert read() == CONTENT
    assert [wanted for _, wanted in server.requests] == ["bytes=1000-", None]


def test_wrong_bytes_over_a_dropping_connection_end_in_an_error(server, read, cached):
    server.plan["/" + PATH] = ["wrong", "drop"] * 9
    cached.parent.mkdir(parents=True)
    cached.with_name(cached.name + ".part").write_bytes(b"?" * 10)
    with pytest.raises(HashMismatchError):
        read()
    assert len(list(cached.parent.glob("*.corrupt*"))) == 2


def test_a_damaged_cache_file_is_set_aside_and_fetched_again(read, cached):
    read()
    cached.write_bytes(b"damaged")
    assert read() == CONTENT
    assert cached.with_name("data.txt.corrupt").read_bytes() == b"damaged"


def test_a_wrong_mirror_file_is_an_error_and_stays_untouched(tmp_path):
    mirror = mirror_of(tmp_path, b"edited")
    upstream = Upstream(mirror=mirror, cache=tmp_path / "cache", pins=pins(), is_offline=True)
    with pytest.raises(HashMismatchError, match=hashlib.sha256(b"edited").hexdigest()):
        upstream.read(KEY)
    assert (mirror / PATH).read_bytes() == b"edited"


def test_offline_uses_the_cache_and_else_says_what_to_do(server, read, tmp_path):
    with pytest.raises(
        OfflineError, match=rf"in the cache .*, and downloads are switched off\. Set .* {PATH}, or unset"
    ):
        read(is_offline=True)
    unset = "or unset GECBENCH_OFFLINE, HF_HUB_OFFLINE and HF_DATASETS_OFFLINE"
    with pytest.raises(OfflineError, match=rf"the mirror {tmp_path} lacks {PATH}, and downloads .* {unset}\.$"):
        read(is_offline=True, mirror=tmp_path)
    assert server.requests == []
    assert read() == read(is_offline=True) == CONTENT


def test_several_at_once_fetch_once(server, read):
    pytest.importorskip("filelock")
    server.plan["/" + PATH] = ["drop"]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: read(), range(8)))
    assert found == [CONTENT] * 8
    assert len(server.requests) == 2


def test_progress_is_silent_where_there_is_no_terminal(read, capsys):
    read(downloader=Downloader(backoff=0.0))
    assert capsys.readouterr() == ("", "")


UNREACHABLE = {
    "a closed port": ("127.0.0.1:9", "Connection refused"),
    "no such host": ("no-such-host.invalid", "[^)]+"),
}


@pytest.mark.parametrize(("host", "cause"), UNREACHABLE.values(), ids=UNREACHABLE)
@pytest.mark.parametrize("has_mirror", [False, True], ids=["no mirror", "mirror"])
def test_no_server_at_all(read, tmp_path, host, cause, has_mirror):
    """Another attempt would fail alike, so there is none; the error says how to do without a network."""
    patient = Downloader(pause=lambda _: pytest.fail("it waited"))
    mirror = tmp_path / "folder" if has_mirror else None
    with pytest.raises(UpstreamError) as caught:
        read(base_url=f"http://{host}", downloader=patient, mirror=mirror)
    if has_mirror:
        start, fix = f"the mirror {mirror} lacks {PATH}, and cannot", "Add the file to the mirror"
    else:
        start, fix = "cannot", f"Set GECBENCH_MIRROR to a folder that contains {PATH}"
    fix = f"{fix}, or try again later."
    expected = rf"{re.escape(start)} connect to {host} \({cause}\)\. {re.escape(fix)}"
    assert re.fullmatch(expected, str(caught.value)), str(caught.value)


def test_a_time_out_is_retried(read):
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(UpstreamError) as caught:
            read(base_url=address, downloader=Downloader(2, 0.0, 0.2))
    assert f"{address}/{PATH} could not be fetched in 2 attempts (timed out). Set GECBENCH_MIRROR" in str(caught.value)


def test_pauses_grow(server, read):
    pauses: list[float] = []
    server.plan["/" + PATH] = ["drop"] * 3
    read(downloader=Downloader(attempts=4, backoff=1.0, pause=pauses.append))
    assert [int(pause) for pause in pauses] == [1, 2, 4] or [round(pause) for pause in pauses] == [1, 2, 4]
    assert pauses == sorted(pauses)


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "GECBENCH_OFFLINE"])
def test_offline_variables(variable, monkeypatch):
    for name in OFFLINE_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert not offline()
    for value, expected in (("1", True), ("true", True), ("0", False)):
        monkeypatch.setenv(variable, value)
        assert offline() is expected


def test_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("GECBENCH_MIRROR", str(tmp_path / "absent"))
    with pytest.raises(UpstreamError, match="not a folder"):
        Upstream.from_environment()
    monkeypatch.setenv("GECBENCH_MIRROR", str(tmp_path))
    monkeypatch.setenv("GECBENCH_UPSTREAM_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    upstream = Upstream.from_environment()
    assert (upstream.mirror, upstream.base_url, upstream.is_offline) == (tmp_path, "http://127.0.0.1:1", True)


@pytest.mark.parametrize(
    ("text", "lines"), [("\ufeffa b \r\n\nc\x0cd\u2028e\nlast", ["a b", "", "c\x0cd\u2028e", "last"]), ("", [])]
)
def test_lines_are_split_on_newlines_only_and_blank_lines_are_data(tmp_path, text, lines):
    upstream = Upstream(mirror=mirror_of(tmp_path, text.encode()), pins=pins(text.encode()), is_offline=True)
    assert upstream.lines(KEY) == upstream.lines(KEY, len(lines)) == lines
    with pytest.raises(InputError, match=f"{len(lines)} lines, but the source has 7"):
        upstream.lines(KEY, 7)


def test_errors_survive_pickling(tmp_path):
    for error in (UpstreamError("gone", "Look"), HashMismatchError("file", "aa", "bb", tmp_path)):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_every_pin_names_commit_size_and_hash():
    for key, pin in default_pins().items():
        if pin.path in pin.source.unpinned:
            assert pin.sha256 is None
            continue
        assert pin.size > 0
        assert len(pin.sha256) == 64
        assert pin.source.archive or pin.source.commit in pin.url, key
    assert len({pin.sha256 for pin in default_pins().values() if pin.sha256}) == len(default_pins()) - 13


def test_every_pinned_file_is_in_the_mirror_and_right(mirror):
    for key, pin in mirror.pins.items():
        if pin.sha256 is not None:
            content = mirror.read(key)
            assert (len(content), hashlib.sha256(content).hexdigest()) == (pin.size, pin.sha256)
