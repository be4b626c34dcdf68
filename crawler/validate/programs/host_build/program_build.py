"""Build a program of a project for this machine's CPU: preprocess, translate, compile, link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler import process
from crawler.cpp.language_standard import requested_standard
from crawler.model import CompileCommand
from crawler.process_limits import Limits
from crawler.sandbox.work_folder import open_work_folder
from crawler.toolchains import discovery
from crawler.toolchains.cpu_flags import get_cpu_compile_flags
from crawler.validate.programs.host_build.host_compiler import (
    COMPILE_ERROR,
    BuildFailed,
    HostCompiler,
    KernelNumbers,
)
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.toolchains.precompiled_headers import precompiled_key

_PROGRAM_FLAGS: Final = ("-DKERNELSET_PROGRAM=1", "-ffunction-sections")
# functions that nobody calls may name what is not there
_LINK_FLAGS: Final = ("-Wl,--gc-sections",)
_RUNTIME_FLAGS: Final = ("-DKERNELSET_PART=2",)
_RUNTIME_SOURCE: Final = (
    "#include <kernelset/cuda.cuh>\n#include <kernelset/program/main.h>\n"
)
_RUNTIME_SECONDS: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProgram:
    """A program of a project, or why there is none."""

    executable: bytes = b""
    kernels: tuple[KernelPlace, ...] = ()
    """Its kernels by their numbers; paths are relative to the checkout."""
    code: str = ""
    """Why there is none: `host-compile-error`, `undefined-symbol`, …; else empty."""
    message: str = ""


def build_host_program(
    root: Path,
    commands: Sequence[CompileCommand],
    *,
    zero_locals: bool = False,
    wrapper: str = "",
) -> HostProgram:
    """Build the program that the sources of `commands` make together; with `wrapper`, a text that
    includes the only one of them, that this text makes.

    `root` is the checkout. Its launches are traced and sanitised; local variables that nobody
    initialises hold zeros with `zero_locals`, else a pattern. What goes wrong is in the result.
    """
    clang = discovery.find_clang()
    if clang is None:
        return HostProgram(
            code="no-compiler", message="no clang++ of version 18 or newer"
        )

    numbers = KernelNumbers()
    flags = list_program_flags(
        requested_standard(commands[0].arguments), zero_locals=zero_locals
    )

    try:
        with open_work_folder("cpu") as work:
            compiler = HostCompiler(
                root=root, compiler=clang.path, work=work, flags=flags
            )
            runtime = build_runtime(clang.path, flags, ("-c",))
            objects = _Objects(compiler, numbers)
            objects.add(commands[0], wrapper)
            for command in commands[1:]:
                objects.add_neighbour(command)
            executable = objects.link(runtime)
    except BuildFailed as error:
        return HostProgram(code=error.code, message=str(error))

    return HostProgram(executable=executable, kernels=numbers.list_places())


class _Objects:
    """The objects of one program."""

    def __init__(self, compiler: HostCompiler, numbers: KernelNumbers) -> None:
        self._compiler = compiler
        self._numbers = numbers
        self._names: list[str] = []
        self._failure: BuildFailed | None = None

    def add(self, command: CompileCommand, wrapper: str = "") -> None:
        text = self._compiler.translate(command, self._numbers, wrapper)
        name = f"source{len(self._names)}"
        self._names.append(self._compiler.compile_text(text, name))

    def add_neighbour(self, command: CompileCommand) -> None:
        """Compile what may be part of the program; whether it has to be is seen when it links."""
        try:
            self.add(command)
        except BuildFailed as error:
            self._failure = self._failure or error

    def link(self, runtime: Path) -> bytes:
        words = (*self._names, str(runtime), "-lm", "-lpthread", *_LINK_FLAGS)
        try:
            return self._compiler.link(words, "program").read_bytes()
        except BuildFailed:
            # why there is no such symbol says more than which one
            if self._failure is not None:
                raise self._failure from None
            raise


def list_program_flags(standard: str, *, zero_locals: bool = False) -> tuple[str, ...]:
    """Return the flags that all sources of a program share with its runtime."""
    flags = get_cpu_compile_flags(
        standard=standard,
        lanes=32,
        trace=True,
        contract_floats=False,
        sanitise=True,
        fast_compile=True,
        zero_locals=zero_locals,
    )
    return (*flags, *_PROGRAM_FLAGS)


def build_runtime(
    compiler: Path, flags: tuple[str, ...], kind: tuple[str, ...]
) -> Path:
    """Return what all programs of these flags share: an object for the `kind` `-c`, a library
    for `-shared`.

    Raises `BuildFailed`.
    """
    argv = (*flags, *_RUNTIME_FLAGS, *kind)
    key = precompiled_key(_RUNTIME_SOURCE, compiler, argv)
    if key in _failed_keys():
        raise BuildFailed(COMPILE_ERROR, "the runtime does not compile")

    name = "runtime.o" if "-c" in kind else "libkernelset.so"

    def compile_runtime(folder: Path) -> bool:
        source = folder / "runtime.cpp"
        source.write_text(_RUNTIME_SOURCE)
        words = (str(compiler), *argv, str(source), "-o", name)
        limits = Limits(seconds=_RUNTIME_SECONDS)
        completed = process.run(words, cwd=folder, limits=limits)
        return completed.exit_code == 0 and (folder / name).is_file()

    folder = folders.get_or_build(
        f"program-runtime-{key}", compile_runtime, required_file=name
    )
    if folder is None:
        _failed_keys().add(key)
        raise BuildFailed(COMPILE_ERROR, "the runtime does not compile")

    return folder / name


@cache
def _failed_keys() -> set[str]:
    """Return the keys of what this process could not make: it is not tried twice."""
    return set()
