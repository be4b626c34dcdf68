"""Collect version requirements from packaging metadata, CMake files, conda environments and
Dockerfiles.
"""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

from packaging.requirements import InvalidRequirement, Requirement

from crawler.builds.checkout.source_tree import SourceTree, is_vendored
from crawler.model import VersionRequirement

_MOST_FILES: Final = 60
_MOST_LINES: Final = 3000
_LONGEST: Final = 300
_LARGEST: Final = 1 << 20
_MOST: Final = 200
_NAMES: Final = {
    "torch": "torch", "pytorch": "torch", "numpy": "numpy", "setuptools": "setuptools", "python": "python",
    "cuda": "cuda", "cudatoolkit": "cuda", "cuda-toolkit": "cuda", "pytorch-cuda": "cuda", "cuda-version": "cuda",
    "rocm": "rocm", "hip": "rocm",
}  # fmt: skip
_FROM: Final = re.compile(
    r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)?(\S{1,200})", re.MULTILINE | re.IGNORECASE
)
_VERSION: Final = r"(\d{1,3}(?:\.\d{1,3}){0,2})"
_IN_IMAGE: Final = (
    ("rocm", re.compile(rf"rocm[-_/a-z]*:?[-_]?{_VERSION}")),
    ("cuda", re.compile(rf"(?:^|[/_-])cuda[:_-]?{_VERSION}")),
    ("torch", re.compile(rf"pytorch[:_-]{_VERSION}")),
    ("python", re.compile(rf"(?:^|/)python:{_VERSION}|_py{_VERSION}")),
)
_FIND: Final = re.compile(
    rf"\bfind_package[ \t]*\([ \t]*(CUDAToolkit|CUDA|hip|HIP|Torch|Python3?)[ \t]+{_VERSION}\b[ \t]*(EXACT\b)?"
)
_FOUND: Final = {
    "cudatoolkit": "cuda",
    "cuda": "cuda",
    "hip": "rocm",
    "torch": "torch",
    "python": "python",
}
_TOO_OLD: Final = re.compile(
    r"(CUDA_VERSION|CUDAToolkit_VERSION|CMAKE_CUDA_COMPILER_VERSION|HIP_VERSION|ROCM_VERSION|hip_VERSION)[}\"']*[ \t]+"
    rf"VERSION_LESS[ \t]+[\"']?{_VERSION}[\"']?[ \t]*\)\s*message[ \t]*\([ \t]*FATAL_ERROR"
)
_CONDA: Final = re.compile(
    rf"^[ \t]*-[ \t]*[\"']?([a-z][a-z-]{{1,30}})[ \t]*(=|==|>=|<=|<|>|~=){_VERSION}",
    re.MULTILINE,
)
_CARET: Final = re.compile(rf"\^{_VERSION}")
_KEYWORDS: Final = ("install_requires", "setup_requires")

RequirementReader = Callable[[str], Iterator[tuple[str, str, str]]]
"""Yields (name, specifier, where in the file) of a text."""


def find_version_requirements(tree: SourceTree) -> Iterator[VersionRequirement]:
    """Yield what each file asks for, metadata of the package first, containers last."""
    seen: set[tuple[str, str]] = set()
    for pattern, reader in _READERS:
        named = (
            path
            for path in tree.files
            if pattern.search(path) and path.count("/") <= 3 and not is_vendored(path)
        )
        for path, _ in zip(
            sorted(named, key=lambda path: (path.count("/"), path)),
            range(_MOST_FILES),
            strict=False,
        ):
            for name, specifier, where in _read(
                reader, tree.read_text(path)[:_LARGEST]
            ):
                if len(seen) < _MOST and (name, specifier) not in seen:
                    seen.add((name, specifier))
                    yield VersionRequirement(
                        name=name, asked=specifier, evidence=f"{path}: {where}"
                    )


def find_pkg_resources_import(tree: SourceTree) -> str:
    """Return the outermost `setup.py` that imports `pkg_resources`, empty where none does."""
    named = (path for path in tree.find_named("setup.py") if not is_vendored(path))
    wanted = re.compile(r"^[ \t]*(?:import|from)[ \t]+pkg_resources\b", re.MULTILINE)
    return next((path for path in named if wanted.search(tree.read_text(path))), "")


def _read(reader: RequirementReader, text: str) -> Iterator[tuple[str, str, str]]:
    try:
        yield from reader(text)
    except (
        ValueError,
        TypeError,
        AttributeError,
        RecursionError,
        MemoryError,
        SyntaxError,
        configparser.Error,
    ):
        return


