"""Compile a project's sources for this machine's CPU: preprocess, translate, compile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from crawler import cache, headers, sandbox
from crawler.cpp.language_standard import drop_standard
from crawler.headers.overlay import render_overlay, render_program_overlay
from crawler.model import CompileCommand, Dialect
from crawler.process import CompletedProcess
from crawler.sandbox import Mount
from crawler.toolchains import system_files
from crawler.toolchains.clang_flags import get_dialect_defines
from crawler.validate.emulator.compile_program import COMPILE_LIMITS
from crawler.validate.programs.host_build.build_failure import (
    COMPILE_ERROR,
    UNDEFINED_SYMBOL,
    BuildFailed,
    explain_failure,
)
from crawler.validate.programs.host_build.host_source import (
    KernelPlace,
    is_whole_source,
    translate_source,
)
from crawler.validate.programs.host_build.line_markers import join_own_text
from crawler.validate.programs.host_build.missing_headers import find_include_flags
from crawler.validate.programs.host_build.refused_defaults import mend_refused
from crawler.validate.programs.host_build.shared_prefix import (
    PrefixCompiler,
    is_refused,
    split_source,
)
from crawler.validate.toolchains.aligned_copies import (
    UNOPTIMISED_CODE,
    check_copies,
    may_misalign,
)

CHECKOUT: Final = "/checkout"
"""Where a compiler sees the project."""
_WORK: Final = "/program"
_WRAPPER: Final = "wrapper.cu"
_OVERLAY: Final = "overlay.json"
_C_FLAGS: Final = (
    "-O1",
    # what C compilers took for decades, and a new clang does not
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
)
_PART_FLAGS: Final = ("-DKERNELSET_PART=1",)
_PRELUDES: Final = {
    Dialect.CUDA: ("kernelset/cuda.cuh", "kernelset/cpu/ptx.h"),
    Dialect.HIP: ("kernelset/hip.h", "kernelset/cpu/ptx.h"),
}
_MAX_TEXT_BYTES: Final = 64 << 20
_MAX_OWN_LENGTH: Final = 8 << 20
"""Characters of a source that are the project's own: these are read token by token."""
_LINKER_BYTES: Final = 4 << 20
"""Of what a linker says: each object names each function that it lacks."""
_MAX_HEADER_ROUNDS: Final = 16
"""A preprocessor stops at the first header that is missing."""


