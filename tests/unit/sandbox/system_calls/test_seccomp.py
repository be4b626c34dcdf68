"""What the filter of system calls answers, asked by an interpreter of the kernel's bytecode."""

from __future__ import annotations

import errno
import struct

import pytest

from crawler.sandbox.system_calls import seccomp, syscalls

ALLOWED = 0x7FFF0000
MACHINES = sorted(seccomp.ARCHITECTURES)
UNIX, INET, STREAM = 1, 2, 1
NEW_USER, NEW_MOUNTS, THREAD = 0x10000000, 0x00020000, 0x003D0F00
ORDINARY = {  # read, openat, mmap, execve, exit_group, futex, setresuid, mseal
    "x86_64": (0, 257, 9, 59, 231, 202, 117, 462),
    "aarch64": (63, 56, 222, 221, 94, 98, 147, 462),
}


def answer(
    machine: str,
    number: int,
    *arguments: int,
    audit: int | None = None,
    loopback: bool = False,
    shares_host: bool = False,
) -> int:
    """Interpret the program: loads, three kinds of conditional jump, and returns are all that
    it may use.
    """
    program = seccomp.build_filter(machine, loopback=loopback, shares_host=shares_host)
    audit_code = seccomp.ARCHITECTURES[machine].audit_code if audit is None else audit
    call = struct.pack(
        "=IIQ6Q", number, audit_code, 0, *arguments, *[0] * (6 - len(arguments))
    )
    accumulator, index = 0, 0
    while True:
        operation, if_true, if_false, operand = struct.unpack_from(
            "=HBBI", program, 8 * index
        )
        index += 1
        if operation == 0x06:
            return int(operand)
        if operation == 0x20:
            accumulator = struct.unpack_from("=I", call, operand)[0]
            continue
        tests = {
            0x15: accumulator == operand,
            0x25: accumulator > operand,
            0x45: bool(accumulator & operand),
        }
        index += if_true if tests[operation] else if_false


