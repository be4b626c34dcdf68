"""What a container sees of files, and the folder that is its root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from crawler.process_limits import Limits
from crawler.sandbox.container.root_folder import (
    ContainerMount,
    list_container_mounts,
    make_root_folder,
)
from crawler.sandbox.initial_contents import INITIAL_CONTENTS
from crawler.sandbox.mounts import Mount
from crawler.sandbox.system_mounts import SystemView

LIMITS = Limits(scratch_bytes=1 << 20)
USER = 4321


@pytest.fixture
def resources() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def view(tmp_path: Path) -> SystemView:
    (tmp_path / "system").mkdir()
    (tmp_path / "program").touch()
    return SystemView(
        shown_paths=(tmp_path / "system", tmp_path / "program"),
        hidden_folders=(tmp_path / "system/texts",),
        links=((Path("/bin"), "usr/bin"),),
    )


def list_options(mounts: tuple[ContainerMount, ...], target: str) -> list[str]:
    (options,) = (
        mount["options"] for mount in mounts if mount["destination"] == target
    )
    assert isinstance(options, list)
    return options


def test_what_is_shown_cannot_be_written_to(
    view: SystemView, tmp_path: Path, resources: ExitStack
) -> None:
    (tmp_path / "given").mkdir()
    given = Mount(source=tmp_path / "given", target="/given")
    mounts = list_container_mounts([given], view, (), LIMITS, USER, resources)
    for mount in mounts:
        if mount["type"] == "bind":
            options = list_options(mounts, str(mount["destination"]))
            assert {"ro", "nosuid", "nodev"} <= set(options)
    assert "ro" in list_options(mounts, "/given")
    assert "ro" in list_options(mounts, f"{tmp_path}/system/texts")


def test_a_writable_folder_is_bounded_memory_with_its_contents_beside(
    view: SystemView, tmp_path: Path, resources: ExitStack
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/file").touch()
    own = Mount(source=tmp_path / "own", target="/own", writable=True)
    mounts = list_container_mounts([own], view, (), LIMITS, USER, resources)
    options = list_options(mounts, "/own")
    assert {"size=1048576", f"uid={USER}", f"gid={USER}"} <= set(options)
    assert "ro" in list_options(mounts, f"{INITIAL_CONTENTS}/0")


def test_an_empty_writable_folder_has_no_contents(
    view: SystemView, tmp_path: Path, resources: ExitStack
) -> None:
    (tmp_path / "own").mkdir()
    own = Mount(source=tmp_path / "own", target="/own", writable=True)
    mounts = list_container_mounts([own], view, (), LIMITS, USER, resources)
    assert not [m for m in mounts if str(m["destination"]).startswith("/.kernelset")]


def test_no_part_of_sys_is_seen_without_a_device(
    view: SystemView, resources: ExitStack
) -> None:
    without = list_container_mounts([], view, (), LIMITS, USER, resources)
    device = Path("/dev/null")
    beside = list_container_mounts([], view, (device,), LIMITS, USER, resources)
    assert not [m for m in without if str(m["destination"]).startswith("/sys")]
    assert [m for m in beside if m["destination"] == "/dev/null"]
    assert [m for m in beside if str(m["destination"]).startswith("/sys")]


def test_the_root_has_a_place_for_each_mount_that_everybody_may_enter(
    view: SystemView, tmp_path: Path, resources: ExitStack
) -> None:
    mounts = list_container_mounts([], view, (), LIMITS, USER, resources)
    root = tmp_path / "root"
    mask = os.umask(0o077)
    try:
        make_root_folder(root, view, mounts)
    finally:
        os.umask(mask)
    assert (root / "bin").readlink() == Path("usr/bin")
    assert (root / str(tmp_path / "program").lstrip("/")).is_file()
    assert (root / str(tmp_path / "system").lstrip("/")).is_dir()
    assert (root / ".kernelset/ready").is_dir()
    folders = [path for path in (root, *root.rglob("*")) if path.is_dir()]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o755}
