"""Loading files in a separate process, files that harm it, and uploads."""

import contextlib
import os
import queue
import sys
import threading
from dataclasses import asdict
from types import SimpleNamespace

import pytest

import footway as fw
from footway.studio.documents import Document
from footway.studio.files import loading, loading_process
from footway.studio.files.loading import Limits, Loader, Order, clean_name
from footway.studio.files.loading import open_upload as opened_by
from footway.studio.files.saving import as_geojson
from tests.unit.crowd.maps import cmap, env
from tests.unit.recording.recordings import random_recording
from tests.unit.studio.hostile_process import COMMAND
from tests.unit.studio.serving import InThisProcess, wait_until

HALL = as_geojson(Document("hall", "map", env("hall"), cmap("hall"))).content
linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")


@contextlib.contextmanager
def loader_of(**options):
    made = Loader(ahead=False, **options)
    try:
        yield made
    finally:
        made.close()


def hostile(**limits):
    return loader_of(
        limits=Limits(**{"seconds": 60.0, "megabytes": 500.0} | limits), command=COMMAND
    )


def harm(tmp_path, name, loader):
    """Load a harmful file; return the error after its process has ended."""
    file = tmp_path / f"{name}.geojson"
    file.write_bytes(HALL)
    with pytest.raises(fw.BadInput) as caught:
        loader.load(Order(str(file), display_name=f"{name}.geojson"))
    assert not is_running(int(file.with_suffix(".pid").read_text()))
    words = str(caught.value)
    assert "\n" not in words
    assert words.startswith(f"{name}.geojson: ")
    return words


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_map_is_the_same_as_without_a_process(tmp_path):
    (tmp_path / "hall.geojson").write_bytes(HALL)
    with loader_of() as loader:
        made = loader.load(Order(str(tmp_path / "hall.geojson"), display_name="the hall"))
    assert (made.name, made.what) == ("the hall", "map")
    assert as_geojson(made).content.replace(b"hall", b"") == HALL.replace(b"hall", b"")


def test_one_process_waits_for_the_next_file(tmp_path):
    (tmp_path / "hall.geojson").write_bytes(HALL)
    loader = Loader(command=COMMAND)
    try:
        loader.prepare()
        seen = []
        for _ in range(2):
            (waiting,) = loader._all
            assert loader.load(Order(str(tmp_path / "hall.geojson"))).what == "map"
            seen.append(int((tmp_path / "hall.pid").read_text()))
            assert waiting._process.pid == seen[-1]
            assert not is_running(seen[-1])  # each file has its own
        (waiting,) = loader._all
    finally:
        loader.close()
    assert not waiting.is_alive
    with pytest.raises(fw.BadInput, match="ending"):
        loader.load(Order(str(tmp_path / "hall.geojson")))


def test_a_spare_process_that_has_died_is_replaced(tmp_path):
    (tmp_path / "hall.geojson").write_bytes(HALL)
    loader = Loader(command=COMMAND)
    try:
        loader.prepare()
        next(iter(loader._all)).end()
        assert loader.load(Order(str(tmp_path / "hall.geojson"))).what == "map"
    finally:
        loader.close()


@pytest.mark.parametrize("name", ["loop", "hold", "compile_for_ever"])
def test_a_file_that_takes_for_ever_is_stopped(tmp_path, monkeypatch, name):
    monkeypatch.setattr(loading, "_COMPILING", 1.0)
    with hostile(seconds=1.0) as loader:
        words = harm(tmp_path, name, loader)
    assert "took more than 1 s to load" in words
    assert "--load-seconds 2" in words


@pytest.mark.parametrize("name", ["flood", "stall"])
def test_compiling_has_a_time_limit(tmp_path, monkeypatch, name):
    monkeypatch.setattr(loading, "_MAX_COMPILING", 0.5)
    with hostile(seconds=1.0) as loader:
        words = harm(tmp_path, name, loader)
    assert "took more than 1 s" in words or "crashed" in words


def test_after_compiling_a_file_has_all_its_seconds(monkeypatch):
    """With a fake clock: a message about compiling comes after 250 of 300 s."""
    now = [0.0]
    monkeypatch.setattr(loading.time, "monotonic", lambda: now[0])

    def waits(*moments):
        steps, now[0] = iter(moments), 0.0

        def get(timeout):
            seconds, message = next(steps)
            now[0] += seconds
            if message is None:
                raise queue.Empty
            return message

        process = SimpleNamespace(messages=SimpleNamespace(get=get))
        limits = Limits(seconds=300.0)
        loading._Wait(process, "a", limits, lambda: True, lambda: None).until_done()

    compiling, done = {"compiling": True}, {"done": True}
    waits((250, compiling), (299, None), (1, done))
    waits((299, None), (1, done))
    for moments in (((250, compiling), (301, None)), ((301, None),)):
        with pytest.raises(fw.BadInput, match="took more than 300 s"):
            waits(*moments)


