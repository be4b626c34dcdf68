"""System call numbers and the calls that the seccomp filter refuses."""

from __future__ import annotations

from typing import Final

X32_BIT: Final = 0x40000000
"""The bit of a call number that selects the x32 calls of an x86_64 kernel."""
NEWEST_CALL: Final = 462
"""`mseal`: the newest call that was considered for these lists."""
HIDDEN_CALLS: Final = (
    "clone3",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "memfd_create",
    "memfd_secret",
)
"""Answered as an older kernel would: libraries then take the older call, whose arguments a
filter can read.
"""
# fmt: off
FORBIDDEN_CALLS: Final = frozenset({
    # other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
    "pidfd_getfd", "kcmp", "move_pages", "migrate_pages",
    # mounts, namespaces, and files by handle
    "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick",
    "move_mount", "open_tree", "mount_setattr", "unshare", "setns", "open_by_handle_at",
    "name_to_handle_at", "fanotify_init", "quotactl", "quotactl_fd", "acct", "swapon", "swapoff",
    "nfsservctl", "lookup_dcookie",
    # parts of the kernel where faults were found again and again
    "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "modify_ldt",
    "uselib", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
    "create_module", "query_module", "get_kernel_syms", "_sysctl", "sysfs", "ustat", "iopl",
    "ioperm", "syslog", "vhangup", "reboot", "sethostname", "setdomainname", "settimeofday",
    "clock_settime", "clock_adjtime", "adjtimex",
    # memory that no process owns while it is not mapped, and so in no sum over processes
    "shmget", "semget", "msgget", "mq_open",
})
OUTSIDE_CALLS: Final = frozenset({
    # they change files of the same user that Landlock lets nobody open: it looks at no modes,
    # owners, times or attributes
    "chmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchownat", "utime", "utimes", "futimesat",
    "utimensat", "setxattr", "lsetxattr", "removexattr", "lremovexattr",
    # they watch such files, and take names that processes outside listen at
    "inotify_add_watch", "bind",
    # they slow down other processes of the same user
    "setpriority", "ioprio_set",
})
"""Forbidden too where a run shares its user, processes and files with others."""
PROCESS_CALLS: Final = frozenset({
    "prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler",
})
"""There allowed for the calling process alone, whose number is 0 in the first argument."""
# call numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h
X86_64_NUMBERS: Final = {
    "_sysctl": 156, "acct": 163, "add_key": 248, "adjtimex": 159, "bind": 49, "bpf": 321,
    "chmod": 90, "chown": 92, "chroot": 161, "fchmodat": 268, "fchmodat2": 452, "fchownat": 260,
    "futimesat": 261, "inotify_add_watch": 254, "ioprio_set": 251, "lchown": 94,
    "lremovexattr": 198, "lsetxattr": 189, "prlimit64": 302, "removexattr": 197,
    "sched_setaffinity": 203, "sched_setattr": 314, "sched_setparam": 142,
    "sched_setscheduler": 144, "setpriority": 141, "setxattr": 188, "utime": 132,
    "utimensat": 280, "utimes": 235,
    "clock_adjtime": 305, "clock_settime": 227, "clone": 56, "clone3": 435, "connect": 42,
    "create_module": 174, "delete_module": 176, "fanotify_init": 300, "finit_module": 313,
    "fsconfig": 431, "fsmount": 432, "fsopen": 430, "fspick": 433, "get_kernel_syms": 177,
    "init_module": 175, "io_uring_enter": 426, "io_uring_register": 427, "io_uring_setup": 425,
    "ioctl": 16, "ioperm": 173, "iopl": 172, "kcmp": 312, "kexec_file_load": 320,
    "kexec_load": 246, "keyctl": 250, "lookup_dcookie": 212, "memfd_create": 319,
    "memfd_secret": 447, "migrate_pages": 256, "modify_ldt": 154, "mount": 165,
    "mount_setattr": 442, "move_mount": 429, "move_pages": 279, "mq_open": 240, "msgget": 68,
    "name_to_handle_at": 303, "nfsservctl": 180, "open_by_handle_at": 304, "open_tree": 428,
    "perf_event_open": 298, "personality": 135, "pidfd_getfd": 438, "pivot_root": 155,
    "process_madvise": 440, "process_mrelease": 448, "process_vm_readv": 310,
    "process_vm_writev": 311, "ptrace": 101, "query_module": 178, "quotactl": 179,
    "quotactl_fd": 443, "reboot": 169, "request_key": 249, "semget": 64, "setdomainname": 171,
    "sethostname": 170, "setns": 308, "settimeofday": 164, "shmget": 29, "socket": 41,
    "socketpair": 53, "swapoff": 168, "swapon": 167, "sysfs": 139, "syslog": 103, "umount2": 166,
    "unshare": 272, "uselib": 134, "userfaultfd": 323, "ustat": 136, "vhangup": 153,
}
AARCH64_NUMBERS: Final = {
    "acct": 89, "add_key": 217, "adjtimex": 171, "bind": 200, "bpf": 280, "chroot": 51,
    "clock_adjtime": 266, "fchmodat": 53, "fchmodat2": 452, "fchownat": 54,
    "inotify_add_watch": 27, "ioprio_set": 30, "lremovexattr": 15, "lsetxattr": 6,
    "prlimit64": 261, "removexattr": 14, "sched_setaffinity": 122, "sched_setattr": 274,
    "sched_setparam": 118, "sched_setscheduler": 119, "setpriority": 140, "setxattr": 5,
    "utimensat": 88,
    "clock_settime": 112, "clone": 220, "clone3": 435, "connect": 203, "delete_module": 106,
    "fanotify_init": 262, "finit_module": 273, "fsconfig": 431, "fsmount": 432, "fsopen": 430,
    "fspick": 433, "init_module": 105, "io_uring_enter": 426, "io_uring_register": 427,
    "io_uring_setup": 425, "ioctl": 29, "kcmp": 272, "kexec_file_load": 294, "kexec_load": 104,
    "keyctl": 219, "lookup_dcookie": 18, "memfd_create": 279, "memfd_secret": 447,
    "migrate_pages": 238, "mount": 40, "mount_setattr": 442, "move_mount": 429, "move_pages": 239,
    "mq_open": 180, "msgget": 186, "name_to_handle_at": 264, "nfsservctl": 42,
    "open_by_handle_at": 265, "open_tree": 428, "perf_event_open": 241, "personality": 92,
    "pidfd_getfd": 438, "pivot_root": 41, "process_madvise": 440, "process_mrelease": 448,
    "process_vm_readv": 270, "process_vm_writev": 271, "ptrace": 117, "quotactl": 60,
    "quotactl_fd": 443, "reboot": 142, "request_key": 218, "semget": 190, "setdomainname": 162,
    "sethostname": 161, "setns": 268, "settimeofday": 170, "shmget": 194, "socket": 198,
    "socketpair": 199, "swapoff": 225, "swapon": 224, "syslog": 116, "umount2": 39, "unshare": 97,
    "userfaultfd": 282, "vhangup": 58,
}
