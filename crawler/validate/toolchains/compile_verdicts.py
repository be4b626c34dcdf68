"""Judge a compiler run: the verdict of a build, with a stable code for what went wrong."""

from __future__ import annotations

import re
from typing import Final

from crawler.libraries.remedies import explain_missing_headers
from crawler.model import Diagnostic, Dialect, KernelUnit, Status, Verdict
from crawler.validate.toolchains import compiler_messages, object_symbols
from crawler.validate.toolchains.sandboxed_compiler import CompilerRun, compile_limits

UNKNOWN_NAME_PATTERN: Final = re.compile(
    r"unknown type name|undeclared identifier|no template named|no (?:type|member) named|undefined"
)
"""What a compiler says of a name that nothing declares."""

# the first name in what clang says: `use of undeclared identifier 'nvshmem_quiet'`
_QUOTED_NAME: Final = re.compile(r"'([A-Za-z_]\w*)")

# what clang and nvcc say of a launch in device code
_DEVICE_LAUNCH: Final = re.compile(
    r"reference to (?:__global__ function"
    r"|__host__ function '\w*(?:ConfigureCall|CallConfiguration)')"
    r"|kernel launch from __device__ or __global__ functions requires"
)
# the compiler's message on a name that nothing declares
_UNDECLARED: Final = re.compile(r"undeclared identifier '(\w+)'")
_LAUNCH_ADVICE: Final = (
    "a launch in device code takes a device linker: build it with nvcc -rdc=true"
)
_NO_IMAGES: Final = "The image/texture API not supported on the device"
# the beginning of a header's path
_CUDA_ONLY_HEADER: Final = re.compile(r"(?:cub|thrust/system/cuda|cuda|nv)/")
_MAX_MESSAGE_LENGTH: Final = 500
_MAX_LISTED_NAMES: Final = 5


def judge_compilation(
    unit: KernelUnit, compilation: CompilerRun
) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict, and the symbols of the object's kernels where it passes."""
    process = compilation.process
    if process.timed_out:
        message = f"no result after {compile_limits(unit).cpu_seconds} s of a processor"
        return fail("compile-timeout", message), ()
    if process.exit_code or not compilation.object:
        return _explain_by_port(unit, _explain_failure(compilation)), ()

    if unit.dialect is Dialect.CUDA:
        # PTX is not linked: nobody else says that a function is missing.
        undefined = object_symbols.list_undefined_functions(compilation.object)
        if undefined:
            names = ", ".join(undefined[:_MAX_LISTED_NAMES])
            return fail("link-error", f"undefined: {names}"), ()

    symbols = object_symbols.list_kernel_symbols(compilation.object)
    missing_entry = _find_missing_entry(unit, symbols)
    if missing_entry:
        message = f"the object has no entry for {missing_entry}"
        return fail("entry-missing", message), ()

    return Verdict(status=Status.PASS), symbols


def fail(code: str, message: str) -> Verdict:
    """Return a verdict that says why there is no object."""
    return Verdict(status=Status.FAIL, code=code, message=message)


def _explain_failure(compilation: CompilerRun) -> Verdict:
    # The order counts: a compiler without memory often says that it crashed, too.
    log = compilation.log
    message = _first_error(log)
    if "out of memory" in log or "std::bad_alloc" in log:
        return fail("compile-memory", message)
    if _has_crashed(compilation):
        return fail("compile-crashed", message)
    if "error in backend" in log:
        return fail("backend-error", message)
    if "lld: error" in log or "ld.lld" in message:
        return fail("link-error", message)
    if _DEVICE_LAUNCH.search(message):
        return _say_device_launch(message)
    if _NO_IMAGES in message:
        advice = (
            "this device has no image instructions: build it for one that has, "
            "such as gfx90a or gfx1100"
        )

        return _say_unsupported("no-images", f"{message}; {advice}")

    return fail("compile-error", message)


def _has_crashed(compilation: CompilerRun) -> bool:
    if compilation.process.exit_code < 0:  # ended by a signal
        return True

    log = compilation.log
    return "PLEASE submit a bug report" in log or "Stack dump:" in log