@pytest.mark.parametrize(
    ("name", "why"), [("crash", "SIGSEGV"), ("abort", "SIGABRT"), ("leave", "exit code 7")]
)
def test_a_crash_is_reported_in_one_line(tmp_path, name, why):
    with hostile() as loader:
        words = harm(tmp_path, name, loader)
    assert f"crashed ({why})" in words


def test_the_file_after_a_bad_one_is_loaded(tmp_path):
    with hostile() as loader:
        harm(tmp_path, "crash", loader)
        (tmp_path / "good.geojson").write_bytes(HALL)
        assert loader.load(Order(str(tmp_path / "good.geojson"))).what == "map"


@linux
def test_memory_is_limited(tmp_path):
    with hostile() as loader:
        words = harm(tmp_path, "fill", loader)
    assert "takes more than 500 MB of memory" in words
    assert "--load-megabytes 1000" in words


def test_an_internal_error_is_reported(tmp_path):
    with hostile() as loader:
        assert "fault in Footway: ZeroDivisionError: a bug of ours" in harm(
            tmp_path, "fault", loader
        )
        assert "fault in Footway: RecursionError" in harm(tmp_path, "deep", loader)


@pytest.mark.parametrize("name", ["lie", "bomb", "pickled", "babble", "write"])
def test_a_hostile_process_is_not_trusted(tmp_path, name):
    with hostile() as loader:
        harm(tmp_path, name, loader)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(("number", "heard"), [(3, 3), (5, 5), (9, 5)])
def test_the_number_of_messages_is_limited(monkeypatch, number, heard):
    monkeypatch.setattr(loading, "_MAX_MESSAGES", 5)
    process = loading._Process([sys.executable, "-c", f"print('{{}}\\n' * {number})"])
    try:
        assert list(iter(lambda: process.messages.get(timeout=300), None)) == [{}] * heard
    finally:
        process.end()


def test_loading_is_cancelled_if_nobody_waits(tmp_path):
    with hostile() as loader:
        (tmp_path / "hold.geojson").write_bytes(HALL)
        pid = tmp_path / "hold.pid"
        with pytest.raises(fw.BadInput, match="cancelled"):
            loader.load(Order(str(tmp_path / "hold.geojson")), is_wanted=lambda: not pid.exists())
        wait_until(lambda: not is_running(int(pid.read_text())))


def test_close_ends_what_is_being_loaded(tmp_path):
    with hostile() as loader:
        with loader.folder() as folder:
            base = folder.parent
        (tmp_path / "hold.geojson").write_bytes(HALL)
        messages = []

        def load():
            try:
                loader.load(Order(str(tmp_path / "hold.geojson")))
            except fw.BadInput as error:
                messages.append(str(error))

        thread = threading.Thread(target=load)
        thread.start()
        wait_until((tmp_path / "hold.pid").exists)
        assert list(base.iterdir())
        loader.close()
        thread.join(timeout=300)
        assert len(messages) == 1
        assert not base.exists()


def test_a_process_ends_with_its_server(tmp_path):
    """Even without a signal: its input is closed."""
    with hostile() as loader:
        (tmp_path / "loop.geojson").write_bytes(HALL)
        process = loading._Process(COMMAND)
        order = Order(str(tmp_path / "loop.geojson"))
        folder = {"folder": str(tmp_path)}
        process.give({**asdict(order), **asdict(loader.limits), **folder})
        wait_until((tmp_path / "loop.pid").exists)
        process._process.stdin.close()
        assert process._process.wait(timeout=300) == 1


def test_a_scenario_without_path_raises_no_path(tmp_path):
    (tmp_path / "two.wkt").write_text("MULTIPOLYGON(((0 0,9 0,9 9,0 9)),((20 0,29 0,29 9,20 9)))")
    (tmp_path / "two.toml").write_text(
        'map = "two.wkt"\n[[population]]\ncount = 1\nstarts = [[5, 5]]\ngoals = [[25, 5]]\n'
    )
    with loader_of() as loader, pytest.raises(fw.NoPath, match=r"two.toml: line 5") as caught:
        loader.load(Order(str(tmp_path / "two.toml")))
    assert caught.value.reason == "components"


def test_only_known_reasons_are_accepted():
    for reason in ("components", "pinch", "no room", "blocked"):
        error = loading._error_of({"error": "no\n path", "reason": reason})
        assert isinstance(error, fw.NoPath)
        assert (str(error), error.reason) == ("no path", reason)
    for message in (
        {"error": "no"},
        {"error": "no", "reason": "none"},
        {"error": "no", "reason": 3},
    ):
        assert type(loading._error_of(message)) is fw.BadInput


