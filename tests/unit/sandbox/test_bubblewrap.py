"""The command line of bubblewrap."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from crawler.process_limits import Limits
from crawler.sandbox import user
from crawler.sandbox.bubblewrap import (
    BASE_ENVIRONMENT,
    SandboxCommand,
    build_bubblewrap_command,
    build_plain_command,
)
from crawler.sandbox.initial_contents import quote
from crawler.sandbox.mounts import Mount

LIMITS = Limits(processes=5, scratch_bytes=1 << 20)


@pytest.fixture
def resources() -> Iterator[ExitStack]:
    with ExitStack() as resources:
        yield resources


@pytest.fixture(autouse=True)
def _not_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user, "allocate_user_id", lambda: None)


def build(
    resources: ExitStack, *mounts: Mount, devices: tuple[Path, ...] = ()
) -> SandboxCommand:
    return build_bubblewrap_command(
        ("/bin/program", "word"),
        mounts,
        "/work",
        {"NAME": "value"},
        LIMITS,
        resources,
        b"filter",
        devices,
    )


def read_options(command: SandboxCommand) -> list[str]:
    descriptor = int(command.argv[command.argv.index("--args") + 1])
    content = os.pread(descriptor, 1 << 20, 0)
    return content.decode().split("\0")[:-1]


def find_words(options: list[str], *words: str) -> bool:
    ends = range(len(options) - len(words) + 1)
    return any(options[start : start + len(words)] == list(words) for start in ends)


def test_the_host_cannot_be_read_from_the_command_line(resources: ExitStack) -> None:
    mount = Mount(source=Path("/secret/place"), target="/seen")
    command = build(resources, mount)
    assert not [word for word in command.argv if "secret" in word]
    assert command.env == {}
    assert find_words(read_options(command), "--ro-bind", "/secret/place", "/seen")


def test_the_program_comes_last_and_keeps_its_words(resources: ExitStack) -> None:
    command = build(resources)
    assert command.argv[-2:] == ("/bin/program", "word")
    assert command.release_descriptor == -1


def test_the_environment_is_ours_and_what_was_asked_for(resources: ExitStack) -> None:
    options = read_options(build(resources))
    assert find_words(options, "--setenv", "NAME", "value")
    assert find_words(options, "--setenv", "PATH", BASE_ENVIRONMENT["PATH"])
    assert find_words(options, "--chdir", "/work")
    assert "--unshare-net" in options


def test_a_writable_folder_is_memory_and_waits_for_the_host(
    resources: ExitStack, tmp_path: Path
) -> None:
    mount = Mount(source=tmp_path, target="/work", writable=True)
    command = build(resources, mount)
    options = read_options(command)
    assert find_words(options, "--size", str(1 << 20), "--perms", "1777")
    assert find_words(options, "--tmpfs", "/work")
    assert str(tmp_path) not in options, "nothing to copy"
    assert command.release_descriptor >= 0
    assert "--block-fd" in command.argv


def test_what_lies_in_a_writable_folder_is_copied_before_the_program(
    resources: ExitStack, tmp_path: Path
) -> None:
    (tmp_path / "input").write_text("x")
    mount = Mount(source=tmp_path, target="/it's", writable=True)
    command = build(resources, mount)
    copied = "/.kernelset/given/0"
    assert find_words(read_options(command), "--ro-bind", str(tmp_path), copied)
    script = command.argv[command.argv.index("-c") + 1]
    assert script.splitlines() == [
        f"cp -RPp {copied}/. '/it'\\''s'/ || exit 125",
        'exec "$@"',
    ]
    assert command.argv[-2:] == ("/bin/program", "word")


def test_parents_of_a_mount_can_be_entered_by_everybody(resources: ExitStack) -> None:
    mount = Mount(source=Path("/usr"), target="/a/b/c")
    options = read_options(build(resources, mount))
    for folder in ("/a", "/a/b"):
        assert find_words(options, "--perms", "0755", "--dir", folder)


def test_devices_come_with_what_their_drivers_read(resources: ExitStack) -> None:
    assert not find_words(read_options(build(resources)), "--dev-bind")
    options = read_options(build(resources, devices=(Path("/dev/null"),)))
    assert find_words(options, "--dev-bind", "/dev/null", "/dev/null")
    assert find_words(options, "--ro-bind-try", "/sys/class", "/sys/class")


def test_open_files_close_with_the_resources() -> None:
    with ExitStack() as resources:
        command = build(resources)
        for descriptor in command.fds:
            os.fstat(descriptor)
    for descriptor in command.fds:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


def test_without_the_sandbox_the_words_stay() -> None:
    command = build_plain_command(("program",), "/work", {"HOME": "/other"}, LIMITS)
    assert command.argv == ("program",)
    assert command.cwd == Path("/work")
    assert command.env == {**BASE_ENVIRONMENT, "HOME": "/other"}


@pytest.mark.parametrize("path", ["/plain", "/with space", "/it's", "/$(id)", "/a\nb"])
def test_a_path_is_one_word_to_the_shell(path: str) -> None:
    script = f"printf %s {quote(path)}"
    printed = subprocess.run(["sh", "-c", script], capture_output=True, check=True)
    assert printed.stdout.decode() == path
