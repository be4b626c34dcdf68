"""The kernel units of packages, extracted once and kept; and what each compiles to, asked once and kept."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.compile_db import unpacked
from benchmarks.corpus import versions
from benchmarks.launches import facts_of
from crawler import codec, headers, process, standards, toolchain
from crawler.extract.link import link
from crawler.extract.version import VERSION
from crawler.headers.flags import compile_flags
from crawler.model import Dialect, Kernel, KernelUnit, Status
from crawler.port import ptx_program
from crawler.port.instructions import OPCODES
from crawler.process import Limits
from crawler.validate import messages
from crawler.validate.build import build
from crawler.validate.precompiled import STALE, precompiled, prelude_of

_LIMITS = Limits(seconds=120, memory_bytes=6 << 30)
_QUIET = ("-w", "-ferror-limit=20", "-fno-caret-diagnostics", "-fno-color-diagnostics")
_PLAIN_HEADERS = ("-Xclang", "-fno-cxx-modules")
_ASSEMBLY = re.compile(r'\basm (?:sideeffect )?(?:alignstack )?(?:inteldialect )?(?:unwind )?"([^"]*)"')
_ESCAPED = re.compile(r"\\[0-9A-Fa-f]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a compiler said of a unit."""

    passed: bool
    code: str = ""
    message: str = ""
    used: bool = False
    """Whether it is known what each kernel uses of a device."""


def kernels_of(name: str, folder: Path | None, state: Path) -> tuple[Kernel, ...]:
    """Return the kernels of a package of the corpus; extracted unless `state` has them, of whatever version."""
    if not kept(name, state):
        with tempfile.TemporaryDirectory() as scratch:
            found = link(facts_of(unpacked(name, versions()[name], folder, Path(scratch))))
        _write(state / f"{name}-{VERSION}.json", codec.encode(tuple(replace(kernel, launches=()) for kernel in found)))
    return codec.decode(kept(name, state)[-1].read_bytes(), tuple[Kernel, ...])


def kept(name: str, state: Path) -> list[Path]:
    """Return where the kernels of a package lie, the newest last: here, or as `benchmarks.units` kept them."""
    own = sorted(state.glob(f"{name}-[0-9]*.json"), key=lambda path: int(path.stem.rpartition("-")[2]))
    return [*sorted(state.glob(f"{name}.*.kernels.json"), key=lambda path: path.stat().st_mtime), *own]


def cuda_units(kernels: Sequence[Kernel]) -> dict[str, KernelUnit]:
    """Return the distinct CUDA units by digest, in order."""
    units = (kernel.unit for kernel in kernels)
    return {unit.digest: unit for unit in units if unit is not None and unit.dialect is Dialect.CUDA}


class Outcomes:
    """Compiles units, and keeps in `state` how that ended: what was asked before is answered at once."""

    def __init__(self, state: Path) -> None:
        self._path = state / "outcomes.jsonl"
        self._known = {row["key"]: Outcome(**row["outcome"]) for row in _rows(self._path)}

    def parsed(self, unit: KernelUnit, target: str) -> Outcome:
        """Return whether a unit's templates, instantiated for `target`, have no error; nothing is generated."""
        return self._asked(f"parsed {target} {_digest(unit)}", unit, target, _parsed)

    def reached(self, unit: KernelUnit, target: str) -> Outcome:
        """Return whether what a unit's kernels reach has no error, and no assembly of NVIDIA's: code, not optimised."""
        return self._asked(f"reached {target} {_digest(unit)}", unit, target, _reached)

    def built(self, unit: KernelUnit, target: str, by: str) -> Outcome:
        """Return the verdict of a build in earnest by the validator of that name."""
        return self._asked(f"built {target} {by} {_digest(unit)}", unit, target, partial(_built, by=by))

    def _asked(self, about: str, unit: KernelUnit, target: str, ask: Callable[[KernelUnit, str], Outcome]) -> Outcome:
        key = hashlib.sha256(f"{about} {_headers_of(unit.dialect)} {toolchain.clang()}".encode()).hexdigest()
        if key not in self._known:
            outcome = self._known[key] = ask(unit, target)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as kept:  # an interrupted run may have left half a line
                kept.write(b"\n" + codec.encode({"key": key, "outcome": outcome}) + b"\n")
        return self._known[key]


