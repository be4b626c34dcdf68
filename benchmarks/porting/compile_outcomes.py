"""Kernel units of packages and their compile outcomes, both cached."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from benchmarks.corpus.compile_db import fetch_package
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.extraction.launches import extract_facts
from benchmarks.json_lines import read_json_lines
from crawler import codec, headers, process
from crawler.cpp import language_standard
from crawler.extract.link import link_kernels
from crawler.extract.version import VERSION
from crawler.model import Dialect, Kernel, KernelUnit, Status
from crawler.process_limits import Limits
from crawler.ptx.instruction_tables import OPCODES
from crawler.ptx.program import parse_program
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags
from crawler.validate.build import build_unit
from crawler.validate.toolchains import compiler_messages
from crawler.validate.toolchains.precompiled_headers import (
    STALE_HEADER_PATTERN,
    find_prelude,
    precompile_prelude,
)

_LIMITS = Limits(seconds=120, memory_bytes=6 << 30)
_QUIET = ("-w", "-ferror-limit=20", "-fno-caret-diagnostics", "-fno-color-diagnostics")
_PLAIN_HEADERS = ("-Xclang", "-fno-cxx-modules")
_ASSEMBLY = re.compile(
    r'\basm (?:sideeffect )?(?:alignstack )?(?:inteldialect )?(?:unwind )?"([^"]*)"'
)
_ESCAPED = re.compile(r"\\[0-9A-Fa-f]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileOutcome:
    """What a compiler said of a unit."""

    passed: bool
    code: str = ""
    message: str = ""
    used: bool = False
    """Whether it is known what each kernel uses of a device."""


def load_kernels(name: str, folder: Path | None, state: Path) -> tuple[Kernel, ...]:
    """Return the kernels of a package of the corpus; extracted unless `state` has them, of
    whatever version.
    """
    if not kernel_files(name, state):
        with tempfile.TemporaryDirectory() as scratch:
            kernels = link_kernels(
                extract_facts(
                    fetch_package(name, corpus_versions()[name], folder, Path(scratch))
                )
            )
        _write_atomically(
            state / f"{name}-{VERSION}.json",
            codec.encode(tuple(replace(kernel, launches=()) for kernel in kernels)),
        )
    return codec.decode(kernel_files(name, state)[-1].read_bytes(), tuple[Kernel, ...])


def kernel_files(name: str, state: Path) -> list[Path]:
    """Return where the kernels of a package lie, the newest last: here, or as
    `benchmarks.kernel_units.units` kept them.
    """
    own = sorted(
        state.glob(f"{name}-[0-9]*.json"),
        key=lambda path: int(path.stem.rpartition("-")[2]),
    )
    return [
        *sorted(
            state.glob(f"{name}.*.kernels.json"), key=lambda path: path.stat().st_mtime
        ),
        *own,
    ]


def select_cuda_units(kernels: Sequence[Kernel]) -> dict[str, KernelUnit]:
    """Return the distinct CUDA units by digest, in order."""
    units = (kernel.unit for kernel in kernels)
    return {
        unit.digest: unit
        for unit in units
        if unit is not None and unit.dialect is Dialect.CUDA
    }


class CompileOutcomes:
    """Compiles units, and keeps in `state` how that ended: what was asked before is answered at
    once.
    """

    def __init__(self, state: Path) -> None:
        self._path = state / "outcomes.jsonl"
        self._known = {
            row["key"]: CompileOutcome(**row["outcome"])
            for row in read_json_lines(self._path, end="}}")
        }

    def parse_unit(self, unit: KernelUnit, target: str) -> CompileOutcome:
        """Return whether a unit's templates, instantiated for `target`, have no error; nothing
        is generated.
        """
        return self._get_outcome(
            f"parsed {target} {_digest(unit)}", unit, target, _parse_only
        )

    def compile_reached_code(self, unit: KernelUnit, target: str) -> CompileOutcome:
        """Return whether what a unit's kernels reach has no error, and no assembly of NVIDIA's:
        code, not optimised.
        """
        return self._get_outcome(
            f"reached {target} {_digest(unit)}", unit, target, _compile_reached
        )

    def build_unit(
        self, unit: KernelUnit, target: str, validator_name: str
    ) -> CompileOutcome:
        """Return the verdict of a build in earnest by the validator of that name."""
        return self._get_outcome(
            f"built {target} {validator_name} {_digest(unit)}",
            unit,
            target,
            partial(_build_in_earnest, by=validator_name),
        )

    def _get_outcome(
        self,
        about: str,
        unit: KernelUnit,
        target: str,
        ask: Callable[[KernelUnit, str], CompileOutcome],
    ) -> CompileOutcome:
        key = hashlib.sha256(
            f"{about} {_get_headers_digest(unit.dialect)} {discovery.find_clang()}".encode()
        ).hexdigest()
        if key not in self._known:
            outcome = self._known[key] = ask(unit, target)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open(
                "ab"
            ) as outcomes_file:  # an interrupted run may have left half a line
                outcomes_file.write(
                    b"\n" + codec.encode({"key": key, "outcome": outcome}) + b"\n"
                )
        return self._known[key]


def _parse_only(unit: KernelUnit, target: str) -> CompileOutcome:
    return _compile(unit, target, ("-fsyntax-only",))


def _compile_reached(unit: KernelUnit, target: str) -> CompileOutcome:
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "unit.ll")
        unoptimised = (
            "-S",
            "-emit-llvm",
            "-O0",
            "-Xclang",
            "-disable-llvm-passes",
            "-o",
            str(code),
        )
        outcome = _compile(unit, target, unoptimised)
        assembly = next(_find_nvidia_assembly(code), "") if outcome.passed else ""
    return (
        CompileOutcome(
            passed=False, code="assembly", message=f"assembly: {assembly}"[:500]
        )
        if assembly
        else outcome
    )


def _find_nvidia_assembly(code: Path) -> Iterator[str]:
    """Yield the assembly of NVIDIA's machines in a text of LLVM's."""
    with code.open(errors="replace") as lines:
        for line in lines:
            for match in _ASSEMBLY.finditer(line):
                template = _ESCAPED.sub(" ", match[1]).replace("$", "%").strip()
                names = [
                    instruction.opcode.partition(".")[0]
                    for instruction in parse_program(template)
                ]
                if any(names) and set(names) - {""} <= OPCODES:
                    yield template


def _compile(
    unit: KernelUnit, target: str, output_flags: Sequence[str]
) -> CompileOutcome:
    clang = discovery.find_clang()
    assert clang is not None
    flags = get_compile_flags(unit.dialect, target, unit.standard)
    flags += ("-nogpulib",) if unit.dialect is Dialect.HIP else ()
    flags += (
        _PLAIN_HEADERS if unit.standard != language_standard.DEFAULT_STANDARD else ()
    )
    prelude = find_prelude(unit.source)
    header = precompile_prelude(prelude, clang.path, flags) if prelude else None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "unit.hip" if unit.dialect is Dialect.HIP else "unit.cu")
        file.write_text(unit.source, "utf-8", "surrogateescape")
        for use in (("-include-pch", str(header)), ()) if header else ((),):
            argv = [str(clang.path), *flags, *use, *_QUIET, *output_flags, file.name]
            ended = process.run(argv, cwd=Path(folder), limits=_LIMITS)
            if not ended.exit_code or not STALE_HEADER_PATTERN.search(ended.text):
                break
    if ended.exit_code == 0:
        return CompileOutcome(passed=True)
    first_error = next(
        (
            diagnostic
            for diagnostic in compiler_messages.parse_diagnostics(ended.text)
            if diagnostic.severity in ("error", "fatal")
        ),
        None,
    )
    message = (
        f"{first_error.path}:{first_error.line}: {first_error.message}"
        if first_error
        else ended.text[-200:]
    )
    return CompileOutcome(
        passed=False,
        code="timeout" if ended.timed_out else "compile-error",
        message=message[:500],
    )


def _build_in_earnest(unit: KernelUnit, target: str, by: str) -> CompileOutcome:
    build = build_unit(unit, target, by).build
    verdict = build.pass_call
    used = bool(build.symbols) and {
        resource.symbol for resource in build.resources
    } >= set(build.symbols)
    return CompileOutcome(
        passed=verdict.status is Status.PASS,
        code=verdict.code,
        message=verdict.message,
        used=used,
    )


@cache
def _get_headers_digest(dialect: Dialect) -> str:
    """Return a digest of those of our headers that units of a dialect are compiled against."""
    state = hashlib.sha256()
    for path in headers.list_header_files():
        if path.relative_to(headers.ROOT).parts[0] in (str(dialect), "torch", "common"):
            state.update(path.read_bytes())
    return state.hexdigest()


def _digest(unit: KernelUnit) -> str:
    # a unit's digest is of its text; its standard is in it only where it is not the usual
    return hashlib.sha256(
        f"{unit.dialect} {unit.standard} {unit.digest}".encode()
    ).hexdigest()


def generalise_message(message: str) -> str:
    """Return a diagnostic without its place, and with what it quotes left out: the same for the
    same kind of fault.
    """
    return re.sub(r"'[^']*'", "'…'", re.sub(r"^\S*:\d+: ", "", message))[:160]


def _write_atomically(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_bytes(content)
    draft.replace(path)
