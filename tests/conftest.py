import gc
import os
import re
import ssl
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["corpora_fixtures"]

settings.register_profile("gecbench", deadline=None)  # how long an example takes depends on the machine
settings.load_profile("gecbench")

# Set before any test module imports datasets or evaluate, which read them once.
_HUGGING_FACE_HOME = tempfile.TemporaryDirectory(prefix="gecbench-tests-", ignore_cleanup_errors=True)
os.environ["HF_HOME"] = _HUGGING_FACE_HOME.name
os.environ["TQDM_DISABLE"] = "1"
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_EVALUATE_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Run a folder on one worker more than cores, since many tests wait; single files in this process, sooner done."""
    return 1 + (os.cpu_count() or 1) if any(Path(path).is_dir() for path in config.args) else 0


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Leave what is imported and collected out of all searches for garbage, which would find none there."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Begin with what takes longest: documents, and the tests in a browser, which one worker then runs in one."""
    items.sort(key=lambda item: not {"browser", "documents"}.intersection(item.fixturenames))


@pytest.fixture(scope="module", params=["native", "python"])
def implementation(request):
    """Run a test once with each implementation of the kernels, for `kernels.select`."""
    from gecbench import kernels

    if request.param == "native" and kernels.native_module() is None:
        pytest.skip("installed without compiled kernels")
    return request.param


@pytest.fixture
def kernels_of(implementation, monkeypatch):
    """Run a test once with each implementation of the kernels, which everything in it uses."""
    monkeypatch.setenv("GECBENCH_KERNELS", implementation)
    return implementation


@pytest.fixture(scope="module")
def both_kernels():
    """Return the Python and the native form of a kernel."""
    from gecbench import kernels

    if kernels.native_module() is None:
        pytest.skip("installed without compiled kernels")
    return lambda name: (kernels.select(name, "python"), kernels.select(name, "native"))


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def mirror():
    """Return the upstream of real files; skip where there is no mirror of them."""
    from gecbench.corpora.upstream import Upstream

    if not os.environ.get("GECBENCH_MIRROR"):
        pytest.skip("GECBENCH_MIRROR is not set")
    return Upstream.from_environment()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run the command line, which succeeds, and return what it prints."""
    from gecbench.cli import main

    def run_main(*arguments):
        assert main([str(argument) for argument in arguments]) == 0
        return capsys.readouterr().out

    return run_main


@pytest.fixture
def refused(capsys):
    """Run the command line, which refuses in one line that matches a message, and return that line."""
    from gecbench.cli import main

    def run_main(arguments, message="", status=2):
        assert main([str(argument) for argument in arguments]) == status
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.startswith("gecbench: ")
        assert output.err.count("\n") == 1, "one line, no traceback"
        assert re.search(message, output.err), output.err
        return output.err

    return run_main


@pytest.fixture
def exits(capsys):
    """Run the command line, which exits with a status of its own accord, and return what it prints."""
    from gecbench.cli import main

    def run_main(arguments, status=0):
        with pytest.raises(SystemExit, match=f"^{status}$"):
            main(arguments)
        return capsys.readouterr()

    return run_main


@pytest.fixture
def three_files(folder):
    """Write the worked example of M2: gold edits, the outputs of a system, and the unchanged sources."""
    from m2_corpus import THREE_OUTPUTS, THREE_SENTENCES

    from gecbench.formats.m2 import write_m2
    from gecbench.formats.text import write_lines

    write_m2(THREE_SENTENCES, "gold.m2")
    write_lines("out.txt", THREE_OUTPUTS)
    write_lines("same.txt", THREE_SENTENCES.sources)
    return folder


@pytest.fixture(scope="session")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def browser(downloads):
    import chromium

    if reason := chromium.missing():
        pytest.skip(reason)
    with chromium.chromium(str(downloads)) as driver:
        yield driver


@pytest.fixture(scope="session")
def page(tmp_path_factory):
    import boards

    folder = tmp_path_factory.mktemp("friendly")
    return boards.site(boards.demo_board(folder / "board"), folder / "site")


@pytest.fixture
def opened(browser, page):
    """Open the page."""
    import chromium

    chromium.open_page(browser, page)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    import boards

    folder = tmp_path_factory.mktemp("hostile")
    return boards.site(boards.hostile_board(folder / "board"), folder / "site")


@pytest.fixture
def calm(browser):
    """Start from a quiet browser, and fail if the page complains."""
    import chromium

    chromium.emulate(browser)
    browser.get_log("browser")
    yield
    problems = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not problems, "the page complains"


@pytest.fixture
def hub(monkeypatch):
    """Run a stand-in of the Hub, with one who is logged in."""
    pytest.importorskip("huggingface_hub")
    import hub_stand_in

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_TOKEN", "made-up")
    with hub_stand_in.HubStandIn().running() as stand_in:
        # Releases before 1.0 know a commit's address only if it begins with this.
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", stand_in.url)
        yield stand_in


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """Return the folder of a spaCy pipeline that is trained here; skip where errant is not installed."""
    import tiny_pipeline

    return tiny_pipeline.train(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def online(monkeypatch):
    """Let huggingface_hub ask servers on loopback, soon again after a failure, on a machine with a token.

    They need no certificates, which take longer to read than most answers.
    """
    monkeypatch.setattr("ssl.create_default_context", lambda *_, **__: ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("gecbench.models.endpoint._LONGEST_BACK_OFF", 0.01)
    monkeypatch.setenv("HF_TOKEN", "hf_of-this-machine")


@pytest.fixture
def chat():
    """Run a server of a model that corrects three sentences."""
    import chat_server
    import served

    with chat_server.ChatServer(served.FIXED).running() as running:
        yield running
