"""What a project's build calls in place of nvcc, hipcc and its C++ compiler.

It is started as `python -m … TOOL WORD…`. A source with kernels is preprocessed, becomes host
C++ whose kernels run on the CPU model, and is compiled; what is linked has the model's runtime.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.builds.commands.normalise import normalise_command
from crawler.builds.sandbox_paths import CUDA_HOME, ROCM_HOME
from crawler.model import Dialect
from crawler.toolchains.clang_flags import get_dialect_defines
from crawler.validate.programs.host_build.host_source import (
    is_whole_source,
    translate_source,
)
from crawler.validate.suites.own_builds.inside.compiler_call import (
    CompilerCall,
    read_compiler_call,
)
from crawler.validate.suites.own_builds.inside.host_calls import (
    LINK_WORDS,
    RUNTIME,
    Settings,
    drop_standard,
    map_path,
    run_host_compiler,
)
from crawler.validate.suites.own_builds.inside.precompiled_prefix import (
    compile_translated,
)
from crawler.validate.suites.own_builds.inside.shared_numbers import (
    SharedKernelNumbers,
)
from crawler.validate.suites.own_builds.stand_in_paths import (
    KERNELS_FILE,
    RESULTS_MOUNT,
    SETTINGS_FILE,
)

_PRELUDES: Final = {Dialect.CUDA: "kernelset/cuda.cuh", Dialect.HIP: "kernelset/hip.h"}
_PROBES: Final = {
    "nvcc": f"{CUDA_HOME}/bin/nvcc-probe",
    "hipcc": f"{ROCM_HOME}/bin/hipcc-probe",
}
"""Programs that answer where a build asks which compiler it has."""
_PROBE_WORDS: Final = ("--version", "-V", "--help", "-h")
# CMake's own sources, which tell it what the compiler is
_PROBE_SOURCE: Final = "CMakeCUDACompilerId"
_PROBE_OBJECT: Final = "CMakeCUDACompilerABI"
_FAILED: Final = 1


def main(tool: str, words: list[str]) -> int:
    """Do what `tool` does; return its exit code."""
    text = (Path(CUDA_HOME) / SETTINGS_FILE).read_text()
    content = json.loads(text)
    settings = Settings(
        clang=content["clang"],
        device_flags=tuple(content["device_flags"]),
        host_flags=tuple(content["host_flags"]),
    )
    if tool in _PROBES and _is_probe(words):
        return _run([_PROBES[tool], *words, RUNTIME])

    call = read_compiler_call(words, tool)
    if tool != "nvcc" and not call.has_device_source:
        return run_host_compiler(settings, words)

    try:
        return run_device_compiler(settings, call)
    except subprocess.CalledProcessError as error:
        return error.returncode or _FAILED


def _is_probe(words: list[str]) -> bool:
    if any(word in _PROBE_WORDS for word in words):
        return True
    names = [Path(word).name for word in words]
    if any(name.startswith(_PROBE_SOURCE) for name in names):
        return True
    # it reads off what is printed how nvcc links
    is_link = "-c" not in words and "-v" in words
    return is_link and any(name.startswith(_PROBE_OBJECT) for name in names)


def run_device_compiler(settings: Settings, call: CompilerCall) -> int:
    """Do what a call of a compiler of kernels asks for."""
    if call.mode == "device-code":
        sys.stderr.write("error: kernelset makes no device code\n")
        return _FAILED
    if call.mode in ("dependencies", "preprocess"):
        _preprocess(settings, call, call.sources[0], call.output, mode=call.mode)
        return 0
    if call.mode == "device-link":
        # kernels are linked as all else is
        return _run([settings.clang, "-x", "c++", "-c", "/dev/null", "-o", call.output])
    if call.mode == "object":
        for source in call.sources:
            output = call.output or call.name_object(source)
            _compile(settings, call, source, output)
        return 0

    return _link(settings, call)


def _link(settings: Settings, call: CompilerCall) -> int:
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for number, source in enumerate(call.sources):
            target = f"{folder}/{number}.o"
            # `nvcc a.cu -MD` has its dependencies elsewhere
            _compile(settings, replace(call, dependency_words=[]), source, target)
            objects.append(target)

        if call.mode == "archive":
            archived = [word for word in call.link_words if not word.startswith("-")]
            return _run(["ar", "rcs", call.output, *objects, *archived])

        output = call.output or "a.out"
        words = [*objects, *call.link_words, *LINK_WORDS]
        return _run([settings.clang, *words, "-o", output])


def _compile(settings: Settings, call: CompilerCall, source: str, output: str) -> None:
    if not call.is_device_source(source):
        words = _normalise(call)
        argv = [*call.dependency_words, "-c", source, "-o", output]
        code = run_host_compiler(settings, [*words, *argv])
        if code:
            raise subprocess.CalledProcessError(code, argv)
        return

    with tempfile.TemporaryDirectory() as folder:
        preprocessed = Path(folder) / "source.ii"
        _preprocess(settings, call, source, str(preprocessed), target=output)
        text = preprocessed.read_text("utf-8", "surrogateescape")
        numbers = SharedKernelNumbers(Path(RESULTS_MOUNT) / KERNELS_FILE)
        words = _normalise(call)
        is_whole = is_whole_source([*words, *call.compile_words])
        translated = translate_source(text, numbers.number_kernel, is_whole=is_whole)
        flags = settings.list_flags(words, is_device=True)
        compile_translated(settings.clang, flags, translated, Path(folder), output)


def _preprocess(
    settings: Settings,
    call: CompilerCall,
    source: str,
    output: str,
    *,
    mode: str = "preprocess",
    target: str = "",
) -> None:
    dialect = call.find_dialect(source)
    words = _normalise(call)
    dependency_words = list(call.dependency_words)
    if dependency_words and target and "-MT" not in dependency_words:
        dependency_words += ["-MT", target]
    if dependency_words and target and "-MF" not in dependency_words:
        dependency_words += ["-MF", str(Path(target).with_suffix(".d"))]

    argv = [
        settings.clang,
        *settings.list_flags(words, is_device=True),
        *("-include", _PRELUDES[dialect], "-include", "kernelset/cpu/ptx.h"),
        *drop_standard(words),
        *get_dialect_defines(dialect),
        *dependency_words,
        "-M" if mode == "dependencies" else "-E",
        # so that its own part is known by its path
        str(Path.cwd() / source),
        *(("-o", output) if output else ()),
    ]
    code = _run(argv)
    if code:
        raise subprocess.CalledProcessError(code, argv)


def _normalise(call: CompilerCall) -> list[str]:
    """Return what of a call clang is to know: macros, folders of headers, the standard."""
    command = ["nvcc", *call.compile_words]
    return normalise_command(command, map_path, lambda _: None).arguments


def _run(argv: list[str]) -> int:
    return subprocess.run(argv).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
