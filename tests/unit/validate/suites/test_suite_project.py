"""Where extension modules and tests of a project lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.validate.suites.device_libraries import DeviceLibraries
from crawler.validate.suites.extension_build import BuiltExtensions
from crawler.validate.suites.suite_project import (
    find_module_place,
    find_test_files,
    open_suite_project,
)
from crawler.validate.suites.torch_environment import TorchEnvironment

ENVIRONMENT = TorchEnvironment(
    version="2.13.0+cpu",
    is_cuda_build=False,
    has_new_abi=True,
    torch="/torch",
    standards=("c++20",),
    includes=(),
    folders=(),
    packages=(),
)
LIBRARIES = DeviceLibraries(runtime=Path("/a.so"), torch=Path("/b.so"))


@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [
        ("ops._C", ["ops/__init__.py"], "ops/_C.so"),
        ("ops._C", ["src/ops/__init__.py"], "src/ops/_C.so"),
        ("ops._C", ["b/ops/__init__.py", "ops/__init__.py"], "ops/_C.so"),
        ("a.b._C", ["a/__init__.py", "a/b/__init__.py"], "a/b/_C.so"),
        ("ops_cuda", ["ops/__init__.py"], ".kernelset-modules/ops_cuda.so"),
        ("ops._C", ["drops/__init__.py"], ".kernelset-modules/ops/_C.so"),
    ],
)
def test_a_module_lies_in_its_package(
    name: str, files: list[str], expected: str
) -> None:
    assert str(find_module_place(name, files).file) == expected


def test_files_that_pytest_takes_are_tests(tmp_path: Path) -> None:
    names = ["test/test_a.py", "ops/b_test.py", "ops/testing.py", "setup.py"]
    for name in [*names, "third_party/lib/test_c.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")

    assert find_test_files(open_tree(tmp_path)) == ["ops/b_test.py", "test/test_a.py"]


def test_packages_of_other_projects_are_laid_out_beside_it(tmp_path: Path) -> None:
    trees = []
    for name in ("ops", "other"):
        package = tmp_path / name / "src" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        trees.append(open_tree(tmp_path / name))

    built = [
        BuiltExtensions(libraries={f"{name}._C": b"library"}, kernels=(), failures={})
        for name in ("ops", "other")
    ]
    with open_suite_project(
        trees[0], built[0], ENVIRONMENT, LIBRARIES, [(trees[1], built[1])]
    ) as project:
        scratch = project.folder.parent
        paths = project.variables["PYTHONPATH"].split(":")
        assert "/checkout/src" in paths
        assert (project.folder / "src/ops/_C.so").read_bytes() == b"library"
        assert any(Path(path, "other/_C.so").is_file() for path in paths)

    assert not scratch.exists()
    assert not (tmp_path / "ops/src/ops/_C.so").exists()


def test_a_module_that_the_checkout_has_stays_as_it_is(tmp_path: Path) -> None:
    package = tmp_path / "ops"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_C.so").write_bytes(b"the user's own")
    built = BuiltExtensions(libraries={"ops._C": b"ours"}, kernels=(), failures={})

    with open_suite_project(
        open_tree(tmp_path), built, ENVIRONMENT, LIBRARIES
    ) as project:
        assert (project.folder / "ops/_C.so").read_bytes() == b"ours"

    assert (package / "_C.so").read_bytes() == b"the user's own"


def test_a_file_with_the_name_of_a_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".kernelset-modules").write_text("a file")
    built = BuiltExtensions(libraries={"ops_cuda": b"ours"}, kernels=(), failures={})

    with open_suite_project(
        open_tree(tmp_path), built, ENVIRONMENT, LIBRARIES
    ) as project:
        assert (project.folder / ".kernelset-modules").read_text() == "a file"
