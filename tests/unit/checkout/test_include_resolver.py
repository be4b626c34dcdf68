from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.include_resolver import (
    IncludeEdge,
    IncludeResolver,
    is_external,
)
from crawler.checkout.source_scan import Include, scan_source
from crawler.checkout.source_tree import SourceTree


def make_resolver(*files: str) -> IncludeResolver:
    return IncludeResolver(SourceTree(root=Path("/none"), files=tuple(sorted(files))))


def resolve(resolver: IncludeResolver, path: str, name: str) -> IncludeEdge | None:
    return resolver.resolve(path, Include(name, is_quoted=True))


def test_a_quoted_include_means_the_includers_folder_first() -> None:
    resolver = make_resolver("src/k.cu", "src/k.h", "include/k.h")
    assert resolve(resolver, "src/k.cu", "k.h") == IncludeEdge("src/k.h", None)


def test_an_include_in_angle_brackets_never_means_the_includers_folder() -> None:
    resolver = make_resolver("src/k.cu", "src/k.h")
    edge = resolver.resolve("src/k.cu", Include("k.h", is_quoted=False))
    assert edge == IncludeEdge("src/k.h", "src")


def test_a_file_is_found_by_the_end_of_its_path() -> None:
    resolver = make_resolver("src/k.cu", "lib/include/lib/k.h", "lib/xlib/k.h")
    edge = resolve(resolver, "src/k.cu", "lib/k.h")
    assert edge == IncludeEdge("lib/include/lib/k.h", "lib/include")


def test_the_root_is_an_include_path_too() -> None:
    resolver = make_resolver("src/k.cu", "lib/k.h")
    assert resolve(resolver, "src/k.cu", "lib/k.h") == IncludeEdge("lib/k.h", ".")


def test_a_file_does_not_include_itself() -> None:
    resolver = make_resolver("a/config.h", "b/config.h")
    assert resolve(resolver, "a/config.h", "config.h") != IncludeEdge(
        "a/config.h", None
    )


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (("ops/u.h", "zoo/u.h"), "ops/u.h"),
        (("third_party/u.h", "zoo/deep/u.h"), "zoo/deep/u.h"),
        (("a/b/u.h", "z/u.h"), "z/u.h"),
        (("b/u.h", "a/u.h"), "a/u.h"),
    ],
)
def test_of_several_files_the_nearest_is_meant(
    files: tuple[str, ...], expected: str
) -> None:
    edge = resolve(make_resolver(*files, "ops/cuda/k.cu"), "ops/cuda/k.cu", "u.h")
    assert edge is not None
    assert edge.target == expected


def test_a_vendored_file_means_its_own_projects_headers() -> None:
    resolver = make_resolver("third_party/lib/k.cu", "third_party/lib/inc/u.h", "u.h")
    edge = resolve(resolver, "third_party/lib/k.cu", "u.h")
    assert edge is not None
    assert edge.target == "third_party/lib/inc/u.h"


def test_an_include_path_that_others_need_decides_between_equals() -> None:
    resolver = make_resolver("k.cu", "aa/u.h", "zz/u.h", "zz/only.h")
    scan = scan_source(b"#include <only.h>\n")
    assert resolve(resolver, "k.cu", "u.h") == IncludeEdge("aa/u.h", "aa")
    resolver = make_resolver("k.cu", "aa/u.h", "zz/u.h", "zz/only.h")
    resolver.learn_include_paths({"k.cu": scan})
    assert resolve(resolver, "k.cu", "u.h") == IncludeEdge("zz/u.h", "zz")


def test_parent_steps_lead_through_a_folder_of_that_depth() -> None:
    resolver = make_resolver("k.cu", "lib/u.h", "lib/a/b/c.h")
    assert resolve(resolver, "k.cu", "../u.h") == IncludeEdge("lib/u.h", "lib/a")
    assert resolve(resolver, "k.cu", "../../u.h") == IncludeEdge("lib/u.h", "lib/a/b")
    assert resolve(resolver, "k.cu", "../../../u.h") is None


def test_files_are_found_by_whole_names_only() -> None:
    resolver = make_resolver("a/ops.def", "b/ops.def", "b/xops.def")
    assert list(resolver.find_files_ending_with("ops.def")) == [
        "a/ops.def",
        "b/ops.def",
    ]
    assert list(resolver.find_files_ending_with("b/ops.def")) == ["b/ops.def"]
    assert list(resolver.find_files_ending_with("none.def")) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("<vector>", True),
        ("<stdint.h>", True),
        ("<sys/time.h>", True),
        ("<immintrin.h>", True),
        ("<cuda_runtime.h>", True),
        ('"cuda_runtime.h"', True),
        ("<hip/hip_runtime.h>", True),
        ('"stdint.h"', False),
        ('"vector"', False),
        ("<boost/any.hpp>", False),
        ("<project.h>", False),
    ],
)
def test_headers_outside_of_any_project_are_known(line: str, expected: bool) -> None:
    (include,) = scan_source(f"#include {line}\n".encode()).includes
    assert is_external(include) is expected
