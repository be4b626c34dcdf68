from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.builds.bazel import workspace as workspaces
from crawler.builds.bazel.starlark_values import Budget, Unknown
from crawler.builds.bazel.targets import (
    Label,
    Target,
    is_device_condition,
    parse_label,
    select_branch,
)
from crawler.builds.bazel.workspace import Workspace
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import Dialect

Plant = Callable[[dict[str, str]], IncludeGraph]


def read_workspace(
    plant: Plant, files: dict[str, str], root: str = "", dialect: Dialect = Dialect.CUDA
) -> Workspace:
    workspace = Workspace(plant(files).tree, root, dialect)
    workspace.read_packages()
    return workspace


def list_sources(workspace: Workspace, package: str, name: str) -> list[str]:
    return workspace.targets[Label(package, name)].list_strings("srcs")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":k.cu", Label("pkg", "k.cu")),
        ("k.cu", Label("pkg", "k.cu")),
        ("sub/k.cu", Label("pkg", "sub/k.cu")),
        ("//lib:k.cu", Label("lib", "k.cu")),
        ("//lib/deep", Label("lib/deep", "deep")),
        ("@repo//lib:k.cu", Label("lib", "k.cu")),
        ("//:k.cu", Label("", "k.cu")),
    ],
)
def test_a_label_is_of_its_package(text: str, expected: Label) -> None:
    assert parse_label(text, "pkg") == expected


def test_a_label_is_a_path_below_its_package() -> None:
    assert Label("a/b", "../k.cu").path == "a/k.cu"


def test_attributes_count_by_the_end_of_their_names() -> None:
    target = Target(
        rule="cc_library",
        package="",
        attributes={
            "srcs": ["a.cu", 1, "b.cu"],
            "gpu_srcs": ("b.cu", "c.cu"),
            "data_srcs_list": ["d.cu"],
            "hdrs": "e.h",
        },
    )
    assert target.list_strings("srcs") == ["a.cu", "b.cu", "c.cu"]
    assert target.list_strings("hdrs", "srcs") == ["a.cu", "b.cu", "c.cu", "e.h"]


@pytest.mark.parametrize(
    ("branches", "cuda", "hip"),
    [
        ({"//:with_cuda": "c", "//:with_rocm": "h"}, "c", "h"),
        ({"//conditions:default": "d", "//:no_cuda": "n"}, "d", "d"),
        ({"//conditions:default": "d", "//:windows": "w"}, "d", "d"),
        ({"//conditions:default": "d", "//:linux_x86_64": "l"}, "l", "l"),
        ({"//:windows": "w", "//:gpu": "g"}, "g", "g"),
        ({("//:a", "//:cuda_enabled"): "c", "//conditions:default": "d"}, "c", "d"),
    ],
)
def test_a_select_takes_the_branch_of_the_device(
    branches: dict[object, str], cuda: str, hip: str
) -> None:
    assert select_branch(branches, Dialect.CUDA) == cuda
    assert select_branch(branches, Dialect.HIP) == hip


def test_an_empty_select_is_unknown() -> None:
    assert select_branch({}, Dialect.CUDA) == Unknown()


@pytest.mark.parametrize(
    ("name", "cuda", "hip"),
    [
        ("if_cuda", True, False),
        ("if_rocm_is_configured", False, True),
        ("if_not_cuda", False, True),
        ("if_gpu", True, True),
        ("if_mkl", False, False),
    ],
)
def test_a_condition_is_judged_by_its_name(name: str, cuda: bool, hip: bool) -> None:
    assert is_device_condition(name, Dialect.CUDA) is cuda
    assert is_device_condition(name, Dialect.HIP) is hip


def test_packages_are_read_but_those_of_inner_workspaces(plant: Plant) -> None:
    workspace = read_workspace(
        plant,
        {
            "BUILD": "cc_library(name = 'ignored', srcs = ['a.cu'])",
            "BUILD.bazel": "cc_library(name = 'top', srcs = ['a.cu'])",
            "lib/BUILD": "cc_library(name = 'lib', srcs = ['b.cu'])",
            "inner/WORKSPACE": "",
            "inner/lib/BUILD": "cc_library(name = 'inner', srcs = ['c.cu'])",
        },
    )
    assert [label.name for label in workspace.targets] == ["top", "lib"]


def test_a_workspace_in_a_folder_has_paths_of_its_own(plant: Plant) -> None:
    files = {
        "project/BUILD": "cc_library(name = 'k', srcs = glob(['src/*.cu']))",
        "project/src/k.cu": "",
        "other/BUILD": "cc_library(name = 'other', srcs = ['x.cu'])",
    }
    workspace = read_workspace(plant, files, root="project")
    assert list_sources(workspace, "", "k") == ["src/k.cu"]
    assert "src/k.cu" in workspace
    assert len(workspace.targets) == 1


def test_a_glob_leaves_out_inner_packages_and_what_is_excluded(plant: Plant) -> None:
    files = {
        "BUILD": "cc_library(name = 'k', srcs = glob(['**/*.cu'], exclude = ['**/t_*']))",
        "a/k.cu": "",
        "a/t_k.cu": "",
        "b/BUILD": "",
        "b/k.cu": "",
    }
    assert list_sources(read_workspace(plant, files), "", "k") == ["a/k.cu"]


