from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.builds.build_files.project_environment import (
    choose_stand_in_versions,
    describe_environment,
    find_version_conflicts,
    read_project_environment,
)
from crawler.checkout.source_tree import open_tree
from crawler.codec import decode, encode
from crawler.model import CompileDatabase, ProjectEnvironment


def read(root: Path, files: dict[str, str]) -> ProjectEnvironment:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return read_project_environment(open_tree(root))


WRITTEN = {
    "pyproject.toml": (
        "[project]\nrequires-python = '>=3.9'\ndependencies = ['torch>=2.1', 'other']\n"
        "[build-system]\nrequires = ['setuptools<70', 'numpy']\n",
        {("python", ">=3.9"), ("torch", ">=2.1"), ("setuptools", "<70")},
    ),
    "poetry/pyproject.toml": (
        "[tool.poetry.dependencies]\npython = '^3.8'\ntorch = {version = '==2.0.1', source = 'x'}\n",
        {("python", ">=3.8"), ("torch", "==2.0.1")},
    ),
    "setup.cfg": (
        "[options]\npython_requires = >=3.7\ninstall_requires =\n  torch>=1.8\n  numpy<1.24; python_version < '4'\n",
        {("python", ">=3.7"), ("torch", ">=1.8"), ("numpy", "<1.24")},
    ),
    "setup.py": (
        "NEEDS = ['torch==1.13.1', make()]\nraise SystemExit\nsetup(install_requires=NEEDS, python_requires='<3.11')\n",
        {("torch", "==1.13.1"), ("python", "<3.11")},
    ),
    "requirements-dev.txt": (
        "-r x.txt\n# torch==1\nTorch >= 1.9  # why\nnumpy\n",
        {("torch", ">=1.9")},
    ),
    "environment.yml": (
        "dependencies:\n  - pytorch=1.12\n  - python=3.8\n  - pytorch-cuda=11.8\n  - pip\n",
        {("torch", "==1.12"), ("python", "==3.8"), ("cuda", "==11.8")},
    ),
    "docker/Dockerfile.rocm": (
        "FROM --platform=linux/amd64 rocm/pytorch:rocm5.6_ubuntu20.04_py3.8_pytorch_2.0.1 AS base\n",
        {("rocm", "==5.6"), ("python", "==3.8"), ("torch", "==2.0.1")},
    ),
    "Dockerfile": (
        "from nvidia/cuda:12.1.0-devel-ubuntu22.04\n",
        {("cuda", "==12.1.0")},
    ),
    "CMakeLists.txt": (
        "find_package(CUDAToolkit 12.0 REQUIRED)\nfind_package(hip 5.6 EXACT)\n"
        'if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS "11.4")\n  message(FATAL_ERROR "old")\nendif()\n'
        "if(CUDA_VERSION VERSION_LESS 9.0)\n  set(X 1)\nendif()\n",
        {("cuda", ">=12.0"), ("cuda", ">=11.4"), ("rocm", "==5.6")},
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_says_what_is_asked_for(name: str, tmp_path: Path) -> None:
    text, required = WRITTEN[name]
    project = read(tmp_path, {name: text, "README.md": "needs torch==0.4"})
    assert {
        (requirement.name, requirement.asked) for requirement in project.requirements
    } == required
    assert all(
        requirement.evidence.startswith(f"{name}: ")
        for requirement in project.requirements
    )


def test_an_old_torch_and_pkg_resources_are_named_with_their_remedy(
    tmp_path: Path,
) -> None:
    project = read(
        tmp_path,
        {"setup.py": "import pkg_resources\nsetup(install_requires=['torch<2.0'])"},
    )
    assert {
        requirement.name: (requirement.remedy, requirement.resolved)
        for requirement in project.conflicts
    } == {
        "setuptools": ("install setuptools<81", True),
        "numpy": ("install numpy<2", True),
    }


def test_what_the_project_holds_back_itself_is_no_conflict(tmp_path: Path) -> None:
    setup = "import pkg_resources\nsetup(install_requires=['torch==1.13', 'numpy<2'], setup_requires=['setuptools<80'])"
    assert read(tmp_path, {"setup.py": setup}).conflicts == ()


def test_two_releases_of_rocm_are_a_conflict(tmp_path: Path) -> None:
    files = {
        "a/Dockerfile": "FROM rocm/dev-ubuntu:rocm5.6",
        "b/Dockerfile": "FROM rocm/pytorch:rocm6.2_py3.10",
    }
    (conflict,) = read(tmp_path, files).conflicts
    assert (conflict.name, conflict.resolved) == ("rocm", False)
    assert "5.6" in conflict.message
    assert "6.2" in conflict.message


@pytest.mark.parametrize(
    ("required", "answered"),
    [
        ("torch>=2.0", {}),
        ("torch==1.13.1", {"torch": "1.13.1"}),
        ("torch<2.2", {"torch": "2.1.0"}),
        ("torch>=1.8,<=1.13.0", {"torch": "1.13.0"}),
        ("torch==2.4.0+cpu", {"torch": "2.4.0"}),
        ("numpy<2", {"numpy": "1.26.4"}),
    ],
)
def test_stand_ins_answer_with_what_is_asked_for(
    required: str, answered: dict[str, str], tmp_path: Path
) -> None:
    assert (
        choose_stand_in_versions(read(tmp_path, {"requirements.txt": required}))
        == answered
    )


def test_a_machine_is_held_against_what_is_asked_for(tmp_path: Path) -> None:
    project = read(
        tmp_path,
        {
            "setup.cfg": "[options]\npython_requires = <3.10\n",
            "Dockerfile": "FROM nvidia/cuda:12.1",
        },
    )
    installed = {"python": "3.11.7", "cuda": "12.1.105"}
    (clash,) = find_version_conflicts(project, installed)
    assert (
        clash.message
        == "setup.cfg: python_requires asks for python <3.10, here is 3.11.7"
    )
    assert any(
        kind == "conflict" and "<3.10" in text
        for kind, text in describe_environment(project, installed)
    )


def test_a_database_without_an_environment_is_still_read() -> None:
    old = encode(CompileDatabase(commands=(), strategies=())).replace(
        b',"environment":', b',"unknown":'
    )
    assert decode(old, CompileDatabase).environment == ProjectEnvironment()


BROKEN = st.text(max_size=60) | st.sampled_from(
    ["[" * 3000, "project = 3", "[project]\ndependencies = {a=1}", "a = " * 900]
)


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from(sorted(WRITTEN)), BROKEN)
def test_broken_metadata_says_nothing_and_breaks_nothing(
    tmp_path: Path, name: str, text: str
) -> None:
    project = read(tmp_path, {name: text.encode("utf-8", "replace").decode()})
    (tmp_path / name).unlink()
    assert len(project.requirements) < 5
