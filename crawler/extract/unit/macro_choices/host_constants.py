"""Define the constants that host code gives to the kernels of a file which it compiles at run time.

Such a file is none of the build's: its host code reads it as text, and hands its own constants to
the compiler as macros, by their names. The kernels are named there too, since they are asked for by
name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final

from crawler.checkout.source_scan import SOURCE_SUFFIXES, get_suffix
from crawler.cpp.identifiers import IDENTIFIER, WORD
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.operators.project_files import iter_project_files
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.macro_choices.declared_names import find_declared_names
from crawler.model import CompileCommand, FlagsOrigin, KernelFacts

# a pattern: host code of any kind is searched, and none of it is parsed
_CONSTANT: Final = re.compile(
    r"^[ \t]*((?:(?:static|inline|constexpr|const|unsigned|signed|int|long|short|uint|"
    r"(?:std::)?\w+_t)\s+){1,6})([A-Z][A-Z0-9_]*)\s*=\s*([^;{}\"'\n]{1,80});",
    re.MULTILINE,
)
# the right side of a constant: what may be computed without a parse of the file
_ARITHMETIC: Final = re.compile(r"[\w\s()+\-*/%<>&|]+")
_NUMBER: Final = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
_MAX_FILES: Final = 1_500
_MAX_FILE_BYTES: Final = 1 << 19
_MAX_DEPTH: Final = 4
"""Constants that a constant is computed from, one by the other."""
_MAX_LENGTH: Final = 1_000
"""Characters of a value: each constant may name others many times."""


def define_host_constants(
    command: CompileCommand,
    kernels: Iterable[KernelFacts],
    unit_text: UnitText,
    root: Path,
) -> CompileCommand:
    """Return a made-up command with macros for what kernels of its own file name and no file of
    the unit declares, where host code that names a kernel has constants called so.

    Those of the nearest folder count. A constant with two values there is left out.
    """
    if command.origin is not FlagsOrigin.SYNTHESISED:
        return command

    own_kernels = [
        kernel
        for kernel in kernels
        if kernel.span.path == command.file and kernel.closure
    ]
    defined_names = {
        argument[2:].partition("=")[0]
        for argument in command.arguments
        if argument.startswith("-D")
    }
    # what is defined already must not be asked for again: the file is read anew with it
    unknown_names = _list_unknown_names(own_kernels, unit_text) - defined_names
    if not unknown_names:
        return command

    kernel_names = {kernel.name for kernel in own_kernels}
    values: dict[str, str] = {}
    for constants in _iter_constants(command.file, kernel_names, unit_text, root):
        for name in unknown_names & constants.keys() - values.keys():
            values[name] = constants[name]

    flags = [f"-D{name}={value}" for name, value in sorted(values.items()) if value]
    return replace(command, arguments=(*command.arguments, *flags))


def _list_unknown_names(
    kernels: Iterable[KernelFacts], unit_text: UnitText
) -> set[str]:
    """Return the words in capitals in the units of kernels that no file declares."""
    words = {
        word
        for kernel in kernels
        if kernel.closure
        for word in IDENTIFIER.findall(kernel.closure.fragments[-1])
        if word.isupper()
    }
    texts = [unit_text.sources[path] for path in unit_text.files]
    for source in texts:
        words.difference_update(macro.name for macro in find_macros(source))

    for source in texts:
        if any(word in source.raw for word in words):
            words -= find_declared_names(source.raw)

    return words


def _iter_constants(
    path: str, kernel_names: Set[str], unit_text: UnitText, root: Path
) -> Iterator[Mapping[str, str]]:
    """Yield the constants of host code that names kernels, folder by folder, the nearest first.

    The value of one that is ambiguous, or is not computed from numbers alone, is empty.
    """
    searched = set(unit_text.files)
    remaining = _MAX_FILES
    for folder in PurePosixPath(path).parents:
        unsearched = (
            file
            for file in iter_project_files(root, str(folder))
            if file not in searched and get_suffix(file) in SOURCE_SUFFIXES
        )
        files = list(islice(unsearched, remaining))
        remaining -= len(files)
        searched.update(files)

        constants: dict[str, str] = {}
        for file in files:
            text = _read_text(root / file)
            if kernel_names.isdisjoint(IDENTIFIER.findall(text)):
                continue
            for name, value in _read_constants(text).items():
                is_same = constants.setdefault(name, value) == value
                constants[name] = value if is_same else ""

        yield constants


def _read_text(file: Path) -> str:
    if file.is_symlink() or not file.is_file() or file.stat().st_size > _MAX_FILE_BYTES:
        return ""
    return file.read_text("latin-1")


def _read_constants(text: str) -> dict[str, str]:
    expressions: dict[str, str] = {}
    for declared, name, expression in _CONSTANT.findall(text):
        if "const" not in declared:
            continue
        is_same = expressions.setdefault(name, expression) == expression
        expressions[name] = expression if is_same else ""

    return {name: _compute(name, expressions) for name in expressions}


def _compute(name: str, expressions: Mapping[str, str], depth: int = 0) -> str:
    """Return a constant's expression with the constants in it replaced; empty where one is none."""
    expression = expressions.get(name, "").strip()
    if depth > _MAX_DEPTH or not _ARITHMETIC.fullmatch(expression):
        return ""

    for word in dict.fromkeys(WORD.findall(expression)):
        if _NUMBER.fullmatch(word):
            continue
        value = _compute(word, expressions, depth + 1)
        if not value:
            return ""
        expression = re.sub(rf"\b{word}\b", value, expression)
        if len(expression) > _MAX_LENGTH:
            return ""

    return expression if _NUMBER.fullmatch(expression) else f"({expression})"
