"""Build a program of a project for this machine's CPU: preprocess, translate, compile, link."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler import headers, process, sandbox
from crawler.cpp.language_standard import requested_standard
from crawler.model import CompileCommand, Dialect
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_dialect_defines
from crawler.toolchains.cpu_flags import get_cpu_compile_flags
from crawler.validate.emulator.compile_program import COMPILE_LIMITS, open_work_folder
from crawler.validate.programs.host_source import KernelPlace, translate_source
from crawler.validate.programs.line_markers import split_by_origin
from crawler.validate.toolchains import compiler_messages
from crawler.validate.toolchains.precompiled_headers import precompiled_key

UNDEFINED_SYMBOL: Final = "undefined-symbol"
"""Code of a program whose sources do not link."""
_PROGRAM_FLAGS: Final = ("-DKERNELSET_PROGRAM=1",)
_PART_FLAGS: Final = ("-DKERNELSET_PART=1",)
_RUNTIME_FLAGS: Final = ("-DKERNELSET_PART=2", "-c")
_RUNTIME_SOURCE: Final = (
    "#include <kernelset/cuda.cuh>\n#include <kernelset/program/main.h>\n"
)
_PRELUDES: Final = {
    Dialect.CUDA: ("kernelset/cuda.cuh", "kernelset/cpu/ptx.h"),
    Dialect.HIP: ("kernelset/hip.h", "kernelset/cpu/ptx.h"),
}
_CHECKOUT: Final = "/checkout"
_WORK: Final = "/program"
_RUNTIME_SECONDS: Final = 120
_MAX_TEXT_BYTES: Final = 64 << 20
_MAX_OWN_LENGTH: Final = 8 << 20
"""Characters of a source that are the project's own: these are read token by token."""
_MAX_MESSAGE_LENGTH: Final = 500
_UNDEFINED: Final = re.compile(
    r"undefined reference to [^\n]*|undefined symbol: [^\n]*"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProgram:
    """A program of a project, or why there is none."""

    executable: bytes = b""
    kernels: tuple[KernelPlace, ...] = ()
    """Its kernels by their numbers; paths are relative to the checkout."""
    code: str = ""
    """Why there is none: `host-compile-error`, `undefined-symbol`, …; else empty."""
    message: str = ""


class _KernelNumbers:
    """Numbers of kernels, given out as they are met."""

    def __init__(self) -> None:
        self.places: dict[KernelPlace, int] = {}

    def __call__(self, place: KernelPlace) -> int:
        return self.places.setdefault(place, len(self.places))


class _BuildFailed(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def build_host_program(
    root: Path, commands: Sequence[CompileCommand], *, zero_locals: bool = False
) -> HostProgram:
    """Build the program that the sources of `commands` make together.

    `root` is the checkout. Its launches are traced and sanitised; local variables that nobody
    initialises hold zeros with `zero_locals`, else a pattern. What goes wrong is in the result.
    """
    clang = discovery.find_clang()
    if clang is None:
        return HostProgram(
            code="no-compiler", message="no clang++ of version 18 or newer"
        )

    numbers = _KernelNumbers()

    try:
        with open_work_folder() as work:
            flags = _list_flags(commands[0], zero_locals)
            runtime = _build_runtime(clang.path, flags)
            objects = [
                _compile_source(
                    root, command, number, clang.path, zero_locals, work, numbers
                )
                for number, command in enumerate(commands)
            ]
            _link(clang.path, objects, runtime, work)
            executable = (work / "program").read_bytes()
    except _BuildFailed as error:
        return HostProgram(code=error.code, message=str(error))

    return HostProgram(
        executable=executable,
        kernels=tuple(_name_in_checkout(place) for place in numbers.places),
    )


def _name_in_checkout(place: KernelPlace) -> KernelPlace:
    path = Path(place.path)
    if path.is_absolute() and path.is_relative_to(_CHECKOUT):
        path = path.relative_to(_CHECKOUT)

    return KernelPlace(path=str(path), line=place.line)


def _list_flags(command: CompileCommand, zero_locals: bool) -> tuple[str, ...]:
    """Return the flags that all sources of a program share with its runtime."""
    flags = get_cpu_compile_flags(
        standard=requested_standard(command.arguments),
        lanes=32,
        trace=True,
        contract_floats=False,
        sanitise=True,
        fast_compile=True,
        zero_locals=zero_locals,
    )
    return (*flags, *_PROGRAM_FLAGS)


def _compile_source(
    root: Path,
    command: CompileCommand,
    number: int,
    compiler: Path,
    zero_locals: bool,
    work: Path,
    numbers: _KernelNumbers,
) -> str:
    """Return the name of the object file in `work` that a source becomes."""
    flags = (*_list_flags(command, zero_locals), *_PART_FLAGS)
    preprocessed = _preprocess(root, command, compiler, flags, work)
    text = translate_source(preprocessed, numbers)
    source = work / f"source{number}.ii"
    source.write_text(text, "utf-8", "surrogateescape")
    target = f"source{number}.o"
    # of several languages the last one counts
    language = ("-x", "c++-cpp-output")
    argv = (str(compiler), *flags, *language, "-c", source.name, "-o", target)
    completed = _run_compiler(argv, root, work, _WORK, (target,))
    if completed.exit_code or not (work / target).is_file():
        raise _explain(completed, "host-compile-error")

    return target


def _preprocess(
    root: Path,
    command: CompileCommand,
    compiler: Path,
    flags: tuple[str, ...],
    work: Path,
) -> str:
    preludes = _PRELUDES[command.dialect or Dialect.CUDA]
    included = [word for prelude in preludes for word in ("-include", prelude)]
    argv = (
        str(compiler),
        *flags,
        *_drop_standard(command.arguments),
        *get_dialect_defines(command.dialect),
        *included,
        "-E",
        f"{_CHECKOUT}/{command.file}",
        "-o",
        f"{_WORK}/source.ii",
    )
    directory = f"{_CHECKOUT}/{command.directory}"
    completed = _run_compiler(argv, root, work, directory, ("source.ii",))
    output = work / "source.ii"
    if completed.exit_code or not output.is_file():
        raise _explain(completed, "host-compile-error")
    if output.is_symlink() or output.stat().st_size > _MAX_TEXT_BYTES:
        raise _BuildFailed("too-large", "its preprocessed source is over 64 MiB")

    text = output.read_text("utf-8", "surrogateescape")
    own_length = sum(
        len(region.text) for region in split_by_origin(text) if not region.is_system
    )
    if own_length > _MAX_OWN_LENGTH:
        raise _BuildFailed("too-large", "the project's own part of it is over 8 MiB")

    return text


def _drop_standard(arguments: Sequence[str]) -> list[str]:
    """Return flags without the standard and language: one of our own is set."""
    kept: list[str] = []
    is_language = False

    for word in arguments:
        if is_language or word == "-x":
            is_language = word == "-x" and not is_language
            continue
        if not word.startswith(("-std=", "--std=")):
            kept.append(word)

    return kept


def _link(compiler: Path, objects: Sequence[str], runtime: Path, work: Path) -> None:
    argv = (str(compiler), *objects, str(runtime), "-o", "program", "-lm", "-lpthread")
    completed = _run_compiler(argv, None, work, _WORK, ("program",))
    if completed.exit_code or not (work / "program").is_file():
        raise _explain(completed, UNDEFINED_SYMBOL)


def _run_compiler(
    argv: tuple[str, ...],
    root: Path | None,
    work: Path,
    directory: str,
    results: tuple[str, ...],
) -> CompletedProcess:
    cache_folder = folders.ensure_cache_folder()
    mounts = [
        Mount(source=headers.ROOT, target=str(headers.ROOT)),
        Mount(source=cache_folder, target=str(cache_folder)),
        Mount(source=work, target=_WORK, writable=True, copy_back=results),
    ]
    if root is not None:
        mounts.append(Mount(source=root, target=_CHECKOUT))

    return sandbox.run(argv, mounts=mounts, cwd=directory, limits=COMPILE_LIMITS)


def _explain(completed: CompletedProcess, code: str) -> _BuildFailed:
    if completed.timed_out:
        return _BuildFailed("host-compile-timeout", "the compiler took too long")

    undefined = _UNDEFINED.search(completed.text)
    if undefined:
        return _BuildFailed(code, undefined[0][:_MAX_MESSAGE_LENGTH])

    diagnostics = compiler_messages.parse_diagnostics(completed.text)
    errors = [each for each in diagnostics if each.severity in ("error", "fatal")]
    message = errors[0].message if errors else completed.text.strip()

    return _BuildFailed(code, message[:_MAX_MESSAGE_LENGTH])


def _build_runtime(compiler: Path, flags: tuple[str, ...]) -> Path:
    """Return the object that all programs of these flags are linked with."""
    key = precompiled_key(_RUNTIME_SOURCE, compiler, (*flags, *_RUNTIME_FLAGS))
    if key in _failed_keys():
        raise _BuildFailed("host-compile-error", "the runtime does not compile")

    def compile_runtime(folder: Path) -> bool:
        source = folder / "runtime.cpp"
        source.write_text(_RUNTIME_SOURCE)
        argv = (str(compiler), *flags, *_RUNTIME_FLAGS, str(source), "-o", "runtime.o")
        limits = Limits(seconds=_RUNTIME_SECONDS)
        completed = process.run(argv, cwd=folder, limits=limits)
        return completed.exit_code == 0 and (folder / "runtime.o").is_file()

    folder = folders.get_or_build(
        f"program-runtime-{key}", compile_runtime, required_file="runtime.o"
    )
    if folder is None:
        _failed_keys().add(key)
        raise _BuildFailed("host-compile-error", "the runtime does not compile")

    return folder / "runtime.o"


@cache
def _failed_keys() -> set[str]:
    """Return the keys of what this process could not make: it is not tried twice."""
    return set()
