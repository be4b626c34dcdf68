"""Build the seccomp filter that refuses unneeded system calls.

The kernel hands the filter `struct seccomp_data`: the call's number, the architecture, six
64-bit arguments. What is refused is answered with an error, so that a program which only tries
goes on without it.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from crawler.sandbox.system_calls import syscalls

# instructions of classic BPF, linux/bpf_common.h: load a word, jump if, return
_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_GREATER: Final = 0x25
_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06
_INSTRUCTION: Final = "=HBBI"
_INSTRUCTION_BYTES: Final = 8
# offsets in `struct seccomp_data`
_NUMBER: Final = 0
_ARCHITECTURE: Final = 4
_ARGUMENTS: Final = 16
_ARGUMENT_BYTES: Final = 8
# answers, linux/seccomp.h
_ALLOW: Final = 0x7FFF0000
_ERROR: Final = 0x00050000
KILL_PROCESS: Final = 0x80000000
"""Answer to calls of another architecture, whose numbers mean other calls."""

NEW_NAMESPACES: Final = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
AF_UNIX: Final = 1
INTERNET_FAMILIES: Final = (2, 10)
"""AF_INET and AF_INET6."""
DATAGRAMS: Final = 2
"""The bit that SOCK_DGRAM and SOCK_RAW have, which reach a listener without `connect`."""
TERMINAL_REQUESTS: Final = (0x5412, 0x541C, 0x5423)
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
def build_filter(
    machine_name: str = "", *, loopback: bool = False, shares_host: bool = False
) -> bytes:
    """Return the filter for `machine_name` (default: this one), empty where it is not known.

    With `loopback` it allows connections and sockets of the internet families. Where a run
    `shares_host`, it has no namespaces of its own, and may do nothing to what is outside by
    number or by path.
    """
    architecture = ARCHITECTURES.get(machine_name or platform.machine())
    if architecture is None:
        return b""
    families = INTERNET_FAMILIES if loopback else ()
    return _assemble_filter(architecture, families, shares_host=shares_host)


def make_error_action(error: int) -> int:
    """Return the answer of a filter that makes a call fail with `error`."""
    return _ERROR | error


_MISSING: Final = make_error_action(errno.ENOSYS)
_FORBIDDEN: Final = make_error_action(errno.EPERM)
_NO_SUCH_FAMILY: Final = make_error_action(errno.EAFNOSUPPORT)
_REFUSED: Final = make_error_action(errno.ECONNREFUSED)


def _assemble_filter(
    architecture: Architecture, families: Sequence[int], *, shares_host: bool
) -> bytes:
    """Return the filter that allows sockets of these internet families."""
    numbers = architecture.call_numbers
    program = _Program()
    program.load(_ARCHITECTURE)
    program.answer_unless(_EQUAL, architecture.audit_code, KILL_PROCESS)
    program.load(_NUMBER)
    if architecture.has_x32:
        program.answer_if(_ANY_BIT, syscalls.X32_BIT, _MISSING)

    # calls newer than this filter do not exist: programs know how to do without
    program.answer_if(_GREATER, syscalls.NEWEST_CALL, _MISSING)

    for name in syscalls.HIDDEN_CALLS:
        program.answer_if(_EQUAL, numbers[name], _MISSING)

    forbidden = syscalls.FORBIDDEN_CALLS
    if shares_host:
        forbidden |= syscalls.OUTSIDE_CALLS

    for name in sorted(forbidden & numbers.keys()):
        program.answer_if(_EQUAL, numbers[name], _FORBIDDEN)

    # the listener of a socket file in a mounted folder is outside
    if not families:
        program.answer_if(_EQUAL, numbers["connect"], _REFUSED)

    if shares_host:
        for name in sorted(syscalls.PROCESS_CALLS):
            own = _Program().load_argument(0).answer_unless(_EQUAL, 0, _FORBIDDEN)
            program.append_for_call(numbers[name], own)

    _check_arguments(program, numbers, families)
    program.append(_RETURN, _ALLOW)

    return bytes(program.bytecode)


def _check_arguments(
    program: _Program, numbers: Mapping[str, int], families: Sequence[int]
) -> None:
    """Answer calls by an argument's low 32 bits: in these arguments the kernel reads no others."""
    clone = _Program().load_argument(0)
    clone.answer_if(_ANY_BIT, NEW_NAMESPACES, _FORBIDDEN)
    program.append_for_call(numbers["clone"], clone)

    socket_pair = _Program().load_argument(0)
    socket_pair.answer_unless(_EQUAL, AF_UNIX, _NO_SUCH_FAMILY)
    program.append_for_call(numbers["socketpair"], socket_pair)

    socket = _Program().load_argument(0)

    for family in families:
        socket.answer_if(_EQUAL, family, _ALLOW)

    socket.answer_unless(_EQUAL, AF_UNIX, _NO_SUCH_FAMILY)
    socket.load_argument(1)
    socket.answer_if(_ANY_BIT, DATAGRAMS, _NO_SUCH_FAMILY)
    program.append_for_call(numbers["socket"], socket)

    ioctl = _Program().load_argument(1)

    for request in TERMINAL_REQUESTS:
        ioctl.answer_if(_EQUAL, request, _FORBIDDEN)

    program.append_for_call(numbers["ioctl"], ioctl)

    personality = _Program().load_argument(0)

    for allowed in _PERSONALITIES:
        personality.answer_if(_EQUAL, allowed, _ALLOW)

    personality.append(_RETURN, _FORBIDDEN)
    program.append_for_call(numbers["personality"], personality)


@dataclass(slots=True)
class _Program:
    """Instructions of 8 bytes: operation, how far to jump if true and if false, operand."""

    bytecode: bytearray = field(default_factory=bytearray)

    def append(
        self, operation: int, operand: int, if_true: int = 0, if_false: int = 0
    ) -> _Program:
        self.bytecode += struct.pack(
            _INSTRUCTION, operation, if_true, if_false, operand
        )
        return self

    def load(self, offset: int) -> _Program:
        return self.append(_LOAD, offset)

    def load_argument(self, index: int) -> _Program:
        return self.load(_ARGUMENTS + _ARGUMENT_BYTES * index)

    def answer_if(self, test: int, operand: int, answer: int) -> _Program:
        """Return `answer` where the test of the loaded word holds, else go on."""
        return self.append(test, operand, 0, 1).append(_RETURN, answer)

    def answer_unless(self, test: int, operand: int, answer: int) -> _Program:
        """Return `answer` where the test of the loaded word fails, else go on."""
        return self.append(test, operand, 1, 0).append(_RETURN, answer)

    def append_for_call(self, number: int, checks: _Program) -> _Program:
        """Run `checks` for the call `number`, and allow what they do not answer."""
        checks.append(_RETURN, _ALLOW)
        length = len(checks.bytecode) // _INSTRUCTION_BYTES
        self.append(_EQUAL, number, 0, length)
        self.bytecode += checks.bytecode
        return self