def _parsed(unit: KernelUnit, target: str) -> Outcome:
    return _compiled(unit, target, ("-fsyntax-only",))


def _reached(unit: KernelUnit, target: str) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "unit.ll")
        unoptimised = ("-S", "-emit-llvm", "-O0", "-Xclang", "-disable-llvm-passes", "-o", str(code))
        outcome = _compiled(unit, target, unoptimised)
        found = next(_nvidias(code), "") if outcome.passed else ""
    return Outcome(passed=False, code="assembly", message=f"assembly: {found}"[:500]) if found else outcome


def _nvidias(code: Path) -> Iterator[str]:
    """Yield the assembly of NVIDIA's machines in a text of LLVM's."""
    with code.open(errors="replace") as lines:
        for line in lines:
            for found in _ASSEMBLY.finditer(line):
                template = _ESCAPED.sub(" ", found[1]).replace("$", "%").strip()
                names = [each.opcode.partition(".")[0] for each in ptx_program.read(template)]
                if any(names) and set(names) - {""} <= OPCODES:
                    yield template


def _compiled(unit: KernelUnit, target: str, wanted: Sequence[str]) -> Outcome:
    clang = toolchain.clang()
    assert clang is not None
    flags = compile_flags(unit.dialect, target, unit.standard)
    flags += ("-nogpulib",) if unit.dialect is Dialect.HIP else ()
    flags += _PLAIN_HEADERS if unit.standard != standards.USUAL else ()
    prelude = prelude_of(unit.source)
    header = precompiled(prelude, clang.path, flags) if prelude else None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "unit.hip" if unit.dialect is Dialect.HIP else "unit.cu")
        file.write_text(unit.source, "utf-8", "surrogateescape")
        for use in (("-include-pch", str(header)), ()) if header else ((),):
            argv = [str(clang.path), *flags, *use, *_QUIET, *wanted, file.name]
            ended = process.run(argv, cwd=folder, limits=_LIMITS)
            if not ended.exit_code or not STALE.search(ended.text):
                break
    if ended.exit_code == 0:
        return Outcome(passed=True)
    said = next((each for each in messages.diagnostics(ended.text) if each.severity in ("error", "fatal")), None)
    message = f"{said.path}:{said.line}: {said.message}" if said else ended.text[-200:]
    return Outcome(passed=False, code="timeout" if ended.timed_out else "compile-error", message=message[:500])


def _built(unit: KernelUnit, target: str, by: str) -> Outcome:
    made = build(unit, target, by).build
    verdict = made.pass_call
    used = bool(made.symbols) and {each.symbol for each in made.resources} >= set(made.symbols)
    return Outcome(passed=verdict.status is Status.PASS, code=verdict.code, message=verdict.message, used=used)


@cache
def _headers_of(dialect: Dialect) -> str:
    """Return a digest of those of our headers that units of a dialect are compiled against."""
    state = hashlib.sha256()
    for path in headers.files():
        if path.relative_to(headers.ROOT).parts[0] in (str(dialect), "torch", "common"):
            state.update(path.read_bytes())
    return state.hexdigest()


def _digest(unit: KernelUnit) -> str:
    # a unit's digest is of its text; its standard is in it only where it is not the usual
    return hashlib.sha256(f"{unit.dialect} {unit.standard} {unit.digest}".encode()).hexdigest()


def group(message: str) -> str:
    """Return a diagnostic without its place, and with what it quotes left out: the same for the same kind of fault."""
    return re.sub(r"'[^']*'", "'…'", re.sub(r"^\S*:\d+: ", "", message))[:160]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        yield from (json.loads(line) for line in path.read_text().splitlines() if line.endswith("}}"))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_bytes(content)
    draft.replace(path)
