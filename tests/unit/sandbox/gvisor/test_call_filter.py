"""What a run in gVisor may not call is what a run in every other sandbox may not."""

from __future__ import annotations

from typing import Any

from crawler.sandbox.gvisor.call_filter import describe_call_filter
from crawler.sandbox.system_calls import syscalls

NEW_USERS = 0x10000000
STREAM, DATAGRAM = 1, 2


def answer(name: str, *arguments: int, loopback: bool = False) -> str:
    """Return what the first rule that fits says, as gVisor does."""
    described = describe_call_filter(loopback=loopback)
    for rule in described["syscalls"]:
        conditions = rule.get("args", [])
        if name in rule["names"] and all(fits(each, arguments) for each in conditions):
            return str(rule["action"])
    return str(described["defaultAction"])


def fits(condition: dict[str, Any], arguments: tuple[int, ...]) -> bool:
    argument = arguments[condition["index"]]
    if condition["op"] == "SCMP_CMP_NE":
        return bool(argument != condition["value"])
    assert condition["op"] == "SCMP_CMP_MASKED_EQ"
    return bool(argument & condition["value"] == condition["valueTwo"])


def is_refused(name: str, *arguments: int, loopback: bool = False) -> bool:
    return answer(name, *arguments, loopback=loopback) == "SCMP_ACT_ERRNO"


def test_every_call_of_the_common_list_is_refused() -> None:
    assert {name for name in syscalls.FORBIDDEN_CALLS if not is_refused(name)} == set()
    assert not is_refused("openat")


def test_a_process_may_be_made_and_a_namespace_may_not() -> None:
    assert not is_refused("clone", 0x11)
    assert is_refused("clone", NEW_USERS | 0x11)


def test_sockets_are_local_and_lead_nowhere() -> None:
    assert not is_refused("socket", 1, STREAM)
    assert is_refused("socket", 1, DATAGRAM)
    assert is_refused("socket", 2, STREAM)
    assert is_refused("connect", 3)


def test_with_a_loopback_processes_may_talk_to_each_other() -> None:
    assert not is_refused("connect", 3, loopback=True)
    assert not is_refused("socket", 10, STREAM, loopback=True)
    assert is_refused("socket", 16, STREAM, loopback=True)


def test_nobody_types_into_a_terminal_whatever_the_upper_half_of_the_word() -> None:
    assert is_refused("ioctl", 0, 0x5412)
    assert is_refused("ioctl", 0, 0x5412 | 1 << 40)
    assert not is_refused("ioctl", 0, 0x5401)


def test_precedence_can_be_given_away_alone() -> None:
    assert not is_refused("setpriority", 0, 0, 5)
    assert is_refused("setpriority", 0, 0, -5 & 0xFFFFFFFF)
