from __future__ import annotations

import hashlib
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from corpora_support import PATIENT
from loopback import Loopback

from gecbench.corpora.upstream import Upstream, cache_folder, offline
from gecbench.corpora.upstream.fetch import Downloader
from gecbench.corpora.upstream.pins import HashMismatchError, OfflineError, Pin, Source, UpstreamError, default_pins
from gecbench.errors import InputError

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


def upstream_of(server, tmp_path, **options) -> Upstream:
    return Upstream(cache=tmp_path / "cache", pins=pins(), base_url=server.url, downloader=PATIENT, **options)


def mirror_of(tmp_path, content: bytes) -> Path:
    mirrored = tmp_path / "mirror" / PATH
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(content)
    return tmp_path / "mirror"


def test_mirror_comes_before_cache_and_network(server, tmp_path):
    upstream = upstream_of(server, tmp_path, mirror=mirror_of(tmp_path, CONTENT))
    assert upstream.read(KEY) == CONTENT
    assert server.requests == []
    assert not (tmp_path / "cache").exists()


def test_fetched_once_then_from_cache(server, tmp_path):
    assert upstream_of(server, tmp_path).read(KEY) == CONTENT
    assert upstream_of(server, tmp_path).read(KEY) == CONTENT
    assert len(server.requests) == 1
    assert sorted(path.suffix for path in (tmp_path / "cache" / PATH).parent.iterdir()) in (
        [".lock", ".txt"],
        [".txt"],
    )


def test_a_dropped_connection_is_continued_where_it_broke(server, tmp_path):
    server.plan["/" + PATH] = ["drop", "drop"]
    assert upstream_of(server, tmp_path).read(KEY) == CONTENT
    asked = [wanted for _, wanted in server.requests]
    assert asked[0] is None
    assert asked[1] == f"bytes={len(CONTENT) // 2}-"
    assert int(asked[2].removeprefix("bytes=").rstrip("-")) > len(CONTENT) // 2


def test_a_server_without_ranges_is_started_over(server, tmp_path):
    server.plan["/" + PATH] = ["drop", "whole"]
    assert upstream_of(server, tmp_path).read(KEY) == CONTENT
    assert len(server.requests) == 2


@pytest.mark.parametrize("code", ["429", "500", "503"])
def test_an_overloaded_server_is_asked_again(server, tmp_path, code):
    server.plan["/" + PATH] = [code, code]
    assert upstream_of(server, tmp_path).read(KEY) == CONTENT
    assert len(server.requests) == 3


@pytest.mark.parametrize("code", ["403", "404", "410"])
def test_a_refusal_is_not_retried(server, tmp_path, code):
    server.plan["/" + PATH] = [code] * 5
    with pytest.raises(UpstreamError, match=code):
        upstream_of(server, tmp_path).read(KEY)
    assert len(server.requests) == 1


def test_a_truncated_file_never_enters_the_cache(server, tmp_path):
    server.plan["/" + PATH] = ["short"] * 9
    with pytest.raises(UpstreamError, match="4 attempts"):
        upstream_of(server, tmp_path).read(KEY)
    assert not (tmp_path / "cache" / PATH).exists()
    server.plan.clear()
    assert upstream_of(server, tmp_path).read(KEY) == CONTENT


def test_wrong_bytes_are_refused_with_both_hashes_and_kept(server, tmp_path):
    server.plan["/" + PATH] = ["wrong"] * 3
    with pytest.raises(HashMismatchError) as caught:
        upstream_of(server, tmp_path).read(KEY)
    wrong = b"?" * len(CONTENT)
    assert hashlib.sha256(CONTENT).hexdigest() in str(caught.value)
    assert hashlib.sha256(wrong).hexdigest() in str(caught.value)
    assert caught.value.kept.name == "data.txt.corrupt"
    assert caught.value.kept.read_bytes() == wrong
    assert not (tmp_path / "cache" / PATH).exists()


def test_a_second_wrong_file_does_not_overwrite_the_first(server, tmp_path):
    kept = set()
    for _ in range(2):
        server.plan["/" + PATH] = ["wrong"]
        with pytest.raises(HashMismatchError) as caught:
            upstream_of(server, tmp_path).read(KEY)
        kept.add(caught.value.kept)
    assert len(kept) == 2
    assert all(path.is_file() for path in kept)


def test_a_wrong_beginning_is_dropped_and_fetched_whole(server, tmp_path):
    partial = tmp_path / "cache" / (PATH + ".part")
    partial.parent.mkdir(parents=True)
    partial.write_bytes(b"#" * 1000)
    assert upstream_of(server, tmp_path).read(KEY) == CONTENT
    assert [wanted for _, wanted in server.requests] == ["bytes=1000-", None]


