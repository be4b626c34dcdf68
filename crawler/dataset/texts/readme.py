"""The page in a folder of sources that says how they compile."""

from __future__ import annotations

from typing import Final

from crawler import headers
from crawler.dataset.texts.depth import Depth
from crawler.model import Dialect, Status
from crawler.toolchains.clang_flags import CALLED_CLANG, get_compile_flags

SOURCE_SUFFIXES: Final = {Dialect.CUDA.value: ".cu", Dialect.HIP.value: ".hip"}
_TARGETS: Final = {Dialect.CUDA: "sm_80", Dialect.HIP: "gfx90a"}
# beside the folder, which an export replaces only as long as it is as it was written
_OUTPUTS: Final = {Dialect.CUDA: "../kernel.ptx", Dialect.HIP: "../kernel.co"}
_DEVICE_LIBRARY: Final = (
    "--rocm-device-lib-path=${DEVICE_LIBS:-/usr/lib/x86_64-linux-gnu/amdgcn/bitcode}"
)
_KERNELS_ALONE: Final = """\
Each source here is a kernel alone, template-free, as the depth `pure` has it: to read, not to \
compile. At the
depths `unit` and `full` each kernel has one that compiles alone.
"""
_HEAD: Final = """\
Each kernel has a folder, and the source in it compiles alone, from this folder, with clang 18 \
or newer; `CXX` names
another than clang++-19. KERNEL is that source's name without its suffix, such as \
FOLDER/scale/scale. Under
`instantiations/` of a template are its texts for each set of arguments: to read, not to compile.
"""
_ADVICE: Final = """\
The first makes PTX, which is text, the second a code object. `DEVICE_LIBS` names AMD's device \
library where it is
not that of the package rocm-device-libs on x86-64, such as /opt/rocm/amdgcn/bitcode; HIP's \
headers are those of
libamdhip64-dev or of /opt/rocm. A source whose `.json` has another `standard` than c++17 takes \
that.
"""
_VERDICTS: Final = """\
The `.json` beside a source has its verdicts: `pass_call` says for each target whether it \
compiles, `pass_exe` for each
device what came of running one instantiation, with inputs that were made up for it. The `.json` \
of an instantiation
has what came of running that very one:
"""
_RUN_STATUSES: Final = (
    Status.PASS,
    Status.CONSISTENT,
    Status.CONDITIONAL,
    Status.FAIL,
    Status.UNSUPPORTED,
    Status.SKIPPED,
    Status.NOT_RUN,
)


def render_readme(depth: Depth = Depth.UNIT) -> str:
    """Return the page with a command for each dialect, to run from the folder."""
    if depth is Depth.PURE:
        return "\n".join([_KERNELS_ALONE, _explain_verdicts()])

    paragraphs = [_HEAD]
    for dialect in Dialect:
        suffix = SOURCE_SUFFIXES[dialect]
        flags = " ".join(_list_portable_flags(dialect))
        output = _OUTPUTS[dialect]
        command = f"{CALLED_CLANG} {flags} $KERNEL{suffix} -o {output}"
        paragraphs.append(f"    {command}\n")

    return "\n".join([*paragraphs, _ADVICE, _explain_verdicts()])


def _explain_verdicts() -> str:
    """Return what the statuses of runs mean, each on a line."""
    lines = [f"- `{status}`: {status.run_meaning}.\n" for status in _RUN_STATUSES]
    return "\n".join([_VERDICTS, "".join(lines)])


def _list_portable_flags(dialect: Dialect) -> list[str]:
    """Return the flags of a build, without folders of this machine."""
    target = _TARGETS[dialect]
    own_root = str(headers.ROOT)
    portable_flags: list[str] = []

    for flag in get_compile_flags(dialect, target):
        relative_flag = flag.replace(own_root, "include")
        is_include = relative_flag.startswith(("-I/", "-isystem/"))
        is_of_rocm = "rocm-device-lib-path" in relative_flag
        if is_include or is_of_rocm:
            continue

        portable_flags.append(relative_flag)

    if dialect is Dialect.HIP:
        portable_flags.append(_DEVICE_LIBRARY)

    return portable_flags
