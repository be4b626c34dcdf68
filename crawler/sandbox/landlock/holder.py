"""Hold a program by Landlock, a filter of system calls and another user; end all that it starts.

This file runs as a program of its own, before a stranger's: it imports the standard library alone.

    worker ── starter, which the worker waits for and may kill
                 └── keeper, in a session of its own: outlives the starter, ends with the run
                        └── the program, and whatever it starts

The keeper is in a Landlock domain from which no process outside can be signalled, and the program
in one inside that. So `kill(-1)` of the keeper reaches all that the program started, at once and
however it hid, and nothing else; the program reaches neither of them.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import errno
import json
import os
import select
import signal
import struct
import sys
from typing import Any, Final, NoReturn

_LIBC: Final = ctypes.CDLL(None, use_errno=True)
# include/uapi/linux/prctl.h
_SET_SECCOMP: Final = 22
_DROP_BOUNDING: Final = 24
_SET_CHILD_SUBREAPER: Final = 36
_SET_NO_NEW_PRIVS: Final = 38
_FILTER_MODE: Final = 2
_LAST_CAPABILITY: Final = 63
# include/uapi/linux/landlock.h; the numbers of its calls are the same on every architecture
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ABOUT_VERSION: Final = 1
_BENEATH_PATH: Final = 1
_NEEDED_VERSION: Final = 6
"""Linux 6.12: from it on signals and abstract sockets can be kept inside."""
_SCOPES: Final = 3
_SIGNALS: Final = 2
_NETWORK: Final = 3
_ALL_ACCESS: Final = (1 << 16) - 1
_READ: Final = 1 | 1 << 2 | 1 << 3
"""Run and read files, list folders."""
_LIST_FOLDERS: Final = 1 << 3
_WRITE_FILE: Final = 1 << 1
_OWN: Final = _ALL_ACCESS & ~(1 << 6 | 1 << 11 | 1 << 15)
"""All but devices and what is asked of them."""
_OF_FILES: Final = 1 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_NOT_HELD: Final = 126
_NOT_STARTED: Final = 127
_REAP_MILLISECONDS: Final = 200


def find_version() -> int:
    """Return the version of Landlock that this kernel has, 0 where it has none."""
    return max(0, int(_LIBC.syscall(_CREATE_RULESET, None, 0, _ABOUT_VERSION)))


def is_supported() -> bool:
    """Return whether this kernel's Landlock can hold a run."""
    return find_version() >= _NEEDED_VERSION


def main(words: list[str]) -> NoReturn:
    """Start what the open file of the first number says, and end as it does.

    The second number is a pipe that says when to end it, the third one that is open until all of
    it is gone.
    """
    job_file, life, done = map(int, words)
    with os.fdopen(job_file, "rb") as file:
        job = json.load(file)

    keeper = os.fork()
    if keeper == 0:
        _keep(job, life, done)

    os.close(done)
    _let_go_of_streams()
    status = os.waitpid(keeper, 0)[1]
    os._exit(_exit_code(status))


def _keep(job: dict[str, Any], life: int, done: int) -> NoReturn:
    """Start the program and wait; end all of it when it ends, or when nobody holds `life`."""
    try:
        os.setsid()
        _LIBC.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _enter_signal_scope()
    except OSError as error:
        _fail(str(error))

    program = os.fork()
    if program == 0:
        os.close(life)
        os.close(done)
        _become(job)

    _let_go_of_streams()
    status = _wait_for(program, life)
    _end_all()
    os._exit(_exit_code(status))


