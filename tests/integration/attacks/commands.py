"""Compile commands that want a compiler to load, start, read or write something of theirs."""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "a plugin of clang": "clang++ -fplugin=/src/evil.so k.cu",
    "a pass of LLVM": "clang++ -fpass-plugin=/src/evil.so k.cu",
    "a plugin, handed through": "clang++ -Xclang -load -Xclang /src/evil.so k.cu",
    "options of LLVM": "clang++ -mllvm -load=/src/evil.so k.cu",
    "programs from the tree": "g++ -B/src/evil k.cpp",
    "what gcc starts": "g++ -wrapper /src/evil,x k.cpp",
    "what gcc does": "g++ -specs=/src/evil.specs k.cpp",
    "a configuration": "clang++ --config=/src/evil.cfg k.cu",
    "a host compiler": "nvcc -ccbin /src/evil k.cu",
    "a host compiler's plugin": "nvcc -Xcompiler -fplugin=/src/evil.so k.cu",
    "another file system": "clang++ -ivfsoverlay /src/evil.yaml k.cu",
    "modules": "clang++ -fmodules -fmodule-map-file=/src/evil.map k.cu",
    "accounts in front": "clang++ -include /etc/passwd k.cu",
    "macros of accounts": "clang++ -imacros /etc/passwd k.cu",
    "folders of the system": "clang++ -I/etc -isystem /root k.cu",
    "words of accounts": "clang++ @/etc/passwd k.cu",
    "an output elsewhere": "clang++ -o /etc/evil k.cu",
    "a list elsewhere": "clang++ -MD -MF /etc/evil k.cu",
    "a report of a crash elsewhere": "clang++ -fcrash-diagnostics-dir=/etc k.cu",
    "a profile of the tree": "clang++ -fprofile-use=/src/evil k.cu",
    "a profile elsewhere": "clang++ -fprofile-generate=/etc k.cu",
    "a shell": "clang++ k.cu; touch /etc/evil",
    "another shell": "clang++ `touch /etc/evil` $(touch /etc/evil) k.cu",
    "a plugin's argument": "clang++ -fplugin-arg-evil-run=/src/evil k.cu",
    "an object of another's precompiled header": "clang++ -include-pch /src/evil.pch k.cu",
    "modules of others": "clang++ -fprebuilt-module-path=/src/evil k.cu",
    "modules in a cache elsewhere": "clang++ -fmodules-cache-path=/etc/evil k.cu",
    "programs from another root": "clang++ --sysroot=/etc -isysroot /root k.cu",
    "an assembler of the tree": "clang++ -fno-integrated-as -B /src/evil k.cu",
    "a linker of the tree": "clang++ -fuse-ld=/src/evil k.cu",
    "a library of the device": "clang++ --cuda-path=/src/evil --rocm-path=/etc k.cu",
    "bitcode of the device": "clang++ -Xclang -mlink-builtin-bitcode -Xclang /src/evil.bc k.cu",
    "remarks elsewhere": "clang++ -fsave-optimization-record -foptimization-record-file=/etc/evil k.cu",
    "a trace elsewhere": "clang++ -ftime-trace=/etc/evil k.cu",
    "steps that are kept": "nvcc --keep --keep-dir /etc/evil k.cu",
    "words of the tree": "nvcc --options-file /src/evil.rsp k.cu",
}
