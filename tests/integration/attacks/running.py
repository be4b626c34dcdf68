"""Programs that want out: a build script, a project's test, or a kernel on the processor.

Each is the body of a function that returns something true where it gets what it wants, and is
refused by an `OSError` or by what it returns otherwise.
"""

from __future__ import annotations

from typing import Final

PREAMBLE: Final = """
import ctypes, errno, fcntl, glob, os, resource, socket, struct, sys
numbers = {numbers}
own = os.environ['TMPDIR']
tree = os.getcwd()
victim, worker = {victim}, {worker}
libc = ctypes.CDLL(None, use_errno=True)

def call(name, *arguments):
    done = libc.syscall(numbers[name], *arguments)
    if done < 0:
        raise OSError(ctypes.get_errno(), name)
    return True

def reads(path):
    with open(path, 'rb') as file:
        return file.read(1)

def writes(path):
    with open(path, 'wb', 0) as file:
        return file.write(b'x')

def opens(family, kind, protocol=0):
    socket.socket(family, kind, protocol).close()
    return True

def reaches(family, address, kind=socket.SOCK_STREAM):
    speaker = socket.socket(family, kind)
    speaker.settimeout(1)
    speaker.connect(address)
    return True

def is_allowed(request):
    done = libc.ioctl(0, ctypes.c_ulong(request), b'x')
    return done == 0 or ctypes.get_errno() != errno.EPERM
"""