class KernelNumbers:
    """Numbers of kernels, from `first` on, given out as they are met."""

    def __init__(self, first: int = 0) -> None:
        self._first = first
        self._numbers: dict[KernelPlace, int] = {}

    def number_kernel(self, place: KernelPlace) -> int:
        """Return the number of the kernel at `place`, the same whenever it is asked for."""
        return self._numbers.setdefault(place, self._first + len(self._numbers))

    def list_places(self) -> tuple[KernelPlace, ...]:
        """Return the kernels by their numbers; paths are relative to the checkout."""
        return tuple(_name_in_checkout(place) for place in self._numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCompiler:
    """A host compiler for the sources of one checkout.

    Its methods raise `BuildFailed`.
    """

    root: Path
    """The checkout."""
    compiler: Path
    work: Path
    """A folder for what it writes."""
    flags: tuple[str, ...]
    """Of every source, in front of its own."""
    system_flags: tuple[str, ...] = ()
    """Of every source, behind its own: where a library's headers are."""
    mounts: Sequence[Mount] = field(default=())
    """What a source needs beside the checkout."""
    is_own_build: bool = False
    """Whether sources are linked as the project's own build links them."""

    def translate(
        self, command: CompileCommand, numbers: KernelNumbers, wrapper: str = ""
    ) -> str:
        """Return a source as preprocessed host C++ whose kernels say their numbers.

        With `wrapper` it is that text, which includes the source, under the same flags.
        """
        preludes = _PRELUDES[command.dialect or Dialect.CUDA]
        included = [word for prelude in preludes for word in ("-include", prelude)]
        flags = (*_PART_FLAGS, *included)
        preprocessed = self._preprocess(command, flags, wrapper)
        is_whole = self.is_own_build and is_whole_source(command.arguments)
        return translate_source(preprocessed, numbers.number_kernel, is_whole=is_whole)

    def compile_text(self, text: str, name: str) -> str:
        """Compile what `translate` returned; return the object's name in `work`."""
        source = split_source(text)
        prefixes = PrefixCompiler(
            compiler=self.compiler,
            flags=(*self.flags, *_PART_FLAGS),
            work=self.work,
            run=lambda argv, result: self._run(argv, _WORK, result),
        )
        target = f"{name}.o"
        prefix_flags = prefixes.precompile(source.prefix)
        if prefix_flags:
            completed = self._compile(source.rest, name, prefix_flags)
        if not prefix_flags or is_refused(completed):
            completed = self._compile(text, name)
        mended = mend_refused(text, completed.text)
        if completed.exit_code and mended != text:
            # lines keep their numbers, so that each further try has fewer of them
            return self.compile_text(mended, name)
        if completed.exit_code or not (self.work / target).is_file():
            raise explain_failure(completed, COMPILE_ERROR)

        return target

    def _compile(
        self, text: str, name: str, prefix_flags: tuple[str, ...] = ()
    ) -> CompletedProcess:
        source = self.work / f"{name}.ii"
        source.write_text(text, "utf-8", "surrogateescape")
        target = f"{name}.o"
        flags = (*self.flags, *_PART_FLAGS)
        # of several languages the last one counts
        language = ("-x", "c++-cpp-output")
        if not may_misalign(join_own_text(text)):
            words = (*prefix_flags, *language, "-c", source.name, "-o", target)
            return self._run((str(self.compiler), *flags, *words), _WORK, target)

        code = self.work / f"{name}.ll"
        words = (*prefix_flags, *language, *UNOPTIMISED_CODE, source.name)
        argv = (str(self.compiler), *flags, *words, "-o", code.name)
        completed = self._run(argv, _WORK, code.name)
        if completed.exit_code or not code.is_file():
            return completed

        checked_code = check_copies(code.read_text("utf-8", "surrogateescape"))
        code.write_text(checked_code, "utf-8", "surrogateescape")
        words = ("-x", "ir", "-c", code.name, "-o", target)
        return self._run((str(self.compiler), *flags, *words), _WORK, target)

    def preprocess_host_source(self, command: CompileCommand) -> str:
        """Return a source without kernels, preprocessed as it stands."""
        return self._preprocess(command, (*_PART_FLAGS, "-DKERNELSET_HOST=1"))

    def preprocess_c(self, command: CompileCommand) -> str:
        """Return a source in C, preprocessed as it stands."""
        argv = (
            *(str(self.compiler), *_C_FLAGS, "-x", "c", "-std=gnu11"),
            *drop_standard(command.arguments),
            # a stand-in for OpenMP's header
            *("-idirafter", str(headers.ROOT / "cpu")),
            *("-E", f"{CHECKOUT}/{command.file}", "-o", f"{_WORK}/source.ii"),
        )
        return self._run_preprocessor(argv, command)

    def compile_c(self, text: str, name: str) -> str:
        """Compile what `preprocess_c` returned; return the object's name in `work`."""
        source, target = f"{name}.i", f"{name}.o"
        (self.work / source).write_text(text, "utf-8", "surrogateescape")
        words = ("-x", "cpp-output", "-std=gnu11", "-c", source, "-o", target)
        completed = self._run((str(self.compiler), *_C_FLAGS, *words), _WORK, target)
        if completed.exit_code or not (self.work / target).is_file():
            raise explain_failure(completed, COMPILE_ERROR)

        return target

    def compile_plain(self, text: str, name: str, flags: tuple[str, ...] = ()) -> str:
        """Compile C++ that is no translated source; return the object's name in `work`."""
        source, target = f"{name}.cpp", f"{name}.o"
        (self.work / source).write_text(text)
        argv = (str(self.compiler), *flags, "-c", source, "-o", target)
        completed = self._run(argv, _WORK, target)
        if completed.exit_code or not (self.work / target).is_file():
            raise explain_failure(completed, COMPILE_ERROR)

        return target

    def explain_link(self, argv: Sequence[str], target: str) -> str:
        """Return what the linker says of objects that do not link, with mangled names."""
        words = (str(self.compiler), *argv, "-Wl,--no-demangle", "-o", target)
        return self._run(words, _WORK, target, _LINKER_BYTES).text

    def link(self, argv: Sequence[str], target: str) -> Path:
        """Link objects in `work`; return the file."""
        completed = self._run((str(self.compiler), *argv, "-o", target), _WORK, target)
        if completed.exit_code or not (self.work / target).is_file():
            raise explain_failure(completed, UNDEFINED_SYMBOL)

        return self.work / target

    def _preprocess(
        self, command: CompileCommand, flags: tuple[str, ...], wrapper: str = ""
    ) -> str:
        source = f"{CHECKOUT}/{command.file}"
        overlay = render_program_overlay()
        if wrapper:
            source = f"{_WORK}/{_WRAPPER}"
            (self.work / _WRAPPER).write_text(wrapper)
            overlay = render_overlay()
        (self.work / _OVERLAY).write_text(overlay)

        argv = (
            str(self.compiler),
            *self.flags,
            *flags,
            *("-ivfsoverlay", f"{_WORK}/{_OVERLAY}"),
            *drop_standard(command.arguments),
            *get_dialect_defines(command.dialect),
            *self.system_flags,
            *("-E", source, "-o", f"{_WORK}/source.ii"),
        )
        return self._run_preprocessor(argv, command)

    def _run_preprocessor(self, argv: tuple[str, ...], command: CompileCommand) -> str:
        """Return what a preprocessor writes to `source.ii`, with headers that stand elsewhere."""
        directory = f"{CHECKOUT}/{command.directory}"
        completed = self._run(argv, directory, "source.ii")
        for _ in range(_MAX_HEADER_ROUNDS):
            added = find_include_flags(self.root, CHECKOUT, completed.text, argv)
            if not completed.exit_code or not added:
                break
            argv += added
            completed = self._run(argv, directory, "source.ii")

        output = self.work / "source.ii"
        if completed.exit_code or not output.is_file():
            raise explain_failure(completed, COMPILE_ERROR)

        return _read_preprocessed(output)

    def _run(
        self, argv: Sequence[str], directory: str, result: str, keep: int = 64 << 10
    ) -> CompletedProcess:
        cache_folder = cache.ensure_cache_folder()
        mounts = (
            Mount(source=headers.ROOT, target=str(headers.ROOT)),
            Mount(source=cache_folder, target=str(cache_folder)),
            Mount(source=self.root, target=CHECKOUT),
            *self.mounts,
            Mount(source=self.work, target=_WORK, writable=True, copy_back=(result,)),
        )
        return sandbox.run(
            argv,
            mounts=mounts,
            cwd=directory,
            limits=COMPILE_LIMITS,
            keep=keep,
            system=system_files.list_compiler_files(),
        )


def _name_in_checkout(place: KernelPlace) -> KernelPlace:
    path = Path(place.path)
    if path.is_absolute() and path.is_relative_to(CHECKOUT):
        path = path.relative_to(CHECKOUT)

    return KernelPlace(path=str(path), line=place.line)


def _read_preprocessed(output: Path) -> str:
    if output.is_symlink() or output.stat().st_size > _MAX_TEXT_BYTES:
        raise BuildFailed("too-large", "its preprocessed source is over 64 MiB")

    text = output.read_text("utf-8", "surrogateescape")
    if len(join_own_text(text)) > _MAX_OWN_LENGTH:
        raise BuildFailed("too-large", "the project's own part of it is over 8 MiB")

    return text