def _requirement(text: Any, where: str) -> Iterator[tuple[str, str, str]]:
    if not isinstance(text, str) or len(text) > _LONGEST:
        return
    try:
        read = Requirement(text.partition("#")[0].strip())
    except InvalidRequirement:
        return
    name = _NAMES.get(read.name.lower().replace("_", "-"))
    if name and str(read.specifier):
        yield name, str(read.specifier), where


def _requirements(texts: Any, where: str) -> Iterator[tuple[str, str, str]]:
    for text in texts[:_MOST_LINES] if isinstance(texts, list) else []:
        yield from _requirement(text, where)


def _pyproject(text: str) -> Iterator[tuple[str, str, str]]:
    told = tomllib.loads(text)
    project = told.get("project", {})
    if project.get("requires-python"):
        yield from _requirement(
            f"python{project['requires-python']}", "requires-python"
        )
    yield from _requirements(
        told.get("build-system", {}).get("requires"), "build-system.requires"
    )
    yield from _requirements(project.get("dependencies"), "dependencies")
    poetry = told.get("tool", {}).get("poetry", {}).get("dependencies", {})
    for name, asked in poetry.items():
        version = asked.get("version") if isinstance(asked, dict) else asked
        if isinstance(version, str):
            yield from _requirement(
                name + _CARET.sub(r">=\1", version), "tool.poetry.dependencies"
            )


def _setup_cfg(text: str) -> Iterator[tuple[str, str, str]]:
    read = configparser.ConfigParser(interpolation=None, strict=False)
    read.read_string(text)
    yield from _requirement(
        "python" + read.get("options", "python_requires", fallback=""),
        "python_requires",
    )
    for key in _KEYWORDS:
        yield from _requirements(
            read.get("options", key, fallback="").splitlines(), key
        )


def _setup_py(text: str) -> Iterator[tuple[str, str, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = [*ast.walk(ast.parse(text))]
    assigned = (
        (one.targets[0], one.value) for one in nodes if isinstance(one, ast.Assign)
    )
    named = {
        target.id: value for target, value in assigned if isinstance(target, ast.Name)
    }
    for node in (one for one in nodes if isinstance(one, ast.keyword)):
        value = (
            named.get(node.value.id, node.value)
            if isinstance(node.value, ast.Name)
            else node.value
        )
        if node.arg == "python_requires" and isinstance(value, ast.Constant):
            yield from _requirement(f"python{value.value!s}", node.arg)
        elif node.arg in _KEYWORDS and isinstance(value, ast.List | ast.Tuple):
            texts = [one.value for one in value.elts if isinstance(one, ast.Constant)]
            yield from _requirements(texts, node.arg)


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(text.splitlines()[:_MOST_LINES], 1):
        if not line.lstrip().startswith(("-", "#")):
            yield from _requirement(line, f"line {number}")


def _conda(text: str) -> Iterator[tuple[str, str, str]]:
    for name, operator, version in _CONDA.findall(text):
        if name in _NAMES:
            yield (
                _NAMES[name],
                f"{'==' if operator == '=' else operator}{version}",
                "dependencies",
            )


def _dockerfile(text: str) -> Iterator[tuple[str, str, str]]:
    for image in _FROM.findall(text):
        for name, pattern in _IN_IMAGE:
            for found in pattern.finditer(image.lower()):
                yield name, f"=={next(filter(None, found.groups()))}", f"FROM {image}"


def _cmake(text: str) -> Iterator[tuple[str, str, str]]:
    for package, version, exact in _FIND.findall(text):
        name = _FOUND[package.lower().rstrip("3")]
        yield (
            name,
            f"{'==' if exact else '>='}{version}",
            f"find_package({package} {version})",
        )
    for variable, version in _TOO_OLD.findall(text):
        yield (
            ("cuda" if "CUDA" in variable else "rocm"),
            f">={version}",
            f"{variable} VERSION_LESS {version}",
        )


_READERS: Final[tuple[tuple[re.Pattern[str], RequirementReader], ...]] = (
    (re.compile(r"(?:^|/)pyproject\.toml$"), _pyproject),
    (re.compile(r"(?:^|/)setup\.cfg$"), _setup_cfg),
    (re.compile(r"(?:^|/)setup\.py$"), _setup_py),
    (re.compile(r"(?:^|/)(?:CMakeLists\.txt|[^/]+\.cmake)$"), _cmake),
    (
        re.compile(r"(?:^|/)requirements[^/]*\.txt$|(?:^|/)requirements/[^/]+\.txt$"),
        _lines,
    ),
    (re.compile(r"(?:^|/)environment[^/]*\.ya?ml$|(?:^|/)conda[^/]*\.ya?ml$"), _conda),
    (re.compile(r"(?:^|/)(?:Dockerfile[^/]*|[^/]+\.[Dd]ockerfile)$"), _dockerfile),
)
