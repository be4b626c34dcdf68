"""Where groups can be made is read from what the kernel tells of mounts and memberships."""

from __future__ import annotations

from pathlib import Path

from crawler.sandbox.limits.cgroup_hierarchies import iter_cgroup_parents


def mount(point: Path, kind: str, options: str, root: str = "/") -> str:
    return f"30 23 0:26 {root} {point} rw,nosuid shared:4 - {kind} cgroup {options}\n"


def test_version_2_offers_our_group_and_the_one_above(tmp_path: Path) -> None:
    (tmp_path / "user/session").mkdir(parents=True)
    parents = list(
        iter_cgroup_parents(mount(tmp_path, "cgroup2", "rw"), "0::/user/session\n")
    )
    assert [parent.version for parent in parents] == [2, 2]
    assert [parent.folders["memory"] for parent in parents] == [
        tmp_path / "user/session",
        tmp_path / "user",
    ]


def test_nothing_above_the_mount_is_offered(tmp_path: Path) -> None:
    parents = list(iter_cgroup_parents(mount(tmp_path, "cgroup2", "rw"), "0::/\n"))
    assert [parent.folders["pids"] for parent in parents] == [tmp_path]


def test_a_container_sees_its_own_group_as_the_root_of_the_mount(
    tmp_path: Path,
) -> None:
    (tmp_path / "job").mkdir()
    mounts = mount(tmp_path, "cgroup2", "rw", root="/docker/abc")
    parents = list(iter_cgroup_parents(mounts, "0::/docker/abc/job\n"))
    assert parents[0].folders["memory"] == tmp_path / "job"


def test_version_1_has_a_folder_for_each_controller(tmp_path: Path) -> None:
    memory, pids = tmp_path / "memory", tmp_path / "pids"
    (memory / "mine").mkdir(parents=True)
    pids.mkdir()
    mounts = mount(memory, "cgroup", "rw,memory") + mount(pids, "cgroup", "rw,pids")
    (parent,) = iter_cgroup_parents(mounts, "4:memory:/mine\n3:pids:/gone\n")
    assert parent.version == 1
    # a group that the mount does not show is that of its root
    assert parent.folders == {"memory": memory / "mine", "pids": pids}


def test_version_1_without_a_bound_for_processes_is_of_no_use(tmp_path: Path) -> None:
    mounts = mount(tmp_path, "cgroup", "rw,memory")
    assert list(iter_cgroup_parents(mounts, "4:memory:/\n")) == []


def test_controllers_may_share_a_hierarchy(tmp_path: Path) -> None:
    mounts = mount(tmp_path, "cgroup", "rw,cpu,memory,pids")
    (parent,) = iter_cgroup_parents(mounts, "4:cpu,memory,pids:/\n")
    assert set(parent.folders.values()) == {tmp_path}
    assert set(parent.folders) == {"cpu", "memory", "pids"}


def test_other_file_systems_are_passed_over(tmp_path: Path) -> None:
    mounts = f"22 1 8:1 / {tmp_path} rw - ext4 /dev/sda1 rw\n"
    assert list(iter_cgroup_parents(mounts, "0::/\n")) == []
