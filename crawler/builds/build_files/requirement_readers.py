"""Read the version requirements of one metadata file, environment or Dockerfile."""

from __future__ import annotations

import ast
import configparser
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement

from crawler.builds.build_files.toml_documents import parse_toml

_MAX_LINES: Final = 3000
_MAX_REQUIREMENT_CHARS: Final = 300
_COMPONENTS: Final = {
    "torch": "torch",
    "pytorch": "torch",
    "numpy": "numpy",
    "setuptools": "setuptools",
    "python": "python",
    "cuda": "cuda",
    "cudatoolkit": "cuda",
    "cuda-toolkit": "cuda",
    "pytorch-cuda": "cuda",
    "cuda-version": "cuda",
    "rocm": "rocm",
    "hip": "rocm",
}
"""What packages of pip and conda are called here."""

_VERSION: Final = r"(\d{1,3}(?:\.\d{1,3}){0,2})"
# a Dockerfile
_FROM_LINE: Final = re.compile(
    r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)?(\S{1,200})", re.MULTILINE | re.IGNORECASE
)
# e.g. rocm/pytorch:rocm5.6_ubuntu20.04_py3.8_pytorch_2.0.1
_IMAGE_VERSIONS: Final = (
    # not the 22.04 of rocm/dev-ubuntu-22.04:5.7
    (
        "rocm",
        re.compile(
            rf"rocm(?:[-_][a-z]+)?:{_VERSION}|rocm[-_]?{_VERSION}"
            rf"|(?:^|/)rocm/(?:dev|rocm)[\w.-]*:{_VERSION}"
        ),
    ),
    ("cuda", re.compile(rf"(?:^|[/_-])cuda[:_-]?{_VERSION}")),
    ("torch", re.compile(rf"pytorch[:_-]{_VERSION}")),
    ("python", re.compile(rf"(?:^|/)python:{_VERSION}|_py{_VERSION}")),
)
_FIND_PACKAGE: Final = re.compile(
    r"\bfind_package[ \t]*\([ \t]*(CUDAToolkit|CUDA|hip|HIP|Torch|Python3?)[ \t]+"
    rf"{_VERSION}\b[ \t]*(EXACT\b)?"
)
_CMAKE_PACKAGES: Final = {
    "cudatoolkit": "cuda",
    "cuda": "cuda",
    "hip": "rocm",
    "torch": "torch",
    "python": "python",
}
# if(CUDA_VERSION VERSION_LESS 11.4) message(FATAL_ERROR "…")
_TOO_OLD_CHECK: Final = re.compile(
    r"(CUDA_VERSION|CUDAToolkit_VERSION|CMAKE_CUDA_COMPILER_VERSION|HIP_VERSION"
    r"|ROCM_VERSION|hip_VERSION)[}\"']*[ \t]+"
    rf"VERSION_LESS[ \t]+[\"']?{_VERSION}[\"']?[ \t]*\)"
    r"\s*message[ \t]*\([ \t]*FATAL_ERROR"
)
_CONDA_DEPENDENCY: Final = re.compile(
    rf"^[ \t]*-[ \t]*[\"']?([a-z][a-z-]{{1,30}})[ \t]*(=|==|>=|<=|<|>|~=){_VERSION}",
    re.MULTILINE,
)
_POETRY_CARET: Final = re.compile(rf"\^{_VERSION}")
# Blanks inside a line, for which configparser takes quadratic time.
_BLANKS: Final = re.compile(r"(?<=\S)[^\S\n]{2,}")
_REQUIREMENT_KEYWORDS: Final = ("install_requires", "setup_requires")


class RequirementMatch(NamedTuple):
    """A requirement as a reader finds it."""

    name: str
    specifier: str
    place: str
    """Where in the file it stands."""


RequirementReader = Callable[[str], Iterator[RequirementMatch]]
"""Yields the requirements of a file's text."""


def _parse_requirement(text: Any, place: str) -> Iterator[RequirementMatch]:
    """Yield the requirement of a line as pip reads it, nothing for libraries that do not count."""
    if not isinstance(text, str) or len(text) > _MAX_REQUIREMENT_CHARS:
        return

    try:
        requirement = Requirement(text.partition("#")[0].strip())
    except InvalidRequirement:
        return

    # `Torch` is torch, and `cuda_toolkit` cuda-toolkit
    name = _COMPONENTS.get(requirement.name.lower().replace("_", "-"))
    specifier = str(requirement.specifier)

    if name and specifier:
        yield RequirementMatch(name, specifier, place)


def _parse_requirements(texts: Any, place: str) -> Iterator[RequirementMatch]:
    if not isinstance(texts, list):
        return

    for text in texts[:_MAX_LINES]:
        yield from _parse_requirement(text, place)


def _read_pyproject(text: str) -> Iterator[RequirementMatch]:
    document = parse_toml(text)
    project = document.get("project", {})

    if project.get("requires-python"):
        requirement = f"python{project['requires-python']}"
        yield from _parse_requirement(requirement, "requires-python")

    build_system = document.get("build-system", {})
    yield from _parse_requirements(
        build_system.get("requires"), "build-system.requires"
    )
    yield from _parse_requirements(project.get("dependencies"), "dependencies")

    poetry = document.get("tool", {}).get("poetry", {})

    for name, dependency in poetry.get("dependencies", {}).items():
        # poetry spells `torch = "^2.0"` or `torch = {version = "^2.0", source = …}`
        version = dependency
        if isinstance(dependency, dict):
            version = dependency.get("version")

        if isinstance(version, str):
            specifier = _POETRY_CARET.sub(r">=\1", version)
            yield from _parse_requirement(name + specifier, "tool.poetry.dependencies")


