"""What a BUILD file gets back from the functions that Bazel itself has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.builds.bazel.workspace import Workspace
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import Dialect

Plant = Callable[[dict[str, str]], IncludeGraph]
FILES = {
    "WORKSPACE": "",
    "lib/a.cu": "",
    "lib/b.cu": "",
    "lib/b_test.cu": "",
    "lib/sub/c.cu": "",
    "lib/own/BUILD": "",
    "lib/own/d.cu": "",
    "rules.bzl": 'FLAGS = ["-DLOADED"]\ndef sources(): return ["a.cu"]\n',
}


def read_sources(
    plant: Plant, expression: str, dialect: Dialect = Dialect.CUDA, head: str = ""
) -> list[str]:
    build_file = f'{head}\ncc_library(name = "t", srcs = {expression})\n'
    tree = plant({**FILES, "lib/BUILD": build_file}).tree
    workspace = Workspace(tree, "", dialect)
    workspace.read_packages()
    assert not workspace.problems
    (target,) = workspace.targets.values()
    return target.list_strings("srcs")


@pytest.mark.parametrize(
    ("expression", "sources"),
    [
        ('glob(["*.cu"])', ["a.cu", "b.cu", "b_test.cu"]),
        ('native.glob(["*.cu"], ["*_test.cu"])', ["a.cu", "b.cu"]),
        ('glob(include = ["**/*.cu"], exclude = ["b*"])', ["a.cu", "sub/c.cu"]),
        ('glob("sub/*.cu")', ["sub/c.cu"]),
        ('glob(["own/*.cu"])', []),
        ("glob()", []),
        ('sorted(["b.cu", "a.cu"])', ["a.cu", "b.cu"]),
        ('sorted("b.cu")', ["b.cu"]),
        ("sorted()", []),
        ('list(("a.cu", "b.cu"))', ["a.cu", "b.cu"]),
        ("list()", []),
        ('[s for i, s in enumerate(["a.cu", "b.cu"]) if i]', ["b.cu"]),
        ("enumerate()", []),
        ('[a + b for a, b in zip(["a", "b"], [".cu", ".cc"])]', ["a.cu", "b.cc"]),
        ('[str(i) + ".cu" for i in range(2)]', ["0.cu", "1.cu"]),
        ('[str(i) + ".cu" for i in range(3, 0, -2)]', ["3.cu", "1.cu"]),
        ('[str(i) + ".cu" for i in range(0, 3, 0)]', []),
        ('[str(len(["a", "b"])) + ".cu"]', ["2.cu"]),
        ('[str(len(4)) + ".cu"]', ["0.cu"]),
        ('["x" + str() + ".cu"]', ["x.cu"]),
        ('[package_name() + ".cu"]', ["lib.cu"]),
        ('list(dict({"a.cu": 1}, b = 2))', ["a.cu", "b"]),
        ('prefixed(["a.cu"])', ["a.cu"]),
    ],
)
def test_a_function_of_bazel_gives_its_sources(
    expression: str, sources: list[str], plant: Plant
) -> None:
    assert read_sources(plant, expression) == sources


@pytest.mark.parametrize(
    ("expression", "cuda_sources", "hip_sources"),
    [
        ('if_cuda(["a.cu"], ["b.cc"])', ["a.cu"], ["b.cc"]),
        ('if_rocm(["a.hip"], ["b.cc"])', ["b.cc"], ["a.hip"]),
        ('if_cuda(["a.cu"])', ["a.cu"], []),
        ('if_not_cuda(["a"], ["b"])', ["b"], ["a"]),
        (
            'select({"//:cuda": ["a.cu"], "//:rocm": ["a.hip"]})',
            ["a.cu"],
            ["a.hip"],
        ),
        (
            'selects.with_or({("//:nvcc", "//:gpu"): ["a.cu"],'
            ' "//conditions:default": ["b.cc"]})',
            ["a.cu"],
            ["a.cu"],
        ),
        (
            'select({"//:no_cuda": ["a.cu"], "//conditions:default": ["b.cc"]})',
            ["b.cc"],
            ["b.cc"],
        ),
        ('["a.cc"] + select(unknown())', ["a.cc"], ["a.cc"]),
        ('["a.cc"] + select({})', ["a.cc"], ["a.cc"]),
    ],
)
def test_a_condition_is_answered_for_the_device(
    expression: str, cuda_sources: list[str], hip_sources: list[str], plant: Plant
) -> None:
    assert read_sources(plant, expression, Dialect.CUDA) == cuda_sources
    assert read_sources(plant, expression, Dialect.HIP) == hip_sources


@pytest.mark.parametrize(
    ("load", "expression", "sources"),
    [
        ('load("//:rules.bzl", "sources")', "sources()", ["a.cu"]),
        ('load("//:rules.bzl", mine = "sources")', "mine()", ["a.cu"]),
        ('load("@other//:rules.bzl", "sources")', "sources()", ["a.cu"]),
        ('load("//:rules.bzl", "absent")', '["b.cu"] + absent()', ["b.cu"]),
        ('load("//:nowhere.bzl", "sources")', '["b.cu"] + sources()', ["b.cu"]),
        ("load()", '["b.cu"]', ["b.cu"]),
    ],
)
def test_a_loaded_name_means_what_its_file_defines(
    load: str, expression: str, sources: list[str], plant: Plant
) -> None:
    assert read_sources(plant, expression, head=load) == sources


def test_two_files_that_load_each_other_both_end(plant: Plant) -> None:
    files = {
        "WORKSPACE": "",
        "BUILD": 'load("//:a.bzl", "A")\ncc_library(name = "t", srcs = A)\n',
        "a.bzl": 'load("//:b.bzl", "B")\nA = ["a.cu"] + B\n',
        "b.bzl": 'load("//:a.bzl", "A")\nB = ["b.cu"] + A\n',
    }
    workspace = Workspace(plant(files).tree, "", Dialect.CUDA)
    workspace.read_packages()
    (target,) = workspace.targets.values()
    assert target.list_strings("srcs") == ["a.cu", "b.cu"]


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ('D = {"a": "1"}\nD["b"] = "2"\nX = list(D)', ["a", "b"]),
        ('X = []\nX += ["a"]\nX.extend(("b",))', ["a", "b"]),
        ('(A, B) = ("a", "b")\nX = [B, A]', ["b", "a"]),
        ('[A, (B, C)] = ["a", ("b", "c")]\nX = [C]', ["c"]),
        ('X = ["a" if 1 else "b"]', ["a"]),
        ('X = [{k: v + k for k, v in {"a": "b"}.items()}["a"]]', ["ba"]),
        ('X = ["a,b".split(",")[-1]]', ["b"]),
        ('X = ["abc"[::-1]]', ["cba"]),
        ('X = ["a" + nothing, "b"] if not None else []', ["b"]),
        ('X = ["%s" % D] if False else ["c"]', ["c"]),
        ('X = ["a"] if 1 < 2 and 2 >= 2 and "a" not in ["b"] else []', ["a"]),
        ('X = ["a"] if 1 < 2 < 3 else ["b"]', ["a"]),
        ('D = {"a": 1}\nX = list(D.keys()) + [D.pop("b", "c")]', ["a", "c"]),
        ('D = {}\nX = [D.setdefault("a", "b"), D["a"]]', ["b"]),
        ('D = {"a": 1}\nD.update({"b": 2}, c = 3)\nX = list(D)', ["a", "b", "c"]),
        ('X = ["a.cu".removesuffix(".cu")]', ["a"]),
        ('X = ["{} {{{b}}} {0}".format("a", b = "c")]', ["a {c} a"]),
        ('X = ["%(k)s-%%" % {"k": "v"}]', ["v-%"]),
        (
            'def f(*names, **more): return list(names) + list(more)\nX = f("a", b = 1)',
            ["a", "b"],
        ),
        (
            'def f(a, *, b = "c"): return [a, b]\nX = f(*["a"], **{"b": "d"})',
            ["a", "d"],
        ),
        (
            'X = []\nfor i in ["a", "b", "c"]:\n  if i == "b": continue\n  X.append(i)',
            ["a", "c"],
        ),
    ],
)
def test_a_statement_means_what_starlark_means(
    statement: str, values: list[str], plant: Plant
) -> None:
    assert read_sources(plant, "X", head=statement) == values