def test_wrong_bytes_over_a_dropping_connection_end_in_an_error(server, tmp_path):
    server.plan["/" + PATH] = ["wrong", "drop"] * 9
    (tmp_path / "cache" / PATH).parent.mkdir(parents=True)
    (tmp_path / "cache" / (PATH + ".part")).write_bytes(b"?" * 10)
    with pytest.raises(HashMismatchError):
        upstream_of(server, tmp_path).read(KEY)
    assert len(list((tmp_path / "cache" / PATH).parent.glob("*.corrupt*"))) == 2


def test_more_bytes_than_pinned_are_not_read(server, tmp_path):
    server.plan["/" + PATH] = ["long"]
    with pytest.raises(UpstreamError, match="more than"):
        upstream_of(server, tmp_path).read(KEY)
    assert not (tmp_path / "cache" / PATH).exists()


def test_a_damaged_cache_file_is_set_aside_and_fetched_again(server, tmp_path):
    upstream_of(server, tmp_path).read(KEY)
    cached = tmp_path / "cache" / PATH
    cached.write_bytes(b"damaged")
    assert upstream_of(server, tmp_path).read(KEY) == CONTENT
    assert cached.with_name("data.txt.corrupt").read_bytes() == b"damaged"


def test_a_wrong_mirror_file_is_an_error_and_stays_untouched(tmp_path):
    mirror = mirror_of(tmp_path, b"edited")
    upstream = Upstream(mirror=mirror, cache=tmp_path / "cache", pins=pins(), is_offline=True)
    with pytest.raises(HashMismatchError, match=hashlib.sha256(b"edited").hexdigest()):
        upstream.read(KEY)
    assert (mirror / PATH).read_bytes() == b"edited"


def test_offline_uses_the_cache_and_else_says_what_to_do(server, tmp_path):
    with pytest.raises(OfflineError, match="GECBENCH_MIRROR") as caught:
        upstream_of(server, tmp_path, is_offline=True).read(KEY)
    assert server.requests == []
    assert PATH in str(caught.value)
    upstream_of(server, tmp_path).read(KEY)
    assert upstream_of(server, tmp_path, is_offline=True).read(KEY) == CONTENT


def test_several_at_once_fetch_once(server, tmp_path):
    pytest.importorskip("filelock")
    server.plan["/" + PATH] = ["drop"]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: upstream_of(server, tmp_path).read(KEY), range(8)))
    assert found == [CONTENT] * 8
    assert len(server.requests) == 2


def test_progress_is_silent_where_there_is_no_terminal(server, tmp_path, capsys):
    Upstream(cache=tmp_path, pins=pins(), base_url=server.url, downloader=Downloader(backoff=0.0)).read(KEY)
    assert capsys.readouterr() == ("", "")


def test_no_server_at_all(tmp_path):
    downloader = Downloader(2, 0.0, 1.0)
    upstream = Upstream(cache=tmp_path, pins=pins(), base_url="http://127.0.0.1:9", downloader=downloader)
    with pytest.raises(UpstreamError, match="2 attempts"):
        upstream.read(KEY)


def test_pauses_grow(server, tmp_path):
    pauses: list[float] = []
    server.plan["/" + PATH] = ["drop"] * 3
    downloader = Downloader(attempts=4, backoff=1.0, pause=pauses.append)
    Upstream(cache=tmp_path, pins=pins(), base_url=server.url, downloader=downloader).read(KEY)
    assert [int(pause) for pause in pauses] == [1, 2, 4] or [round(pause) for pause in pauses] == [1, 2, 4]
    assert pauses == sorted(pauses)


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "GECBENCH_OFFLINE"])
def test_offline_variables(variable):
    assert offline({variable: "1"})
    assert offline({variable: "true"})
    assert not offline({variable: "0"})
    assert not offline({})


def test_cache_folder_follows_the_hugging_face_home(tmp_path):
    assert cache_folder({"HF_HOME": str(tmp_path), "XDG_CACHE_HOME": "/elsewhere"}) == tmp_path / "gecbench"
    assert cache_folder({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "huggingface" / "gecbench"
    assert cache_folder({}).parts[-3:] == (".cache", "huggingface", "gecbench")


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
        if pin.source.name == "bn15":
            assert pin.sha256 is None
            continue
        assert pin.size > 0
        assert len(pin.sha256) == 64
        assert pin.source.archive or pin.source.commit in pin.url, key
    assert len({pin.sha256 for pin in default_pins().values() if pin.sha256}) == len(default_pins()) - 10