def error(code: int) -> int:
    return seccomp.make_error_action(code)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_kernel_would_take_it(machine: str) -> None:
    program = seccomp.build_filter(machine)
    assert len(program) % 8 == 0
    assert len(program) // 8 <= 4096
    ends = struct.unpack_from("=HBBI", program, len(program) - 8)
    assert ends[0] == 0x06
    for index in range(len(program) // 8):
        operation, if_true, if_false, _ = struct.unpack_from(
            "=HBBI", program, 8 * index
        )
        if operation in (0x15, 0x25, 0x45):
            assert index + 1 + max(if_true, if_false) < len(program) // 8


@pytest.mark.parametrize("machine", MACHINES)
def test_what_programs_do_all_day_is_allowed(machine: str) -> None:
    assert {answer(machine, number) for number in ORDINARY[machine]} == {ALLOWED}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_forbidden_call_is_refused(machine: str) -> None:
    numbers = seccomp.ARCHITECTURES[machine].call_numbers
    assert len(numbers.keys() & syscalls.FORBIDDEN_CALLS) > 50
    for name in numbers.keys() & syscalls.FORBIDDEN_CALLS:
        assert answer(machine, numbers[name]) == error(errno.EPERM), name
    for name in syscalls.HIDDEN_CALLS:
        assert answer(machine, numbers[name]) == error(errno.ENOSYS), name


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_kernels_to_come_are_not_there(machine: str) -> None:
    assert answer(machine, syscalls.NEWEST_CALL + 1) == error(errno.ENOSYS)
    assert answer(machine, 0xFFFFFFFF) == error(errno.ENOSYS)


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_ends_the_process(machine: str) -> None:
    i386, arm = 0x40000003, 0x40000028
    other_codes = {
        architecture.audit_code
        for name, architecture in seccomp.ARCHITECTURES.items()
        if name != machine
    }
    for audit in (i386, arm, *other_codes):
        assert answer(machine, 0, audit=audit) == seccomp.KILL_PROCESS


def test_the_x32_calls_are_not_there() -> None:
    assert answer("x86_64", syscalls.X32_BIT | 101) == error(errno.ENOSYS)
    assert answer("x86_64", syscalls.X32_BIT | 0) == error(errno.ENOSYS)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_thread_may_start_and_a_namespace_may_not(machine: str) -> None:
    clone = seccomp.ARCHITECTURES[machine].call_numbers["clone"]
    assert answer(machine, clone, THREAD) == ALLOWED
    assert answer(machine, clone, NEW_USER) == error(errno.EPERM)
    assert answer(machine, clone, THREAD | NEW_MOUNTS) == error(errno.EPERM)
    # the kernel drops the upper half, so that it hides nothing and adds nothing
    assert answer(machine, clone, (1 << 40) | NEW_USER) == error(errno.EPERM)


@pytest.mark.parametrize("machine", MACHINES)
def test_only_local_sockets_open(machine: str) -> None:
    numbers = seccomp.ARCHITECTURES[machine].call_numbers
    for name in ("socket", "socketpair"):
        assert answer(machine, numbers[name], UNIX, STREAM) == ALLOWED
        for family in (0, INET, 10, 16, 17, 38, 40, (1 << 32) | INET):
            assert answer(machine, numbers[name], family, STREAM) == error(
                errno.EAFNOSUPPORT
            )


@pytest.mark.parametrize("machine", MACHINES)
def test_nobody_outside_is_called(machine: str) -> None:
    numbers = seccomp.ARCHITECTURES[machine].call_numbers
    assert answer(machine, numbers["connect"], 3) == error(errno.ECONNREFUSED)
    close_on_exec, datagram = 0o2000000, 2
    assert answer(machine, numbers["socket"], UNIX, datagram | close_on_exec) == error(
        errno.EAFNOSUPPORT
    )
    assert answer(machine, numbers["socketpair"], UNIX, datagram) == ALLOWED


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_is_typed_into_a_terminal(machine: str) -> None:
    ioctl = seccomp.ARCHITECTURES[machine].call_numbers["ioctl"]
    for request in (0x5412, 0x541C, 0x5423, (1 << 32) | 0x5412):
        assert answer(machine, ioctl, 0, request) == error(errno.EPERM)
    assert answer(machine, ioctl, 0, 0x5401) == ALLOWED


@pytest.mark.parametrize("machine", MACHINES)
def test_a_personality_is_no_disguise(machine: str) -> None:
    personality = seccomp.ARCHITECTURES[machine].call_numbers["personality"]
    read_implies_exec, query, no_randomisation = 0x0400000, 0xFFFFFFFF, 0x0040000
    assert answer(machine, personality, query) == ALLOWED
    assert answer(machine, personality, no_randomisation) == ALLOWED
    assert answer(machine, personality, read_implies_exec) == error(errno.EPERM)


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    assert seccomp.build_filter("vax") == b""


@pytest.mark.parametrize("machine", MACHINES)
def test_on_its_own_loopback_it_may_talk(machine: str) -> None:
    numbers = seccomp.ARCHITECTURES[machine].call_numbers
    assert answer(machine, numbers["connect"], 3, loopback=True) == ALLOWED
    for family, expected in (
        (INET, ALLOWED),
        (10, ALLOWED),
        (16, error(errno.EAFNOSUPPORT)),
    ):
        assert (
            answer(machine, numbers["socket"], family, STREAM, loopback=True)
            == expected
        )


@pytest.mark.parametrize("machine", MACHINES)
def test_on_the_host_itself_nothing_outside_is_changed_by_path_or_number(
    machine: str,
) -> None:
    numbers = seccomp.ARCHITECTURES[machine].call_numbers
    forbidden = numbers.keys() & syscalls.OUTSIDE_CALLS
    assert len(forbidden) >= 10
    for name in forbidden:
        assert answer(machine, numbers[name]) == ALLOWED, name
        assert answer(machine, numbers[name], shares_host=True) == error(errno.EPERM)

    for name in syscalls.PROCESS_CALLS:
        own = answer(machine, numbers[name], 0, shares_host=True)
        other = answer(machine, numbers[name], 4321, shares_host=True)
        assert (own, other) == (ALLOWED, error(errno.EPERM)), name