def _explain_by_port(unit: KernelUnit, verdict: Verdict) -> Verdict:
    """A port that was known to be impossible is unsupported; its own class says more than the
    compiler does.
    """
    if unit.port_report is None or not unit.port_report.blockers:
        return _explain_by_launch(unit, verdict)

    kind, line = unit.port_report.blockers[0]
    code = f"port-{kind.replace('_', '-')}"

    return _say_unsupported(code, f"{kind} in line {line}; {verdict.message}")


def _explain_by_launch(unit: KernelUnit, verdict: Verdict) -> Verdict:
    """A kernel that launches another one: a unit holds one kernel, so it lacks the other's name."""
    undeclared = _UNDECLARED.search(verdict.message)
    if undeclared:
        # in a text that the compiler refused: `fill<<<` and `fill<float, 4><<<`
        launch = rf"\b{undeclared[1]}\s*(?:<[^;{{}}]{{0,300}}>\s*)?<<<"
        if re.search(launch, unit.source):
            return _say_device_launch(verdict.message)

    return _explain_by_libraries(unit, verdict)


def _explain_by_libraries(unit: KernelUnit, verdict: Verdict) -> Verdict:
    """Headers of a library that are CUDA's alone are no fault of a unit for AMD."""
    is_for_amd = unit.dialect is Dialect.HIP and unit.installed_libraries
    if is_for_amd and _CUDA_ONLY_HEADER.match(verdict.message):
        return _say_unsupported(
            "library-dialect",
            f"{verdict.message}; this part of the library is for CUDA devices alone",
        )

    return _explain_by_missing_headers(unit, verdict)


def _explain_by_missing_headers(unit: KernelUnit, verdict: Verdict) -> Verdict:
    """Where a name is unknown and the project lacks headers, they are the reason."""
    missing = unit.missing_headers
    if verdict.code != "compile-error" or not missing:
        return verdict
    if not UNKNOWN_NAME_PATTERN.search(verdict.message):
        return verdict

    quoted_name = _QUOTED_NAME.search(verdict.message)
    explanation = explain_missing_headers(
        missing, unit.unavailable, name=quoted_name[1] if quoted_name else ""
    )
    return fail("missing-header", f"{verdict.message}; {explanation}")


def _say_device_launch(message: str) -> Verdict:
    return _say_unsupported("dynamic-parallelism", f"{message}; {_LAUNCH_ADVICE}")


def _say_unsupported(code: str, message: str) -> Verdict:
    return Verdict(status=Status.UNSUPPORTED, code=code, message=message)


def _first_error(log: str) -> str:
    """Return the first error of a log with its place, else the log's first line."""
    for diagnostic in compiler_messages.parse_diagnostics(log):
        if diagnostic.severity in ("error", "fatal"):
            return _format_diagnostic(diagnostic)[:_MAX_MESSAGE_LENGTH]

    lines = log.strip().splitlines() or ["the compiler said nothing"]
    return lines[0][:_MAX_MESSAGE_LENGTH]


def _format_diagnostic(diagnostic: Diagnostic) -> str:
    if not diagnostic.path:
        return diagnostic.message

    return f"{diagnostic.path}:{diagnostic.line}: {diagnostic.message}"


def _find_missing_entry(unit: KernelUnit, symbols: tuple[str, ...]) -> str:
    """Return what has no entry: by its mangled name, else by the kernel's own name and the
    number of its entries.
    """
    name = unit.kernel_name.rpartition("::")[2]
    # the Itanium ABI writes the length before a name: `_Z4blurIfEvPT_`
    mangled_part = f"{len(name)}{name}"
    own_symbols = [
        symbol for symbol in symbols if symbol == name or mangled_part in symbol
    ]
    if len(own_symbols) >= max(1, len(unit.instantiations)):
        return ""

    unmatched = [
        instantiation
        for instantiation in unit.instantiations
        if instantiation.symbol not in symbols
    ]

    if own_symbols and unmatched:
        return unmatched[0].label or name

    return name
