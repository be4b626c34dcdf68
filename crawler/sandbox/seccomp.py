"""The system calls that a stranger's program has no use for, refused by a filter in the kernel's own bytecode.

The kernel hands the filter `struct seccomp_data`: the call's number, the architecture, six 64-bit arguments. What is
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
KILL: Final = 0x80000000
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
"""The usual one, the same without address randomisation (sanitizers ask for it), and the question which it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What differs between two architectures."""

    audit: int
    numbers: Mapping[str, int]
    x32: bool = False


MACHINES: Final = {
    "x86_64": Machine(audit=0xC000003E, numbers=syscalls.X86_64, x32=True),
    "aarch64": Machine(audit=0xC00000B7, numbers=syscalls.AARCH64),
}


@cache
def program(machine: str = "", *, loopback: bool = False) -> bytes:
    """Return the filter for `machine` (default: this one), empty where it is not known.

    With `loopback` it lets connections and sockets of the internet families through.
    """
    known = MACHINES.get(machine or platform.machine())
    return _assembled(known, _INTERNET if loopback else ()) if known else b""


def _assembled(machine: Machine, families: Sequence[int]) -> bytes:
    code = _Program()
    code.load(_ARCHITECTURE)
    code.unless(_EQUAL, machine.audit, KILL)
    code.load(_NUMBER)
    if machine.x32:
        code.when(_ANY_BIT, syscalls.X32, refused(errno.ENOSYS))
    # what is newer than this filter is not there: programs know how to do without
    code.when(_GREATER, syscalls.NEWEST, refused(errno.ENOSYS))
    for name in syscalls.ABSENT:
        code.when(_EQUAL, machine.numbers[name], refused(errno.ENOSYS))
    for name in sorted(syscalls.FORBIDDEN & machine.numbers.keys()):
        code.when(_EQUAL, machine.numbers[name], refused(errno.EPERM))
    # a socket that lies in a folder which is shown inside has its listener outside
    if not families:
        code.when(_EQUAL, machine.numbers["connect"], refused(errno.ECONNREFUSED))
    _arguments(code, machine.numbers, families)
    code.put(_RETURN, _ALLOW)
    return bytes(code.bytecode)


def _arguments(code: _Program, numbers: Mapping[str, int], families: Sequence[int]) -> None:
    """Refuse by what a call is asked for, which is its low 32 bits: the kernel looks at no others here."""
    with_flags = _Program().argument(0).when(_ANY_BIT, _NEW_NAMESPACES, refused(errno.EPERM))
    code.only_for(numbers["clone"], with_flags)
    pair = _Program().argument(0).unless(_EQUAL, _AF_UNIX, refused(errno.EAFNOSUPPORT))
    code.only_for(numbers["socketpair"], pair)
    alone = _Program().argument(0)
    for family in families:
        alone.when(_EQUAL, family, _ALLOW)
    alone.unless(_EQUAL, _AF_UNIX, refused(errno.EAFNOSUPPORT))
    alone.argument(1).when(_ANY_BIT, _DATAGRAMS, refused(errno.EAFNOSUPPORT))
    code.only_for(numbers["socket"], alone)
    requests = _Program().argument(1)
    for request in _TERMINAL:
        requests.when(_EQUAL, request, refused(errno.EPERM))
    code.only_for(numbers["ioctl"], requests)
    known = _Program().argument(0)
    for personality in _PERSONALITIES:
        known.when(_EQUAL, personality, _ALLOW)
    known.put(_RETURN, refused(errno.EPERM))
    code.only_for(numbers["personality"], known)


def refused(error: int) -> int:
    """Return what a filter answers to let a call fail with `error`."""
    return _ERROR | error


@dataclass(slots=True)
class _Program:
    """Instructions of 8 bytes: operation, how far to jump when true and when false, operand."""

    bytecode: bytearray = field(default_factory=bytearray)

    def put(self, operation: int, operand: int, if_true: int = 0, if_false: int = 0) -> _Program:
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
