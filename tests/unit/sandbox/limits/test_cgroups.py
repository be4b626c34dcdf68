"""Where control groups could be made, by what the kernel tells of itself."""

from __future__ import annotations

from pathlib import Path

from crawler.sandbox.limits.cgroup_hierarchies import CgroupParent, iter_cgroup_parents
from crawler.sandbox.limits.cgroups import _works

HYBRID = """\
31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
32 31 0:29 / {top}/cpu rw,relatime - cgroup cgroup rw,cpu
35 31 0:32 / {top}/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / {top}/pids rw,relatime - cgroup cgroup rw,pids
41 31 0:38 / {top}/unified rw,relatime - cgroup2 cgroup2 rw
"""


def test_version_one_is_found_in_each_hierarchy(tmp_path: Path) -> None:
    (tmp_path / "memory/ours").mkdir(parents=True)
    parents = list(
        iter_cgroup_parents(
            HYBRID.format(top=tmp_path), "8:pids:/\n4:memory:/ours\n1:cpu:/\n0::/\n"
        )
    )
    assert parents[0].version == 1
    assert parents[0].folders["memory"] == tmp_path / "memory/ours"
    assert parents[0].folders["pids"] == tmp_path / "pids"


def test_controllers_that_share_a_hierarchy_share_a_folder(tmp_path: Path) -> None:
    (tmp_path / "all/ours").mkdir(parents=True)
    mounted = (
        f"35 31 0:32 / {tmp_path}/all rw,relatime - cgroup cgroup rw,memory,pids\n"
    )
    (parent,) = iter_cgroup_parents(mounted, "4:memory,pids:/ours\n")
    assert set(parent.folders.values()) == {tmp_path / "all/ours"}


def test_version_two_below_us_or_beside_us(tmp_path: Path) -> None:
    (tmp_path / "user.slice/shell.scope").mkdir(parents=True)
    mounted = f"29 23 0:26 / {tmp_path} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
    parents = list(iter_cgroup_parents(mounted, "0::/user.slice/shell.scope\n"))
    assert [place.version for place in parents] == [2, 2]
    assert [place.folders["pids"] for place in parents] == [
        tmp_path / "user.slice/shell.scope",
        tmp_path / "user.slice",
    ]


def test_what_lies_above_the_mount_is_no_place(tmp_path: Path) -> None:
    (parent,) = iter_cgroup_parents(
        f"41 31 0:38 / {tmp_path}/unified rw,relatime - cgroup2 cgroup2 rw\n", "0::/\n"
    )
    assert set(parent.folders.values()) == {tmp_path / "unified"}


def test_a_folder_that_is_no_group_bounds_nothing_and_stays_empty(
    tmp_path: Path,
) -> None:
    assert not _works(
        CgroupParent(
            version=2, folders=dict.fromkeys(("memory", "pids", "cpu"), tmp_path)
        )
    )
    assert list(tmp_path.iterdir()) == []


def test_what_is_mounted_may_begin_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    mounted = f"29 23 0:26 /docker/abc {tmp_path} rw - cgroup2 cgroup2 rw\n"
    parents = list(iter_cgroup_parents(mounted, "0::/docker/abc/inner\n"))
    assert parents[0].folders["memory"] == tmp_path / "inner"


def test_a_machine_without_groups_has_no_place() -> None:
    assert list(iter_cgroup_parents("22 27 0:21 / /proc rw - proc proc rw\n", "")) == []
    assert (
        list(
            iter_cgroup_parents(
                "32 31 0:29 / /c/cpu rw - cgroup cgroup rw,cpu\n", "1:cpu:/\n"
            )
        )
        == []
    )
