"""Build a program of a project for this machine's CPU: preprocess, translate, compile, link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from crawler.validate.programs.host_build.build_failure import (
    COMPILE_ERROR,
    BuildFailed,
)
from crawler.validate.programs.host_build.host_compiler import (
    HostCompiler,
    KernelNumbers,
)
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.programs.host_build.missing_torch_functions import (
    list_missing_torch_functions,
    render_throwing_definitions,
)
from crawler.validate.toolchains.precompiled_headers import precompiled_key

_PROGRAM_FLAGS: Final = (
    "-DKERNELSET_PROGRAM=1",
    "-ffunction-sections",
    # Thrust's device algorithms run on the host: its CUDA backend needs a GPU
    "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
)
# functions that nobody calls may name what is not there
_LINK_FLAGS: Final = ("-Wl,--gc-sections",)
_RUNTIME_FLAGS: Final = ("-DKERNELSET_PART=2",)
_RUNTIME_SOURCE: Final = (
    "#include <kernelset/cuda.cuh>\n#include <kernelset/program/main.h>\n"
)
_CALLS_SOURCE: Final = (
    "#include <kernelset/torch_calls/checks.h>\n"
    "#include <kernelset/torch_prelude.h>\n"
    "#include <kernelset/torch_calls/calls.h>\n"
)
_RUNTIME_SECONDS: Final = 120
"""Seconds of the processor that the runtime may take to compile."""
_CLOCK_FACTOR: Final = 10
"""So many times as long it may take by the clock, on a machine that is busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProgram:
    """A program of a project, or why there is none."""

    executable: bytes = b""
    kernels: tuple[KernelPlace, ...] = ()
    """Its kernels by their numbers; paths are relative to the checkout."""
    code: str = ""
    """Why there is none: `host-compile-error`, `undefined-symbol`, …; else empty."""
    message: str = ""
    texts: tuple[str, ...] = ()
    """Its sources, preprocessed and translated: what it is built of again."""
    c_texts: tuple[str, ...] = ()
    """Those in C, preprocessed."""
    standard: str = ""
    """Of C++."""
    calls_launcher: bool = False
    """Whether it does nothing but call a launcher."""
    missing: str = ""
    """What the linker said of functions of PyTorch that are not there: who calls one is refused."""


def build_host_program(
    root: Path, commands: Sequence[CompileCommand], *, wrapper: str = ""
) -> HostProgram:
    """Build the program that the sources of `commands` make together; with `wrapper`, a text that
    calls a launcher of the only one of them and includes it, that this text makes.

    `root` is the checkout. Its launches are traced and sanitised; local variables that nobody
    initialises hold a pattern. What goes wrong is in the result.
    """
    numbers = KernelNumbers()
    standard = requested_standard(commands[0].arguments)
    calls_launcher = bool(wrapper)

    try:
        with _open_builder(
            root, list_program_flags(standard), calls_launcher=calls_launcher
        ) as builder:
            builder.translate(commands[0], numbers, wrapper)
            for command in commands[1:]:
                builder.translate_neighbour(command, numbers)
            executable = builder.link()
    except BuildFailed as error:
        return HostProgram(code=error.code, message=str(error))

    return HostProgram(
        executable=executable,
        kernels=numbers.list_places(),
        texts=tuple(builder.texts),
        c_texts=tuple(builder.c_texts),
        standard=standard,
        calls_launcher=calls_launcher,
        missing=builder.missing,
    )


def rebuild_with_zeros(root: Path, program: HostProgram) -> HostProgram:
    """Build `program` of the checkout `root` again; local variables that nobody initialises hold
    zeros now. What goes wrong is in the result.
    """
    flags = list_program_flags(program.standard, zero_locals=True)

    try:
        with _open_builder(
            root, flags, calls_launcher=program.calls_launcher
        ) as builder:
            for text in program.texts:
                builder.compile(text)
            for text in program.c_texts:
                builder.compile_c(text)
            executable = builder.link()
    except BuildFailed as error:
        return HostProgram(code=error.code, message=str(error))

    return replace(program, executable=executable)


