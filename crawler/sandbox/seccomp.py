"""Build the seccomp filter that refuses unneeded system calls.

The kernel hands the filter `struct seccomp_data`: the call's number, the architecture, six
64-bit arguments. What is
refused is answered with an error, so that a program which only tries goes on without it.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from crawler.sandbox import syscalls

_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_GREATER: Final = 0x25
_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06
_NUMBER: Final = 0
_ARCHITECTURE: Final = 4
_ARGUMENTS: Final = 16
_ALLOW: Final = 0x7FFF0000
_ERROR: Final = 0x00050000
KILL_PROCESS: Final = 0x80000000
"""The whole process: it speaks for another architecture, whose numbers mean other calls."""

_NEW_NAMESPACES: Final = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_AF_UNIX: Final = 1
_INTERNET: Final = (2, 10)
"""AF_INET and AF_INET6."""
_DATAGRAMS: Final = 2
"""The bit that SOCK_DGRAM and SOCK_RAW have, which reach a listener without `connect`."""
_TERMINAL: Final = (0x5412, 0x541C, 0x5423)
"""TIOCSTI and TIOCLINUX type into a terminal, TIOCSETD loads a line discipline."""
_PERSONALITIES: Final = (0, 0x0040000, 0xFFFFFFFF)
"""The usual one, the same without address randomisation (sanitizers ask for it), and the
question which it is.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """What differs between two architectures."""

    audit_code: int
    call_numbers: Mapping[str, int]
    has_x32: bool = False


ARCHITECTURES: Final = {
    "x86_64": Architecture(
        audit_code=0xC000003E, call_numbers=syscalls.X86_64_NUMBERS, has_x32=True
    ),
    "aarch64": Architecture(
        audit_code=0xC00000B7, call_numbers=syscalls.AARCH64_NUMBERS
    ),
}


@cache
def build_filter(machine_name: str = "", *, loopback: bool = False) -> bytes:
    """Return the filter for `machine_name` (default: this one), empty where it is not known.

    With `loopback` it lets connections and sockets of the internet families through.
    """
    known = ARCHITECTURES.get(machine_name or platform.machine())
    return _assembled(known, _INTERNET if loopback else ()) if known else b""


def _assembled(machine: Architecture, families: Sequence[int]) -> bytes:
    code = _Program()
    code.load(_ARCHITECTURE)
    code.unless(_EQUAL, machine.audit_code, KILL_PROCESS)
    code.load(_NUMBER)
    if machine.has_x32:
        code.when(_ANY_BIT, syscalls.X32_BIT, make_error_action(errno.ENOSYS))
    # what is newer than this filter is not there: programs know how to do without
    code.when(_GREATER, syscalls.NEWEST_CALL, make_error_action(errno.ENOSYS))
    for name in syscalls.HIDDEN_CALLS:
        code.when(_EQUAL, machine.call_numbers[name], make_error_action(errno.ENOSYS))
    for name in sorted(syscalls.FORBIDDEN_CALLS & machine.call_numbers.keys()):
        code.when(_EQUAL, machine.call_numbers[name], make_error_action(errno.EPERM))
    # a socket that lies in a folder which is shown inside has its listener outside
    if not families:
        code.when(
            _EQUAL,
            machine.call_numbers["connect"],
            make_error_action(errno.ECONNREFUSED),
        )
    _arguments(code, machine.call_numbers, families)
    code.put(_RETURN, _ALLOW)
    return bytes(code.bytecode)


def _arguments(
    code: _Program, numbers: Mapping[str, int], families: Sequence[int]
) -> None:
    """Refuse by what a call is asked for, which is its low 32 bits: the kernel looks at no
    others here.
    """
    with_flags = (
        _Program()
        .argument(0)
        .when(_ANY_BIT, _NEW_NAMESPACES, make_error_action(errno.EPERM))
    )
    code.only_for(numbers["clone"], with_flags)
    pair = (
        _Program()
        .argument(0)
        .unless(_EQUAL, _AF_UNIX, make_error_action(errno.EAFNOSUPPORT))
    )
    code.only_for(numbers["socketpair"], pair)
    alone = _Program().argument(0)
    for family in families:
        alone.when(_EQUAL, family, _ALLOW)
    alone.unless(_EQUAL, _AF_UNIX, make_error_action(errno.EAFNOSUPPORT))
    alone.argument(1).when(_ANY_BIT, _DATAGRAMS, make_error_action(errno.EAFNOSUPPORT))
    code.only_for(numbers["socket"], alone)
    requests = _Program().argument(1)
    for request in _TERMINAL:
        requests.when(_EQUAL, request, make_error_action(errno.EPERM))
    code.only_for(numbers["ioctl"], requests)
    known = _Program().argument(0)
    for personality in _PERSONALITIES:
        known.when(_EQUAL, personality, _ALLOW)
    known.put(_RETURN, make_error_action(errno.EPERM))
    code.only_for(numbers["personality"], known)


def make_error_action(error: int) -> int:
    """Return what a filter answers to let a call fail with `error`."""
    return _ERROR | error


@dataclass(slots=True)
class _Program:
    """Instructions of 8 bytes: operation, how far to jump when true and when false, operand."""

    bytecode: bytearray = field(default_factory=bytearray)

    def put(
        self, operation: int, operand: int, if_true: int = 0, if_false: int = 0
    ) -> _Program:
        self.bytecode += struct.pack("=HBBI", operation, if_true, if_false, operand)
        return self

    def load(self, offset: int) -> _Program:
        return self.put(_LOAD, offset)

    def argument(self, index: int) -> _Program:
        return self.load(_ARGUMENTS + 8 * index)

    def when(self, test: int, operand: int, answer: int) -> _Program:
        return self.put(test, operand, 0, 1).put(_RETURN, answer)

    def unless(self, test: int, operand: int, answer: int) -> _Program:
        return self.put(test, operand, 1, 0).put(_RETURN, answer)

    def only_for(self, number: int, inner: _Program) -> _Program:
        """Run `inner`, and allow what it does not answer, when the loaded number is `number`."""
        inner.put(_RETURN, _ALLOW)
        self.put(_EQUAL, number, 0, len(inner.bytecode) // 8)
        self.bytecode += inner.bytecode
        return self
