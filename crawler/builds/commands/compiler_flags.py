"""Flags of gcc, clang, nvcc, hipcc, icpx, nvc++ and cl, and their meaning for a parse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from crawler.builds.commands import arch_flags
from crawler.model import Dialect

# fmt: off
INCLUDE_FLAGS: Final = {
    "-I": "-I",
    "--include-path": "-I",
    "--include-directory": "-I",
    "-iquote": "-iquote",
    "-isystem": "-isystem",
    "--system-include": "-isystem",
    "-cxx-isystem": "-isystem",
    "-isystem-after": "-idirafter",
    "-idirafter": "-idirafter",
    "--include-directory-after": "-idirafter",
}
"""Spellings of flags with an include path, by what clang calls them."""
FORCED_INCLUDE_FLAGS: Final = {
    "-include": "-include",
    "--pre-include": "-include",
    "--include": "-include",
    "-imacros": "-imacros",
}
MACRO_FLAGS: Final = {
    "-D": "-D",
    "--define-macro": "-D",
    "--define": "-D",
    "-U": "-U",
    "--undefine-macro": "-U",
    "--undef": "-U",
}
FORWARDING_FLAGS: Final = frozenset(
    {"-Xcompiler", "--compiler-options", "-Xpreprocessor", "-Xarch_host", "-Wp"}
)
"""Their value holds flags of another compiler."""
LANGUAGE_FLAGS: Final = frozenset({"-x", "--language", "--x"})
LANGUAGE_DIALECTS: Final = {
    "cu": Dialect.CUDA,
    "cuda": Dialect.CUDA,
    "hip": Dialect.HIP,
}
STANDARD_FLAGS: Final = frozenset({"-std", "--std"})
# the value of `-std`
STANDARD_PATTERN: Final = re.compile(r"(?:c|gnu)(?:\+\+)?(?:\d[\da-z]|latest)")
_PATH_FLAGS: Final = frozenset({
    "-o", "-MF", "-MT", "-MQ", "-MJ", "-L", "-l", "-T", "-u", "-z", "-B", "-F", "-target",
    "-framework", "-iframework", "-isysroot", "--sysroot", "-iprefix", "-iwithprefix",
    "-iwithprefixbefore", "-imultilib", "-include-pch", "-ivfsoverlay", "-vfsoverlay",
    "--config", "-specs", "--specs", "-wrapper", "-fplugin", "-dumpbase", "-dumpdir",
    "-dumpbase-ext", "-aux-info", "--serialize-diagnostics", "-working-directory",
    "-resource-dir", "-load", "--output-file", "-odir", "--output-directory",
    "--dependency-output", "--dependency-target-name", "-keep-dir", "--keep-dir", "-ldir",
    "-ccbin", "--compiler-bindir", "--library-path", "--library", "--libdevice",
    "--libdevice-directory", "-nvvmdir", "-archbin", "--archiver-binary", "-time", "--time",
    "-idp",
})
"""Flags whose next word is a path, a library or a program."""
_OPTION_FLAGS: Final = frozenset({
    "-t", "--threads", "-maxrregcount", "--maxrregcount", "-arch-list", "-mllvm", "--param",
    "-A", "-G0", "--machine", "-m", "-cudart", "--cudart", "-cudadevrt", "--cudadevrt",
    "--optimize", "-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt",
    "-fmad", "--fmad", "-default-stream", "--default-stream", "-rdc",
    "--relocatable-device-code", "-split-compile", "--split-compile", "--ptxas-options",
    "--nvlink-options", "--linker-options", "--run-args", "-run-args", "--archive-options",
    "--input-drive-prefix", "-diag-suppress", "--diag-suppress", "-diag-error",
    "--diag-error", "-diag-warn", "--diag-warn",
})
"""Flags whose next word is a number or a choice."""
_OPTIONS_BY_IMPLIED_MACRO: Final = {
    "__CUDACC_RELAXED_CONSTEXPR__": ("expt-relaxed-constexpr",),
    "__CUDACC_EXTENDED_LAMBDA__": ("expt-extended-lambda", "extended-lambda"),
    "__CUDACC_RDC__": ("dc", "device-c", "dw", "device-w"),
    "__CUDACC_DEBUG__": ("device-debug",),
    "_REENTRANT": ("pthread",),
}
IMPLIED_MACROS: Final = {
    f"{dash}{option}": f"-D{macro}"
    for macro, options in _OPTIONS_BY_IMPLIED_MACRO.items()
    for option in options
    for dash in ("-", "--")
}
"""Flags without a value for which nvcc or gcc predefine a macro."""
VALUE_IMPLIED_MACROS: Final = {
    ("rdc", "true"): "-D__CUDACC_RDC__",
    ("relocatable-device-code", "true"): "-D__CUDACC_RDC__",
    ("default-stream", "per-thread"): "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1",
}
KEPT_FLAGS: Final = frozenset({
    "-fexceptions", "-fno-exceptions", "-frtti", "-fno-rtti", "-fms-extensions",
    "-fsigned-char", "-funsigned-char", "-fshort-enums", "-fchar8_t", "-fno-char8_t",
    "-fdeclspec", "-fgnu-keywords", "-ffast-math", "-ansi",
})
"""Flags that change what a parse sees, spelt alike by gcc and clang."""
OUTPUT_FLAGS: Final = frozenset({
    "-c", "-o", "-MD", "-MMD", "-MP", "-M", "-MM", "-MF", "-MT", "-MQ", "-MJ", "-E", "-S",
})
"""Flags about the outputs of one command, which are left out of the log, too."""
# fmt: on

# a flag and its value in one word: `-Ipath`, and nvcc's `-I=path`
_JOINED_VALUE: Final = re.compile(
    r"(-I|-D|-U|-isystem|-iquote|-idirafter|-include|-imacros|-x)=?(.+)", re.DOTALL
)
_PASS_FLAG: Final = re.compile(r"-X[A-Za-z][\w-]*")
"""Hands its value to a pass or a tool: `-Xptxas -v`."""
# nvc++: `--c++17`
_LONG_STANDARD: Final = re.compile(r"--((?:c|gnu)\+\+\d[\da-z])")
_CL_FLAGS: Final = {
    "I": "-I",
    "external:I": "-isystem",
    "D": "-D",
    "U": "-U",
    "FI": "-include",
}
# `/Ipath`, `-std:c++17`: cl takes both signs, and a blank before some values
_CL_FLAG: Final = re.compile(r"[/-](I|external:I|D|U|FI|std:)[ ]*(.*)", re.DOTALL)
_CL_MACRO: Final = re.compile(r"/[DU][A-Za-z_]\w*(?:=.*)?", re.DOTALL)


def takes_value(name: str) -> bool:
    """Tell whether the word after a flag is its value."""
    return name in _VALUED_FLAGS or bool(_PASS_FLAG.fullmatch(name))


def split_flag(word: str) -> tuple[str, str | None]:
    """Split `-Ipath`, `-isystem=path`, `-Wp,-DX` and `--name=value` into their name and value."""
    if not word.startswith("-") or takes_value(word):
        return word, None
    if word.startswith("-Wp,"):
        return "-Wp", word[len("-Wp,") :]

    # --define-macro=X=1 has the macro X=1
    name, equals, value = word.partition("=")
    if equals and takes_value(name):
        return name, value

    # nvc++ spells the standard `--c++17`
    standard = _LONG_STANDARD.fullmatch(word)
    if standard is not None:
        return "-std", standard[1]

    # -Ipath, and nvcc's -I=path
    joined = _JOINED_VALUE.fullmatch(word)
    if joined is not None:
        return joined[1], joined[2]

    return word, None


def translate_cl_words(words: Iterable[str]) -> Iterator[str]:
    """Spell the words of cl as others do: `/DX`, `/I path`, `/std:c++17`, `/FIfile`."""
    pending = iter(words)
    for word in pending:
        match = _CL_FLAG.fullmatch(word)
        if match is None:
            yield word
            continue

        name, value = match.groups()
        if name == "std:":
            yield f"-std={value}"
            continue

        yield _CL_FLAGS[name]
        yield value or next(pending, "")


def translate_cl_macro(word: str) -> str:
    """Spell `/DX` as others do where it stands among another compiler's words."""
    return f"-{word[1:]}" if _CL_MACRO.fullmatch(word) else word


_VALUED_FLAGS: Final = frozenset(
    {
        *INCLUDE_FLAGS,
        *FORCED_INCLUDE_FLAGS,
        *MACRO_FLAGS,
        *FORWARDING_FLAGS,
        *LANGUAGE_FLAGS,
        *STANDARD_FLAGS,
        *arch_flags.ARCH_FLAGS,
        *_PATH_FLAGS,
        *_OPTION_FLAGS,
    }
)