def _enter_signal_scope() -> None:
    """Keep our signals inside; raises `OSError` where they would still reach others."""
    _check(_LIBC.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    rules = _create_ruleset(0, 0, _SIGNALS)
    _check(_LIBC.syscall(_RESTRICT_SELF, rules, 0), "landlock_restrict_self")
    os.close(rules)

    # `kill(-1)` would else end all of this machine
    try:
        os.kill(os.getppid(), 0)
    except PermissionError:
        return
    raise OSError(errno.ENOTSUP, "Landlock keeps no signals inside here")


def _wait_for(program: int, life: int) -> int:
    """Return the status of a program when it ended; -1 where it is to be ended."""
    poll = select.poll()
    poll.register(life, select.POLLIN)
    poll.register(os.pidfd_open(program), select.POLLIN)

    while True:
        events = poll.poll(_REAP_MILLISECONDS)
        # what others left behind becomes ours
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == program:
                return status
            if pid == 0:
                break

        if any(descriptor == life for descriptor, _ in events):
            return -1


def _end_all() -> None:
    while True:
        # where nobody is left to be signalled
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _become(job: dict[str, Any]) -> NoReturn:
    """Give up all that the program may not have, and start it."""
    # Python ignores these, and so would the program
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.setsid()
        rules = _make_rules(job)
        if job["user"] is not None:
            _change_user(job["user"])

        os.chdir(job["cwd"])
        _check(_LIBC.syscall(_RESTRICT_SELF, rules, 0), "landlock_restrict_self")
        _load_filter(base64.b64decode(job["filter"]))
    except OSError as error:
        _fail(str(error))

    os.closerange(3, 4096)
    argv, env = job["argv"], job["env"]
    try:
        os.execvpe(argv[0], argv, env)  # noqa: S606
    except OSError as error:
        _fail(f"{argv[0]}: {error.strerror}", _NOT_STARTED)


def _make_rules(job: dict[str, Any]) -> int:
    rules = _create_ruleset(_ALL_ACCESS, _NETWORK, _SCOPES)
    for kind, access in (
        ("listed", _LIST_FOLDERS),
        ("readable", _READ),
        ("writable", _OWN),
    ):
        for path in job[kind]:
            _allow(rules, path, access)
    for path in _DEVICES:
        if os.path.exists(path):  # noqa: PTH110
            _allow(rules, path, _READ | _WRITE_FILE)
    # the folder of this process alone: sanitizers read its maps
    _allow(rules, "/proc/self", _READ)
    return rules


def _create_ruleset(files: int, network: int, scopes: int) -> int:
    attributes = struct.pack("=QQQ", files, network, scopes)
    rules = _LIBC.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    return _check(rules, "landlock_create_ruleset")


def _allow(rules: int, path: str, access: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if not _is_folder(place):
        access &= _OF_FILES
    rule = struct.pack("=Qi", access, place)
    done = _LIBC.syscall(_ADD_RULE, rules, _BENEATH_PATH, rule, 0)
    _check(done, f"landlock_add_rule {path}")
    os.close(place)


def _is_folder(descriptor: int) -> bool:
    return os.fstat(descriptor).st_mode & 0o170000 == 0o040000


def _change_user(user: int) -> None:
    for capability in range(_LAST_CAPABILITY + 1):
        # those that this kernel does not know are not there
        _LIBC.prctl(_DROP_BOUNDING, capability, 0, 0, 0)

    os.setgroups([])
    os.setresgid(user, user, user)
    # the last capabilities go with the user
    os.setresuid(user, user, user)


def _load_filter(instructions: bytes) -> None:
    text = ctypes.create_string_buffer(instructions, len(instructions))
    # struct sock_fprog: how many, padding, where
    program = struct.pack("HxxxxxxP", len(instructions) // 8, ctypes.addressof(text))
    _check(_LIBC.prctl(_SET_SECCOMP, _FILTER_MODE, program, 0, 0), "seccomp")


def _check(answer: int, step: str) -> int:
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{step}: {os.strerror(error)}")
    return answer


def _let_go_of_streams() -> None:
    """Whoever reads what the program writes waits for the program alone."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)


def _exit_code(status: int) -> int:
    if status < 0:
        return 128 + signal.SIGKILL
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _fail(message: str, code: int = _NOT_HELD) -> NoReturn:
    os.write(2, f"not held: {message}\n".encode())
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
