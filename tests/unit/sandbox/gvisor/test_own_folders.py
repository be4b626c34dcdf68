"""Writable folders of a run in gVisor are memory of the host."""

from __future__ import annotations

import subprocess
from pathlib import Path

from crawler.process_limits import Limits
from crawler.sandbox.gvisor.own_folders import (
    hide_devices,
    show_own_folders,
    write_mount_script,
)
from crawler.sandbox.mounts import Mount

LIMITS = Limits(scratch_bytes=1 << 20, inodes=30)


def memory(destination: str) -> dict[str, object]:
    return {"destination": destination, "type": "tmpfs", "source": "tmpfs"}


def test_what_is_written_goes_to_a_folder_of_ours_and_nothing_else_does(
    tmp_path: Path,
) -> None:
    own = Mount(source=tmp_path, target="/work", writable=True)
    shown = Mount(source=tmp_path, target="/shown")
    given = [memory("/tmp"), memory("/work"), memory("/dev/shm")]
    mounts = show_own_folders(given, tmp_path / "own", (own, shown))
    sources = {mount["destination"]: mount["source"] for mount in mounts}
    assert sources == {
        "/tmp": f"{tmp_path}/own/tmp",
        "/work": f"{tmp_path}/own/work",
        "/dev/shm": "tmpfs",
    }
    for mount in mounts[:2]:
        assert mount["options"] == ["rw", "nosuid", "nodev"]


def test_a_name_of_a_folder_is_a_word_to_the_shell_that_mounts(tmp_path: Path) -> None:
    hostile = Mount(source=tmp_path, target="/a'; touch /b; '", writable=True)
    script = write_mount_script(tmp_path, [hostile], LIMITS, 4321)
    stand_ins = 'mount() { for word; do :; done; echo "$word"; }\n'
    ended = subprocess.run(
        ["sh", "-c", stand_ins + script], capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines() == [
        f"{tmp_path}/tmp",
        f"{tmp_path}/a'; touch /b; '",
    ]
    assert not Path("/b").exists()
    assert script.count("size=1048576,nr_inodes=30") == 2


def test_over_a_device_lies_what_nobody_may_open(tmp_path: Path) -> None:
    (mount,) = hide_devices(tmp_path)
    assert mount["destination"] == "/dev/fuse"
    assert Path(str(mount["source"])).stat().st_mode & 0o777 == 0
