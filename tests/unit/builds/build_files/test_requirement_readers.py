"""Each file that a project pins versions in is read as its own tool reads it."""

from __future__ import annotations

import pytest

from crawler.builds.build_files.requirement_readers import READERS


def read(path: str, text: str) -> list[tuple[str, str]]:
    """Return name and specifier of each requirement that the file at a path states."""
    for pattern, reader in READERS:
        if pattern.search(path):
            return [(match.name, match.specifier) for match in reader(text)]
    return []


def find_places(path: str, text: str) -> list[str]:
    """Return where in the file each requirement stands."""
    readers = [reader for pattern, reader in READERS if pattern.search(path)]
    return [match.place for match in readers[0](text)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["numpy>=1.2"]\n'),
        ("python/setup.cfg", "[options]\ninstall_requires = numpy>=1.2\n"),
        ("a/b/setup.py", "setup(install_requires=['numpy>=1.2'])\n"),
        ("requirements-dev.txt", "numpy>=1.2\n"),
        ("requirements/cuda.txt", "numpy>=1.2\n"),
        ("environment_gpu.yaml", "dependencies:\n  - numpy>=1.2\n"),
        ("conda-env.yml", "dependencies:\n  - numpy>=1.2\n"),
    ],
)
def test_files_are_known_by_their_names(path: str, text: str) -> None:
    assert read(path, text) == [("numpy", ">=1.2")]


@pytest.mark.parametrize(
    "path",
    ["mysetup.py", "setup.py.in", "requirements.md", "conda.txt", "pyproject.toml.j2"],
)
def test_other_files_state_nothing(path: str) -> None:
    text = "numpy>=1.2\nsetup(install_requires=['numpy>=1.2'])\n"
    assert read(path, text) == []


@pytest.mark.parametrize(
    ("line", "requirement"),
    [
        ("torch>=2.0,<2.4", [("torch", "<2.4,>=2.0")]),
        ("Torch == 1.13.1  # the last with CUDA 10", [("torch", "==1.13.1")]),
        ("numpy<2; python_version < '3.13'", [("numpy", "<2")]),
        ("torch[opt]~=2.1", [("torch", "~=2.1")]),
        # no version is asked for
        ("torch", []),
        ("torch @ https://example.org/torch.whl", []),
        # no library that flags depend on
        ("torchvision==0.15", []),
        ("-r other.txt", []),
        ("  # torch==1.0", []),
        ("torch==", []),
    ],
)
def test_a_line_is_read_as_pip_reads_it(
    line: str, requirement: list[tuple[str, str]]
) -> None:
    assert read("requirements.txt", f"ninja\n{line}\n") == requirement


def test_a_requirement_says_in_which_line_it_stands() -> None:
    text = "# pinned\n\nnumpy==1.26\n-e .\ntorch==2.1\n"
    assert find_places("requirements.txt", text) == ["line 3", "line 5"]


def test_only_the_first_lines_of_an_endless_list_are_read() -> None:
    lines = ["ninja"] * 2999 + ["numpy==1.26", "torch==2.1"]
    assert read("requirements.txt", "\n".join(lines)) == [("numpy", "==1.26")]


@pytest.mark.parametrize(("length", "is_read"), [(300, True), (301, False)])
def test_an_overlong_requirement_is_passed_over(length: int, is_read: bool) -> None:
    line = "torch==2.1".ljust(length - 1) + "#"
    assert bool(read("requirements.txt", line)) is is_read


def test_pyproject_states_python_build_tools_and_dependencies() -> None:
    text = """
[build-system]
requires = ["setuptools>=61", "torch==2.1.0", "ninja"]
[project]
requires-python = ">=3.9,<3.13"
dependencies = ["numpy<2", 7]
"""
    assert read("pyproject.toml", text) == [
        ("python", "<3.13,>=3.9"),
        ("setuptools", ">=61"),
        ("torch", "==2.1.0"),
        ("numpy", "<2"),
    ]
    assert find_places("pyproject.toml", text) == [
        "requires-python",
        "build-system.requires",
        "build-system.requires",
        "dependencies",
    ]


@pytest.mark.parametrize(
    ("dependency", "requirement"),
    [
        ('"^2.0"', [("torch", ">=2.0")]),
        ('"2.0.1"', []),
        ('">=1.13,<2.1"', [("torch", "<2.1,>=1.13")]),
        ('{version = "^1.12.1", source = "pytorch"}', [("torch", ">=1.12.1")]),
        ('{git = "https://example.org/torch.git"}', []),
        ("[1, 2]", []),
    ],
)
def test_poetry_writes_versions_in_its_own_way(
    dependency: str, requirement: list[tuple[str, str]]
) -> None:
    text = f"[tool.poetry.dependencies]\ntorch = {dependency}\n"
    assert read("pyproject.toml", text) == requirement
    places = ["tool.poetry.dependencies"] * len(requirement)
    assert find_places("pyproject.toml", text) == places


@pytest.mark.parametrize("requires", ['"torch==2.1"', "7", "{a = 1}"])
def test_a_list_that_is_none_states_nothing(requires: str) -> None:
    assert read("pyproject.toml", f"[build-system]\nrequires = {requires}\n") == []


