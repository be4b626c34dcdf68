"""Which of several packages a header is meant of."""

from __future__ import annotations

import pytest

from crawler.sources.debian.header_index import choose_packages


def choose(headers: set[str], *listing: str) -> list[tuple[str, set[str]]]:
    packages = choose_packages(headers, listing)
    return [(package.name, set(package.include_paths)) for package in packages]


@pytest.mark.parametrize(
    ("header", "line", "include_path"),
    [
        ("fmt/core.h", "libfmt-dev: /usr/include/fmt/core.h\n", ""),
        ("Eigen/Core", "libeigen3-dev: /usr/include/eigen3/Eigen/Core", "eigen3"),
        (
            "opencv2/core.hpp",
            "libopencv-core-dev: /usr/include/opencv4/opencv2/core.hpp",
            "opencv4",
        ),
        (
            "openblas/cblas.h",
            "libopenblas-dev: /usr/include/x86_64-linux-gnu/openblas/cblas.h",
            "x86_64-linux-gnu",
        ),
    ],
)
def test_headers_are_found_where_they_are_included_from(
    header: str, line: str, include_path: str
) -> None:
    assert choose({header}, line) == [(line.partition(":")[0], {include_path})]


@pytest.mark.parametrize(
    "line",
    [
        # another's copy, and one of another name
        "libvtk9-dev: /usr/include/vtk-9.1/vtkdiy2/include/vtkdiy2/fmt/core.h",
        "libvtk9-dev: /usr/include/fmt/core.h",
        "libfmt-dev: /usr/include/fmt/ucore.h",
    ],
)
def test_what_is_not_meant_is_not_taken(line: str) -> None:
    assert choose({"fmt/core.h"}, line) == []


def test_the_package_with_most_of_the_headers_is_taken_alone() -> None:
    chosen = choose(
        {"boost/a.hpp", "boost/b.hpp", "boost/c.hpp"},
        "libboost-a-dev: /usr/include/boost/a.hpp",
        "libboost1.74-dev: /usr/include/boost/a.hpp",
        "libboost1.74-dev: /usr/include/boost/b.hpp",
        "libboost-c-dev: /usr/include/boost/c.hpp",
    )
    assert [name for name, _ in chosen] == ["libboost1.74-dev", "libboost-c-dev"]