def test_a_glob_may_have_one_pattern_and_parts_that_are_not_known(plant: Plant) -> None:
    files = {
        "BUILD": "cc_library(name = 'a', srcs = glob('*.cu'))\n"
        "cc_library(name = 'b', srcs = glob(['*.cu', unknown], exclude = unknown))\n",
        "k.cu": "",
    }
    workspace = read_workspace(plant, files)
    assert list_sources(workspace, "", "a") == ["k.cu"]
    assert list_sources(workspace, "", "b") == ["k.cu"]


def test_a_macro_is_loaded_with_its_aliases(plant: Plant) -> None:
    files = {
        "tools/rules.bzl": "def kernels(name, srcs):\n"
        "    native.cc_library(name = name + '_lib', srcs = srcs)\n",
        "BUILD": "load('//tools:rules.bzl', library = 'kernels')\n"
        "library(name = 'k', srcs = ['k.cu'])\n",
    }
    workspace = read_workspace(plant, files)
    assert list_sources(workspace, "", "k_lib") == ["k.cu"]
    assert Label("", "k") not in workspace.targets


def test_a_macro_whose_rules_are_not_understood_counts_itself(plant: Plant) -> None:
    files = {
        "rules.bzl": "def kernels(name, srcs):\n    unknown(lambda: srcs)\n",
        "BUILD": "load(':rules.bzl', 'kernels')\nkernels(name = 'k', srcs = ['k.cu'])\n",
    }
    workspace = read_workspace(plant, files)
    assert list_sources(workspace, "", "k") == ["k.cu"]
    assert workspace.targets[Label("", "k")].rule == "kernels"


def test_files_that_load_each_other_end(plant: Plant) -> None:
    files = {
        "a.bzl": "load(':b.bzl', 'B')\nA = ['a.cu']\n",
        "b.bzl": "load(':a.bzl', 'A')\nB = ['b.cu']\n",
        "BUILD": "load(':a.bzl', 'A')\ncc_library(name = 'k', srcs = A)\n",
    }
    assert list_sources(read_workspace(plant, files), "", "k") == ["a.cu"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("if_cuda(['a.cu'], ['b.cc'])", ["a.cu"]),
        ("if_rocm(['a.cu'], ['b.cc'])", ["b.cc"]),
        ("if_rocm(['a.cu'])", []),
        ("select({'//:cuda': ['a.cu'], '//conditions:default': []})", ["a.cu"]),
        ("with_or({('//:cuda', '//:x'): ['a.cu']})", ["a.cu"]),
        ("some_wrapper(['a.cu'])", ["a.cu"]),
        ("['%d.cu' % n for n in range(2)]", ["0.cu", "1.cu"]),
        ("['%d.cu' % n for n in range(4, 0, -2)]", ["4.cu", "2.cu"]),
        ("range(1, 2, 0)", []),
        ("sorted(['b.cu', 'a.cu'])", ["a.cu", "b.cu"]),
        ("list({'a.cu': 1})", ["a.cu"]),
        ("[k for k in dict({'a.cu': 1}, b = 2)]", ["a.cu", "b"]),
        ("[str(len('abc')) + '.cu']", ["3.cu"]),
        ("[a + b for a, b in zip(['a', 'b'], ['.cu', '.cc'])]", ["a.cu", "b.cc"]),
        ("[str(n) + s for n, s in enumerate(['.cu'])]", ["0.cu"]),
        ("[package_name() + '/a.cu']", ["lib/a.cu"]),
    ],
)
def test_functions_of_bazel_are_answered(
    plant: Plant, expression: str, expected: list[str]
) -> None:
    files = {"lib/BUILD": f"cc_library(name = 'k', srcs = {expression})"}
    assert list_sources(read_workspace(plant, files), "lib", "k") == expected


def test_a_file_that_cannot_be_run_is_a_problem_and_no_end(plant: Plant) -> None:
    workspace = read_workspace(
        plant,
        {
            "a/BUILD": "this is no Starlark",
            "b/BUILD": "X = [a for a in range(1000) for b in range(1000)]",
            "c/BUILD": "cc_library(name = 'k', srcs = ['k.cu'])",
        },
    )
    assert workspace.problems == [
        "a/BUILD: not understood",
        "b/BUILD: too much to walk",
    ]
    assert list_sources(workspace, "c", "k") == ["k.cu"]


def test_all_files_together_have_a_budget(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspaces, "_MAX_STEPS", 200)
    files = {
        f"p{number}/BUILD": "cc_library(name = 'k', srcs = ['k.cu'])"
        for number in range(100)
    }
    workspace = read_workspace(plant, files)
    assert 0 < len(workspace.targets) < 100
    assert workspace.problems


def test_targets_without_a_name_are_kept_apart(plant: Plant) -> None:
    files = {"BUILD": "rule(srcs = ['a.cu'])\nrule(srcs = ['b.cu'])\n"}
    targets = read_workspace(plant, files).targets.values()
    assert [target.list_strings("srcs") for target in targets] == [["a.cu"], ["b.cu"]]


def test_matching_files_is_paid_for(plant: Plant) -> None:
    workspace = Workspace(plant({"a/k.cu": ""}).tree, "", Dialect.CUDA)
    budget = Budget(100)
    assert workspace.match_files("", ["**/*.cu"], budget) == ["a/k.cu"]
    assert budget.steps < 100
