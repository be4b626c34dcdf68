"""The specification of a container grants nothing, whatever it is asked to run."""

from __future__ import annotations

import subprocess

from crawler.sandbox.container.specification import (
    begin_in_shell,
    describe_container,
    list_device_groups,
)

MOUNT = {
    "destination": "/work",
    "type": "bind",
    "source": "/somewhere",
    "options": ["rbind", "ro"],
}


def describe(**variables: str) -> dict[str, object]:
    return describe_container(
        ("program", "--word"), "/work", variables, [MOUNT], 4321, (44,)
    )


def test_a_run_is_a_user_of_its_own_without_any_right() -> None:
    process = describe()["process"]
    assert isinstance(process, dict)
    assert process["user"] == {"uid": 4321, "gid": 4321, "additionalGids": [44]}
    assert process["capabilities"] == {
        "bounding": [],
        "effective": [],
        "inheritable": [],
        "permitted": [],
        "ambient": [],
    }
    assert process["noNewPrivileges"] is True
    assert process["terminal"] is False


def test_it_shares_no_namespace_and_cannot_write_to_its_root() -> None:
    specification = describe()
    linux = specification["linux"]
    assert isinstance(linux, dict)
    # one with a path would be joined
    assert [set(namespace) for namespace in linux["namespaces"]] == [{"type"}] * 6
    names = {namespace["type"] for namespace in linux["namespaces"]}
    assert names == {"pid", "ipc", "uts", "mount", "network", "cgroup"}
    assert specification["root"] == {"path": "root", "readonly": True}


def test_it_sees_the_variables_that_it_is_given_and_our_own_and_no_other() -> None:
    process = describe(WORD="a word", LANG="de")["process"]
    assert isinstance(process, dict)
    names = [variable.partition("=")[0] for variable in process["env"]]
    assert sorted(names) == ["HOME", "LANG", "PATH", "TMPDIR", "WORD"]
    assert "LANG=de" in process["env"]


def test_the_program_is_a_child_of_the_first_process_which_ends_with_it() -> None:
    words = begin_in_shell(("sh", "-c", "exit 3"), "prologue=done\n")
    assert subprocess.run(words, check=False).returncode == 3
    assert words[2].startswith("prologue=done\n")


def test_without_devices_it_is_in_no_group() -> None:
    assert list_device_groups(()) == ()
