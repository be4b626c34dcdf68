"""What every way to isolate a run must do, whichever plugins there are."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from crawler import sandbox
from crawler.errors import MissingTool
from crawler.plugins import load_plugins
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.sandbox.backend import Backend
from crawler.sandbox_choice import list_sandboxes
from tests.integration.attacks.backends import open_reachable_folder, use_backend

pytestmark = pytest.mark.apt("bwrap")
BACKENDS = load_plugins("crawler.sandbox.backends", Backend)
LIMITS = Limits(seconds=60)
SHOWS_DEVICES = {"bubblewrap", "container"}


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    chosen: Backend = request.param
    with use_backend(chosen.name):
        yield chosen


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_reachable_folder() as reachable:
        yield reachable


def run_shell(command: str, *mounts: Mount, limits: Limits = LIMITS) -> tuple[int, str]:
    ended = sandbox.run(["sh", "-c", command], mounts=mounts, limits=limits)
    return ended.exit_code, ended.output.decode()


def show(folder: Path, *, writable: bool = False) -> Mount:
    return Mount(source=folder, target=str(folder), writable=writable)


def test_a_setting_can_name_each_of_them() -> None:
    assert sorted(backend.name for backend in BACKENDS) == list(list_sandboxes())


def test_it_says_what_is_missing_or_passes_its_own_test(backend: Backend) -> None:
    assert backend.find_missing_requirement() == ""
    assert len(backend.barriers) >= 10
    assert sandbox.run_self_test().works


def test_a_run_has_its_input_its_variables_and_its_exit_status(
    backend: Backend,
) -> None:
    ended = sandbox.run(
        ["sh", "-c", 'cat; echo "$WORD"; exit 3'],
        stdin=b"from outside\n",
        env={"WORD": "a variable"},
        limits=LIMITS,
    )
    assert (ended.exit_code, ended.output) == (3, b"from outside\na variable\n")


def test_no_variable_of_the_caller_is_seen(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    _, output = run_shell("env")
    assert "PATH=" in output
    assert "hunter2" not in output


def test_what_it_is_shown_can_be_read_and_not_changed(
    backend: Backend, folder: Path
) -> None:
    (folder / "a").write_text("shown")
    (folder / "a").chmod(0o644)
    exit_code, output = run_shell(
        f"cat {folder}/a; echo b > {folder}/b; echo b > {folder}/a", show(folder)
    )
    assert (exit_code != 0, output) == (True, "shown")
    assert (folder / "a").read_text() == "shown"
    assert not (folder / "b").exists()


def test_what_it_is_not_shown_cannot_be_read(backend: Backend, folder: Path) -> None:
    secret = folder / "secret"
    secret.write_text("hunter2")
    secret.chmod(0o644)
    exit_code, output = run_shell(f"cat {secret}")
    assert (exit_code != 0, output) == (True, "")


def test_of_a_writable_folder_plain_files_come_back(
    backend: Backend, folder: Path
) -> None:
    exit_code, output = run_shell(
        f"cd {folder} && mkdir sub && echo a > sub/new && ln -s /etc/passwd link",
        show(folder, writable=True),
    )
    assert exit_code == 0, output
    assert (folder / "sub/new").read_text() == "a\n"
    assert stat.S_ISREG((folder / "sub/new").stat().st_mode)
    assert not os.path.lexists(folder / "link")


def test_a_gpu_is_shown_or_refused(backend: Backend) -> None:
    device = Path("/dev/null")
    if backend.name in SHOWS_DEVICES:
        ended = sandbox.run(["test", "-c", str(device)], devices=[device])
        assert ended.exit_code == 0
    else:
        with pytest.raises(MissingTool, match="shows no GPU"):
            sandbox.run(["true"], devices=[device])


def test_builds_are_run_where_their_programs_work(backend: Backend) -> None:
    reason = sandbox.explain_missing_builds()
    exit_code, output = run_shell("ls -d /usr")
    assert reason or (exit_code, output) == (0, "/usr\n")
    assert bool(reason) is (not backend.can_move_folders or exit_code != 0)


def test_no_listener_of_the_host_can_be_reached(backend: Backend) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        port = server.getsockname()[1]
        ended = sandbox.run(
            [
                "python3",
                "-c",
                f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)",
            ],
            limits=LIMITS,
        )
        assert ended.exit_code != 0
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_run_ends_at_its_time_with_all_its_processes(
    backend: Backend, folder: Path
) -> None:
    ended = sandbox.run(
        ["sh", "-c", f"(sleep 3; echo late > {folder}/late) & sleep 600"],
        mounts=[show(folder, writable=True)],
        limits=Limits(seconds=1),
    )
    assert ended.timed_out
    # a process that outlived the run would have written by then
    time.sleep(3)
    assert not (folder / "late").exists()


def test_its_memory_has_an_end(backend: Backend) -> None:
    limits = Limits(seconds=60, resident_bytes=256 << 20)
    exit_code, output = run_shell(
        "python3 -c 'print(len(bytearray(1 << 30)))'", limits=limits
    )
    assert (exit_code != 0, output) == (True, "")


def test_what_it_prints_has_an_end(backend: Backend) -> None:
    limits = Limits(seconds=20, file_bytes=4 << 20)
    ended = sandbox.run(["sh", "-c", "yes to all"], limits=limits)
    assert ended.exit_code != 0
    assert not ended.timed_out
    assert len(ended.output) <= 64 << 10


def test_a_folder_at_another_path_is_shown_or_refused(
    backend: Backend, folder: Path
) -> None:
    (folder / "a").touch(mode=0o644)
    moved = Mount(source=folder, target="/moved")
    if backend.can_move_folders:
        assert run_shell("cd /moved && echo *", moved) == (0, "a\n")
    else:
        with pytest.raises(MissingTool):
            run_shell("cd /moved", moved)


def test_a_run_ends_with_a_worker_that_is_killed(backend: Backend) -> None:
    program = (
        "from crawler import sandbox\n"
        "from crawler.sandbox_choice import choose_sandbox\n"
        f"choose_sandbox({backend.name!r})\n"
        "running = sandbox.start(['sh', '-c', 'echo begun; sleep 600'])\n"
        "print(running.stdout.readline().decode(), flush=True)\n"
        "running.wait()\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"begun\n"
        # a kernel of its own has no process of the host for each of those inside
        started = psutil.Process(worker.pid).children(recursive=True)
        assert started
    finally:
        worker.kill()
        worker.communicate(timeout=10)
    wait_until(lambda: not any(process.is_running() for process in started))


def wait_until(tell: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not tell():
        assert time.monotonic() < deadline
        time.sleep(0.05)