def test_setup_cfg_states_lists_over_lines() -> None:
    text = """
[metadata]
name = waves %(version)s
[options]
python_requires = >=3.8
setup_requires =
    setuptools>=40
install_requires =
    torch>=1.10
    numpy    >=1.19
install_requires =
    torch>=1.11
"""
    assert read("setup.cfg", text) == [
        ("python", ">=3.8"),
        ("torch", ">=1.11"),
        ("setuptools", ">=40"),
    ]


def test_setup_cfg_without_options_states_nothing() -> None:
    assert read("setup.cfg", "[flake8]\nmax-line-length = 88\n") == []


def test_setup_py_is_read_and_not_run() -> None:
    text = """
import sys
REQUIRED = ["torch>=1.9", get_numpy(), "numpy>=1.17"]
raise SystemExit("this would end the reader")
setup(
    python_requires=">=3.7",
    install_requires=REQUIRED,
    setup_requires=("setuptools<60",),
    extras_require=["torch==9.9"],
    packages=["\\d"],
)
"""
    assert read("setup.py", text) == [
        ("python", ">=3.7"),
        ("torch", ">=1.9"),
        ("numpy", ">=1.17"),
        ("setuptools", "<60"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "setup(install_requires=read('requirements.txt'))",
        "setup(install_requires=REQUIRED)",
        "setup(python_requires=minimum)",
        "setup(install_requires='torch==1.0')",
        "REQUIRED, x = ['torch==1.0'], 1\nsetup(install_requires=REQUIRED)",
    ],
)
def test_what_only_a_run_would_tell_is_left_out(text: str) -> None:
    assert read("setup.py", text) == []


@pytest.mark.parametrize(
    ("line", "requirement"),
    [
        ("- python=3.8", [("python", "==3.8")]),
        ("- pytorch==1.12.1", [("torch", "==1.12.1")]),
        ("- 'cudatoolkit>=11.3'", [("cuda", ">=11.3")]),
        ("- pytorch-cuda=11.8", [("cuda", "==11.8")]),
        ("- cuda-version <12.4", [("cuda", "<12.4")]),
        ("- numpy ~=1.24", [("numpy", "~=1.24")]),
        ("- cmake=3.20", []),
        ("- pytorch", []),
        ("# - python=3.8", []),
    ],
)
def test_conda_calls_packages_by_other_names(
    line: str, requirement: list[tuple[str, str]]
) -> None:
    assert read("environment.yml", f"dependencies:\n  {line}\n") == requirement


@pytest.mark.parametrize(
    ("image", "requirements"),
    [
        ("nvidia/cuda:11.8.0-devel-ubuntu22.04", [("cuda", "==11.8.0")]),
        (
            "rocm/pytorch:rocm5.6_ubuntu20.04_py3.8_pytorch_2.0.1",
            [("rocm", "==5.6"), ("torch", "==2.0.1"), ("python", "==3.8")],
        ),
        ("pytorch/pytorch:2.1.0-cuda12.1", [("cuda", "==12.1"), ("torch", "==2.1.0")]),
        ("python:3.11-slim", [("python", "==3.11")]),
        ("rocm/dev-ubuntu-22.04:5.7-complete", [("rocm", "==5.7")]),
        ("rocm/dev-ubuntu-22.04:latest", []),
        ("rocm/rocm-terminal:5.4.2", [("rocm", "==5.4.2")]),
        ("example.org/team/rocm-dev:6.1", [("rocm", "==6.1")]),
        ("ubuntu:22.04", []),
    ],
)
def test_an_image_is_named_by_what_it_holds(
    image: str, requirements: list[tuple[str, str]]
) -> None:
    for line in (f"FROM {image} AS build", f"from --platform=linux/amd64 {image}"):
        assert read("docker/Dockerfile.gpu", f"# base\n{line}\nRUN make\n") == (
            requirements
        )


@pytest.mark.parametrize(
    ("text", "requirement"),
    [
        ("find_package(CUDAToolkit 11.4 REQUIRED)", ("cuda", ">=11.4")),
        ("find_package( CUDA 10.2 EXACT REQUIRED)", ("cuda", "==10.2")),
        ("find_package(hip 5.2)", ("rocm", ">=5.2")),
        ("find_package(Torch 2.0)", ("torch", ">=2.0")),
        ("find_package(Python3 3.8 COMPONENTS Development)", ("python", ">=3.8")),
    ],
)
def test_cmake_asks_for_a_version_at_least(
    text: str, requirement: tuple[str, str]
) -> None:
    assert read("cmake/deps.cmake", text) == [requirement]
    assert read("src/CMakeLists.txt", text) == [requirement]


def test_cmake_refuses_what_is_too_old() -> None:
    text = """
if(CUDA_VERSION VERSION_LESS 11.4)
  message(FATAL_ERROR "needs a newer one")
endif()
if("${HIP_VERSION}" VERSION_LESS "5.0")
  message( FATAL_ERROR "needs ROCm 5")
endif()
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  message(WARNING "better with 12")
endif()
"""
    assert read("CMakeLists.txt", text) == [("cuda", ">=11.4"), ("rocm", ">=5.0")]
    assert find_places("CMakeLists.txt", text) == [
        "CUDA_VERSION VERSION_LESS 11.4",
        "HIP_VERSION VERSION_LESS 5.0",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "find_package(Torch REQUIRED)",
        "find_package(OpenMP 4.5)",
        "my_find_package(CUDA 9)",
    ],
)
def test_cmake_without_a_version_of_ours_states_nothing(text: str) -> None:
    assert read("CMakeLists.txt", text) == []