@contextmanager
def _open_builder(
    root: Path, flags: tuple[str, ...], *, calls_launcher: bool
) -> Iterator[_Builder]:
    clang = discovery.find_clang()
    if clang is None:
        raise BuildFailed("no-compiler", "no clang++ of version 18 or newer")

    with open_work_folder("cpu") as work:
        compiler = HostCompiler(root=root, compiler=clang.path, work=work, flags=flags)
        runtime = build_runtime(
            clang.path, flags, ("-c",), calls_launcher=calls_launcher
        )
        yield _Builder(compiler, runtime, calls_launcher=calls_launcher)


class _Builder:
    """The sources and objects of one program."""

    def __init__(
        self, compiler: HostCompiler, runtime: Path, *, calls_launcher: bool
    ) -> None:
        self.texts: list[str] = []
        """Of the sources that compile, translated."""
        self.c_texts: list[str] = []
        self.missing = ""
        """What the linker said of functions of PyTorch that are not there."""
        self._compiler = compiler
        self._runtime = runtime
        self._calls_launcher = calls_launcher
        self._objects: list[str] = []
        self._failure: BuildFailed | None = None

    def translate(
        self, command: CompileCommand, numbers: KernelNumbers, wrapper: str = ""
    ) -> None:
        """Preprocess, translate and compile a source."""
        if is_c_source(command) and not wrapper:
            self.compile_c(self._compiler.preprocess_c(command))
        else:
            self.compile(self._compiler.translate(command, numbers, wrapper))

    def translate_neighbour(
        self, command: CompileCommand, numbers: KernelNumbers
    ) -> None:
        """Do so with what may be part of the program; linking shows whether it has to be."""
        try:
            self.translate(command, numbers)
        except BuildFailed as error:
            self._failure = self._failure or error

    def compile(self, text: str) -> None:
        """Compile a translated source."""
        name = f"source{len(self._objects)}"
        self._objects.append(self._compiler.compile_text(text, name))
        self.texts.append(text)

    def compile_c(self, text: str) -> None:
        """Compile a preprocessed source in C, whose functions have other names for a linker."""
        name = f"source{len(self._objects)}"
        self._objects.append(self._compiler.compile_c(text, name))
        self.c_texts.append(text)

    def link(self) -> bytes:
        """Return the executable."""
        words = (*self._objects, str(self._runtime), "-lm", "-lpthread", *_LINK_FLAGS)
        try:
            return self._compiler.link(words, "program").read_bytes()
        except BuildFailed as error:
            # why there is no such symbol says more than which one
            if self._failure is not None:
                raise self._failure from None
            if not self._calls_launcher:
                raise
            self.missing = str(error)

        refusing = self._define_missing(words)
        return self._compiler.link((refusing, *words), "program").read_bytes()

    def _define_missing(self, words: Sequence[str]) -> str:
        """Return an object with what is missing of PyTorch for objects that do not link."""
        messages = self._compiler.explain_link(words, "program")
        text = render_throwing_definitions(list_missing_torch_functions(messages))
        return self._compiler.compile_plain(text, "missing")


def is_c_source(command: CompileCommand) -> bool:
    """Tell whether a source is C for its own build, too: it has no device code."""
    return command.file.endswith(".c") and command.dialect is None


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
    compiler: Path,
    flags: tuple[str, ...],
    kind: tuple[str, ...],
    *,
    calls_launcher: bool = False,
) -> Path:
    """Return what all programs of these flags share: an object for the `kind` `-c`, a library
    for `-shared`.

    With `calls_launcher` it holds what searches for calls of a launcher, too. Raises
    `BuildFailed`.
    """
    argv = (*flags, *_RUNTIME_FLAGS, *kind)
    text = _RUNTIME_SOURCE + (_CALLS_SOURCE if calls_launcher else "")
    key = precompiled_key(text, compiler, argv)
    if key in _failed_keys():
        raise BuildFailed(COMPILE_ERROR, "the runtime does not compile")

    name = "runtime.o" if "-c" in kind else "libkernelset.so"

    def compile_runtime(folder: Path) -> bool:
        source = folder / "runtime.cpp"
        source.write_text(text)
        words = (str(compiler), *argv, str(source), "-o", name)
        limits = Limits(
            seconds=_CLOCK_FACTOR * _RUNTIME_SECONDS, cpu_seconds=_RUNTIME_SECONDS
        )
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
