"""Kernels that want out where they run on the processor: they are machine code of the host.

Each is the body of a function that returns true where it gets what it wants. `VICTIM` is a file of
the host with a secret, `WORKER` the process that started it.
"""

from __future__ import annotations

from typing import Final

PREAMBLE: Final = """
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <unistd.h>
static bool reads(const char* path) { char c; int f = open(path, O_RDONLY); return f >= 0 && read(f, &c, 1) == 1; }
static bool lists(const char* path) { DIR* d = opendir(path); return d && readdir(d); }
"""
KERNELS: Final = {
    "reads a file of the host": "return reads(VICTIM);",
    "reads it by a raw call": "return syscall(SYS_openat, AT_FDCWD, VICTIM, O_RDONLY, 0) >= 0;",
    "reads it by openat2": (
        "unsigned long how[3] = {O_RDONLY, 0, 0}; return syscall(437, AT_FDCWD, VICTIM, how, 24) >= 0;"
    ),
    "maps it": (
        "int f = open(VICTIM, O_RDONLY); return mmap(0, 1, PROT_READ, MAP_SHARED, f, 0) != MAP_FAILED;"
    ),
    "reads it as a program": "execl(VICTIM, VICTIM, (char*)0); return errno == ENOEXEC;",
    "loads it as a library": "return dlopen(VICTIM, RTLD_NOW);",
    "writes over it": "return open(VICTIM, O_WRONLY | O_TRUNC) >= 0;",
    "cuts it short": "return !truncate(VICTIM, 0);",
    "opens its place and nothing else": (
        'int f = open(VICTIM, O_PATH); char p[64]; snprintf(p, 64, "/proc/self/fd/%d", f); return reads(p);'
    ),
    "lists the home of root": 'return lists("/root");',
    "starts a shell": 'return !execl("/bin/bash", "bash", "-c", "echo escaped", (char*)0);',
    "starts a compiler": 'return !execl("/usr/bin/clang++-19", "c", "--version", (char*)0);',
    "traces the worker": "return !ptrace(PTRACE_ATTACH, WORKER, 0, 0);",
    "ends the worker": "return !kill(WORKER, SIGKILL);",
    "writes to the worker's memory": (
        'char p[64]; snprintf(p, 64, "/proc/%d/mem", WORKER); return open(p, O_RDWR) >= 0;'
    ),
    "speaks to a name server": (
        "sockaddr_in a{AF_INET, htons(53), {0x01010101}}; int s = socket(AF_INET, SOCK_DGRAM, 0);"
        ' return sendto(s, "x", 1, 0, (sockaddr*)&a, sizeof a) == 1;'
    ),
    "sends without a connection": (
        "sockaddr_in a{AF_INET, htons(80), {0x01010101}}; int s = socket(AF_INET, SOCK_STREAM, 0);"
        ' return sendto(s, "x", 1, 0x20000000, (sockaddr*)&a, sizeof a) == 1;'
    ),
    "makes a namespace": "return !syscall(SYS_unshare, 0x10000000);",
    "asks for a call of 32 bits": (
        "long answer = -1;\n#if defined(__x86_64__)\n"
        'asm volatile("int $0x80" : "=a"(answer) : "a"(20));\n#endif\nreturn answer >= 0;'
    ),
    "finds the worker's mounts": (
        'char p[64]; snprintf(p, 64, "/proc/%d/mountinfo", WORKER); return reads(p);'
    ),
}
