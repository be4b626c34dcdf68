"""Refuse system calls to a run in gVisor, as `config.json` of a container says it.

These calls reach gVisor's own kernel and not the host's, which a filter of gVisor's guards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from crawler.sandbox.system_calls import seccomp, syscalls

Rule = Mapping[str, Any]
_ALLOW: Final = "SCMP_ACT_ALLOW"
# older versions answer EPERM whichever error is asked for, so that calls which have to be
# answered as unknown, as `clone3`, are left to gVisor, which knows none of them
_REFUSE: Final = "SCMP_ACT_ERRNO"
_ALL_BITS: Final = 0xFFFFFFFF
_NEGATIVE: Final = 0x80000000


def describe_call_filter(*, loopback: bool = False) -> dict[str, Any]:
    """Return the filter; with `loopback` it allows connections and internet sockets."""
    return {
        "defaultAction": _ALLOW,
        "syscalls": [
            {"names": sorted(syscalls.FORBIDDEN_CALLS), "action": _REFUSE},
            *_check_namespaces(),
            *_check_sockets(loopback=loopback),
            *_check_terminals(),
            # without an effect on the host, but what is asked for is said to be granted
            _refuse("setpriority", _has_bits(2, _NEGATIVE, _NEGATIVE)),
        ],
    }


def _check_namespaces() -> Iterator[Rule]:
    for position in range(32):
        bit = 1 << position
        if bit & seccomp.NEW_NAMESPACES:
            yield _refuse("clone", _has_bits(0, bit, bit))


def _check_sockets(*, loopback: bool) -> Iterator[Rule]:
    yield _refuse("socketpair", _differs(0, seccomp.AF_UNIX))
    if loopback:
        # the first rule that fits a call answers it
        for family in seccomp.INTERNET_FAMILIES:
            yield {
                "names": ["socket"],
                "action": _ALLOW,
                "args": [_has_bits(0, _ALL_BITS, family)],
            }
    else:
        yield {"names": ["connect"], "action": _REFUSE}
    yield _refuse("socket", _differs(0, seccomp.AF_UNIX))
    yield _refuse("socket", _has_bits(1, seccomp.DATAGRAMS, seccomp.DATAGRAMS))


def _check_terminals() -> Iterator[Rule]:
    for request in seccomp.TERMINAL_REQUESTS:
        yield _refuse("ioctl", _has_bits(1, _ALL_BITS, request))


def _refuse(name: str, condition: Mapping[str, Any]) -> Rule:
    return {"names": [name], "action": _REFUSE, "args": [condition]}


def _has_bits(index: int, mask: int, bits: int) -> dict[str, Any]:
    return {
        "index": index,
        "value": mask,
        "valueTwo": bits,
        "op": "SCMP_CMP_MASKED_EQ",
    }


def _differs(index: int, value: int) -> dict[str, Any]:
    return {"index": index, "value": value, "op": "SCMP_CMP_NE"}