def test_a_process_that_cannot_start_is_reported(tmp_path):
    (tmp_path / "hall.geojson").write_bytes(HALL)
    for command, words in (
        (("no-such-program",), "cannot start a process"),
        ((sys.executable, "-c", "1"), "does not start"),
    ):
        with loader_of(command=command) as loader, pytest.raises(fw.BadInput, match=words):
            loader.load(Order(str(tmp_path / "hall.geojson")))


def test_a_missing_file_is_reported_without_a_process():
    with loader_of(command=("no-such-program",)) as loader:
        for order in (Order("gone.geojson"), Order("gallery:field", map_name="gone.geojson")):
            with pytest.raises(fw.BadInput, match=r"^gone.geojson: does not exist; check the path"):
                loader.load(order)


def test_a_signal_handler_may_close_a_loader_that_is_being_closed():
    loader = Loader(Limits(), ahead=False)
    with loader._changing:
        loader.close()


def test_compiling_does_not_reduce_the_processor_time():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_CPU)
    try:
        loading_process._allow_processor_time(5000.0)
        allowed = resource.getrlimit(resource.RLIMIT_CPU)[0]
        loading_process._allow_processor_time(600.0, reduce=False)
        assert resource.getrlimit(resource.RLIMIT_CPU)[0] == allowed
        loading_process._allow_processor_time(9000.0, reduce=False)
        assert resource.getrlimit(resource.RLIMIT_CPU)[0] > allowed
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)


def test_what_is_built_in():
    assert Order("gallery:field").is_built_in
    assert Order("demo:corridor").is_built_in
    assert not Order("gallery.geojson").is_built_in
    assert not Order("gallery:field", map_name="x.geojson").is_built_in


def open_upload(name, content):
    return opened_by(name, content, InThisProcess())


@pytest.mark.parametrize(
    ("given", "plain"),
    [("plan.geojson", "plan.geojson"), ("../../etc/plan.GEOJSON", "plan.GEOJSON"),
     ("C:\\maps\\plan.png", "plan.png"), ("a\x00b\n.toml", "ab.toml"),
     ("x" * 500 + ".wkt", "x" * 96 + ".wkt")],
)  # fmt: skip
def test_names_are_plain(given, plain):
    assert clean_name(given) == plain


@pytest.mark.parametrize(
    "name", ["", ".", "..", "plan", "plan.exe", "plan.yaml", "plan.obj", ".toml", "x/.."]
)
def test_names_that_cannot_be_uploaded(name):
    with pytest.raises(fw.BadInput, match="cannot be uploaded"):
        clean_name(name)


def test_a_map():
    document = open_upload("hall.geojson", HALL)
    assert (document.name, document.what) == ("hall.geojson", "map")
    assert document.environment.area == 500.0


def test_a_recording_does_not_need_its_uploaded_file(tmp_path):
    recording = random_recording()
    recording.save(tmp_path / "run.parquet")
    document = open_upload("run.parquet", (tmp_path / "run.parquet").read_bytes())
    assert document.recording.frame(5).positions.tolist() == recording.frame(5).positions.tolist()


def test_a_scenario_of_the_gallery():
    text = b'map = "gallery:field"\n[[population]]\ncount = 5\n'
    assert open_upload("plaza.toml", text).scenario.population[0].count == 5


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.geojson", "secret.fwmap"])
def test_a_scenario_must_not_name_a_file_of_this_machine(name):
    text = f'map = "{name}"\n[[population]]\ncount = 5\n'.encode()
    with pytest.raises(fw.BadInput, match=r"its map is a file; start `footway studio plaza\.toml`"):
        open_upload("plaza.toml", text)


def test_a_building_in_toml_is_opened_beside_its_files():
    text = b'[[floor]]\nname = "0"\nplan = "plan.geojson"\n[[stairs]]\nfrom = "0"\n'
    with pytest.raises(fw.BadInput) as caught:
        open_upload("house.toml", text)
    assert str(caught.value) == (
        "house.toml: a building in TOML joins several files; start `footway studio house.toml` "
        "beside them"
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.geojson", b"{"), ("a.geojson", b""), ("a.png", HALL), ("a.parquet", HALL),
     ("a.fwmap", HALL),
     ("a.toml", HALL), ("a.map", b"type octile\nheight 99999\nwidth 99999\nmap\n"),
     ("a.wkt", b"\xff\xfe")],
)  # fmt: skip
def test_damaged_files_are_refused_in_one_line_without_folders(name, content):
    with pytest.raises(fw.BadInput) as caught:
        open_upload(name, content)
    assert "\n" not in str(caught.value)
    assert "/tmp" not in str(caught.value)
    assert "upload" not in str(caught.value)