PUBLIC_ESCAPES: Final = {
    "CVE-2017-5226 bubblewrap: types into our terminal (TIOCSTI)": "return is_allowed(0x5412)",
    "CVE-2023-28100 flatpak: types into a console (TIOCLINUX)": "return is_allowed(0x541C)",
    "CVE-2016-8659 bubblewrap: traces the first process": "return call('ptrace', 16, 1, 0, 0)",
    "CVE-2019-5736 runc: writes over the program that started it": "return writes('/proc/1/exe')",
    "CVE-2024-21626 runc: a folder of the host that was left open": (
        "kept = glob.glob('/proc/self/fd/*')\n"
        "return [each for each in kept if int(each[14:]) > 2 and os.path.isdir(each)\n"
        "        and os.readlink(each) != f'/proc/{os.getpid()}/fd']"
    ),
    "CVE-2025-31133 runc: a link in the place of /dev/null": (
        "os.unlink('/dev/null')\n"
        "os.symlink('/proc/sys/kernel/core_pattern', '/dev/null'); return True"
    ),
    "CVE-2025-52565 runc: a link in the place of a console": (
        "os.symlink('/proc/sysrq-trigger', '/dev/console'); return True"
    ),
    "CVE-2025-52881 runc: labels written to another file of /proc": (
        "return writes('/proc/self/attr/exec') and writes('/proc/sysrq-trigger')"
    ),
    "CVE-2021-41133 flatpak: a folder mounted by newer calls": (
        "return call('open_tree', -100, b'/', 1)"
    ),
    "CVE-2021-41133 flatpak: a folder made writable by newer calls": (
        "return call('mount_setattr', -100, b'/', 0, struct.pack('4Q', 0, 1, 0, 0), 32)"
    ),
    "CVE-2021-41133 flatpak: namespaces by a newer call": (
        "return call('clone3', struct.pack('11Q', 0x10000000, *[0] * 10), 88)"
    ),
    "CVE-2023-4911 glibc: a program that runs as its owner": (
        # such a program gains nothing where the process may gain nothing
        "return libc.prctl(39, 0, 0, 0, 0) != 1"
    ),
    "CVE-2022-0185 a file system's options": "return call('fsopen', b'ext4', 0)",
    "CVE-2022-0492 a release agent of a control group": (
        "call('unshare', 0x12000000)\nreturn call('mount', b'c', b'/tmp', b'cgroup', 0, b'rdma')"
    ),
    "CVE-2022-0847 Dirty Pipe": (
        "file = os.open('/usr/include/errno.h', os.O_RDONLY)\n"
        "before = os.pread(file, 64, 0)\n"
        "out, into = os.pipe()\n"
        "size = fcntl.fcntl(into, 1032)\n"
        "os.write(into, bytes(size))\n"
        "os.read(out, size)\n"
        "os.splice(file, into, 1, offset_src=4)\n"
        "os.write(into, b'XXXX')\n"
        "return os.pread(file, 64, 0) != before"
    ),
    "CVE-2023-0386 files of others through an overlay": (
        "return call('mount', b'o', b'/tmp', b'overlay', 0, b'lowerdir=/usr,upperdir=/tmp')"
    ),
    "CVE-2024-1086 rules of the firewall": "return opens(16, socket.SOCK_RAW, 12)",
    "CVE-2023-2598 io_uring": "return call('io_uring_setup', 8, 0)",
    "CVE-2022-2602 io_uring, registered files": "return call('io_uring_register', 0, 2, 0, 0)",
    "CVE-2021-3490 programs in the kernel (bpf)": "return call('bpf', 0, 0, 0)",
    "CVE-2021-22600 raw packets": "return opens(17, socket.SOCK_RAW, 768)",
    "CVE-2021-26708 sockets of virtual machines": "return opens(40, socket.SOCK_STREAM)",
    "CVE-2021-43267 sockets of clusters (TIPC)": "return opens(30, 5)",
    "CVE-2022-27666 keys of IPsec": "return opens(15, socket.SOCK_RAW, 2)",
    "CVE-2021-4154 a file system by its parts": "return call('fsconfig', 0, 0, 0, 0, 0)",
    "CVE-2022-1055 user namespaces as a way in": "return call('unshare', 0x10000000)",
    "faults that a program answers itself, which lengthens races": "return call('userfaultfd', 0)",
    "memory that no sum over processes shows": "return call('memfd_secret', 0)",
    "CVE-2016-0728 rings of keys": "return call('keyctl', 1, b'mine')",
    "Shocker: files by their handle": "return call('open_by_handle_at', 3, b'x', 0)",
}
FILES_OF_THE_HOST: Final = {
    "accounts": "return reads('/etc/passwd')",
    "passwords": "return reads('/etc/shadow')",
    "keys of root": "return os.listdir('/root')",
    "homes": "return os.listdir('/home')",
    "secrets of a pod": "return os.listdir('/var/run/secrets')",
    "the environment of the first process": (
        "return b'KERNELSET' in open('/proc/1/environ', 'rb').read()"
    ),
    "the root of another process": "return os.listdir('/proc/2/root/root')",
    "memory of the machine": "return reads('/dev/mem')",
    "memory of the kernel": "return reads('/proc/kcore')",
    "messages of the kernel": "return reads('/dev/kmsg')",
    "addresses of the kernel": (
        "return any(int(line.split()[0], 16) for line in open('/proc/kallsyms'))"
    ),
    "virtual machines": "return os.open('/dev/kvm', os.O_RDWR)",
    "file systems of its own": "return os.open('/dev/fuse', os.O_RDWR)",
    "texts of licences": "return os.listdir('/usr/share/common-licenses')",
}
WRITES: Final = {
    "a program of the host": "return writes('/usr/bin/new')",
    "what the loader loads first": "return writes('/etc/ld.so.preload')",
    "the loader's cache": "return writes('/etc/ld.so.cache')",
    "what a crash starts": "return writes('/proc/sys/kernel/core_pattern')",
    "what loads modules": "return writes('/proc/sys/kernel/modprobe')",
    "the machine's keys": "return writes('/proc/sysrq-trigger')",
    "a disk of its own": "os.mknod(f'{own}/disk', 0o060666, os.makedev(254, 0)); return True",
    "a file without a name": "return os.open('/usr', os.O_TMPFILE | os.O_RDWR)",
    "the root, made writable": "return call('mount', b'', b'/', b'', 0x21, 0)",
    "a link to a program of the host": "os.link('/usr/bin/env', f'{own}/linked'); return True",
    "its own tree, which is shown": "return writes(f'{tree}/source.cu')",
}
RIGHTS: Final = {
    "root": "os.setuid(0); return True",
    "groups of root": "os.setgroups([0]); return True",
    "all capabilities": (
        "head = struct.pack('Ii', 0x20080522, 0)\n"
        "if libc.capset(head, struct.pack('6I', *[0xffffffff] * 6)):\n"
        "    raise OSError(ctypes.get_errno(), 'capset')\n"
        "return True"
    ),
    "another root": "os.chroot(own); return True",
    "namespaces of the first process": (
        "return call('setns', os.open('/proc/1/ns/mnt', os.O_RDONLY), 0)"
    ),
    "a namespace by clone": "return call('clone', 0x10000011, 0, 0, 0, 0)",
    "memory of another process": "return call('process_vm_readv', 1, 0, 0, 0, 0, 0)",
    "open files of another process": "return call('pidfd_getfd', 3, 0, 0)",
    "a module of the kernel": "return call('init_module', b'', 0, b'')",
    "another kernel": "return call('kexec_load', 0, 0, 0, 0)",
    "the clock": "return call('clock_settime', 0, struct.pack('qq', 0, 0))",
    "counters of the processor": "return call('perf_event_open', 0, 0, -1, -1, 0)",
    "segments of the processor": "return 'modify_ldt' not in numbers or call('modify_ldt', 1, 0, 0)",
    "events of all files": "return call('fanotify_init', 4, 0)",
    "memory that outlives it": "return call('shmget', 1, 4096, 0o1600)",
    "memory that is code wherever it can be read": "return call('personality', 0x0400000)",
    "more processes": (
        "try: resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999))\n"
        "except ValueError: return False\n"
        "return True"
    ),
    "precedence": "return os.nice(-5) < 0",
}
SPEECH: Final = {
    "a server on this machine": "return reaches(socket.AF_INET, ('127.0.0.1', {port}))",
    "a name server": "return reaches(socket.AF_INET, ('1.1.1.1', 53), socket.SOCK_DGRAM)",
    "credentials of a cloud": "return reaches(socket.AF_INET, ('169.254.169.254', 80))",
    "IPv6": "return opens(socket.AF_INET6, socket.SOCK_STREAM)",
    "echoes": "return opens(socket.AF_INET, socket.SOCK_RAW, 1)",
    "Docker": "return reaches(socket.AF_UNIX, '/var/run/docker.sock')",
    "the system's bus": "return reaches(socket.AF_UNIX, '/run/dbus/system_bus_socket')",
    "a screen": "return reaches(socket.AF_UNIX, '\\0/tmp/.X11-unix/X0')",
}
NEIGHBOURS: Final = {
    "a file of the worker": "return reads(victim)",
    "a file of the worker, by its folder": "return reads('/proc/self/root' + victim)",
    "the names beside it": "return os.listdir(os.path.dirname(victim))",
    "writing to it": "return writes(victim)",
    "cutting it short": "os.truncate(victim, 0); return True",
    "removing it": "os.unlink(victim); return True",
    "another name for it": "os.rename(victim, f'{own}/stolen'); return True",
    "its modes": "os.chmod(victim, 0o777); return True",
    "its modes, by a folder": (
        "folder = os.open(os.path.dirname(victim), os.O_PATH)\n"
        "os.chmod(os.path.basename(victim), 0o777, dir_fd=folder); return True"
    ),
    "its times": "os.utime(victim, (0, 0)); return True",
    "its attributes": "os.setxattr(victim, 'user.mine', b'1'); return True",
    "hearing when it is read": (
        "return libc.inotify_add_watch(libc.inotify_init(), victim.encode(), 1) >= 0"
    ),
    "ending the worker": "os.kill(worker, 9); return True",
    "the worker's memory": "return reads(f'/proc/{worker}/mem')",
    "the worker's environment": "return reads(f'/proc/{worker}/environ')",
    "the worker's open files": "return os.listdir(f'/proc/{worker}/fd')",
    "the worker's limits": (
        "resource.prlimit(worker, resource.RLIMIT_CPU, (1, 1)); return True"
    ),
    "the worker's processors": "os.sched_setaffinity(worker, {0}); return True",
    "the worker's precedence": "os.setpriority(os.PRIO_PROCESS, worker, 19); return True",
    "a name that others listen at": (
        "squatter = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)\n"
        "squatter.bind('\\0kernelset-worker'); return {is_shared}"
    ),
}
ALL: Final = {
    f"{kind}: {name}": program
    for kind, programs in {
        "escapes": PUBLIC_ESCAPES,
        "reads": FILES_OF_THE_HOST,
        "writes": WRITES,
        "wants": RIGHTS,
        "talks to": SPEECH,
        "harms": NEIGHBOURS,
    }.items()
    for name, program in programs.items()
}