def _read_setup_cfg(text: str) -> Iterator[RequirementMatch]:
    # `%` is no placeholder, and keys may stand twice
    config = configparser.ConfigParser(interpolation=None, strict=False)
    config.read_string(_BLANKS.sub(" ", text))
    python = config.get("options", "python_requires", fallback="")
    yield from _parse_requirement(f"python{python}", "python_requires")

    for keyword in _REQUIREMENT_KEYWORDS:
        requirements = config.get("options", keyword, fallback="")
        yield from _parse_requirements(requirements.splitlines(), keyword)


def _read_setup_py(text: str) -> Iterator[RequirementMatch]:
    """Yield what a `setup.py` passes to `setup` as literals, or by way of a variable."""
    with warnings.catch_warnings():
        # e.g. an invalid escape sequence in a string of the project's
        warnings.simplefilter("ignore")
        nodes = list(ast.walk(ast.parse(text)))

    variables = _collect_variables(nodes)

    for node in nodes:
        if not isinstance(node, ast.keyword):
            continue

        value = node.value
        # setup(install_requires=REQUIREMENTS)
        if isinstance(value, ast.Name):
            value = variables.get(value.id, value)

        if node.arg == "python_requires" and isinstance(value, ast.Constant):
            yield from _parse_requirement(f"python{value.value!s}", node.arg)
        elif node.arg in _REQUIREMENT_KEYWORDS and isinstance(
            value, ast.List | ast.Tuple
        ):
            yield from _parse_requirements(_list_constants(value), node.arg)


def _collect_variables(nodes: list[ast.AST]) -> dict[str, ast.expr]:
    variables: dict[str, ast.expr] = {}
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue

        target = node.targets[0]
        if isinstance(target, ast.Name):
            variables[target.id] = node.value

    return variables


def _list_constants(node: ast.List | ast.Tuple) -> list[Any]:
    return [element.value for element in node.elts if isinstance(element, ast.Constant)]


def _read_requirements_txt(text: str) -> Iterator[RequirementMatch]:
    for number, line in enumerate(text.splitlines()[:_MAX_LINES], 1):
        # options such as `-r other.txt`, and comments
        if line.lstrip().startswith(("-", "#")):
            continue

        yield from _parse_requirement(line, f"line {number}")


def _read_conda_environment(text: str) -> Iterator[RequirementMatch]:
    for package, operator, version in _CONDA_DEPENDENCY.findall(text):
        if package not in _COMPONENTS:
            continue

        # conda spells `python=3.8`
        specifier = f"=={version}" if operator == "=" else f"{operator}{version}"
        yield RequirementMatch(_COMPONENTS[package], specifier, "dependencies")


def _read_dockerfile(text: str) -> Iterator[RequirementMatch]:
    for image in _FROM_LINE.findall(text):
        place = f"FROM {image}"
        lower_image = image.lower()

        for name, pattern in _IMAGE_VERSIONS:
            for match in pattern.finditer(lower_image):
                # one of the alternatives has matched
                version = next(filter(None, match.groups()))
                yield RequirementMatch(name, f"=={version}", place)


def _read_cmake(text: str) -> Iterator[RequirementMatch]:
    for package, version, exact in _FIND_PACKAGE.findall(text):
        # Python3 is Python
        name = _CMAKE_PACKAGES[package.lower().rstrip("3")]
        operator = "==" if exact else ">="
        yield RequirementMatch(
            name=name,
            specifier=f"{operator}{version}",
            place=f"find_package({package} {version})",
        )

    for variable, version in _TOO_OLD_CHECK.findall(text):
        name = "cuda" if "CUDA" in variable else "rocm"
        yield RequirementMatch(
            name=name,
            specifier=f">={version}",
            place=f"{variable} VERSION_LESS {version}",
        )


READERS: Final[tuple[tuple[re.Pattern[str], RequirementReader], ...]] = (
    (re.compile(r"(?:^|/)pyproject\.toml$"), _read_pyproject),
    (re.compile(r"(?:^|/)setup\.cfg$"), _read_setup_cfg),
    (re.compile(r"(?:^|/)setup\.py$"), _read_setup_py),
    (re.compile(r"(?:^|/)(?:CMakeLists\.txt|[^/]+\.cmake)$"), _read_cmake),
    (
        re.compile(r"(?:^|/)requirements[^/]*\.txt$|(?:^|/)requirements/[^/]+\.txt$"),
        _read_requirements_txt,
    ),
    (
        re.compile(r"(?:^|/)environment[^/]*\.ya?ml$|(?:^|/)conda[^/]*\.ya?ml$"),
        _read_conda_environment,
    ),
    (
        re.compile(r"(?:^|/)(?:Dockerfile[^/]*|[^/]+\.[Dd]ockerfile)$"),
        _read_dockerfile,
    ),
)
"""Readers by the names of their files, the most trusted first."""
