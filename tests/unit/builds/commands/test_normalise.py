from __future__ import annotations

import shlex

import pytest

from crawler.builds.commands.checkout_paths import CheckoutPathMapper
from crawler.builds.commands.normalise import NormalisedFlags, normalise_command
from crawler.builds.commands.response_files import (
    MAX_WORDS,
    expand_response_files,
    split_command_line,
)
from crawler.model import Dialect

PLACE = CheckoutPathMapper("/src", "/src/build")


def flags(command: str, files: dict[str, str] | None = None) -> list[str]:
    return normalise_command(shlex.split(command), PLACE, (files or {}).get).arguments


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("nvcc -c -o k.o k.cu", []),
        (
            "nvcc -I../inc -I ../b -I=../c -isystem=../d -isystem ../e k.cu",
            ["-Iinc", "-Ib", "-Ic", "-isystem", "d", "-isystem", "e"],
        ),
        (
            "nvcc --include-path ../a --system-include=../b k.cu",
            ["-Ia", "-isystem", "b"],
        ),
        ("g++ -I/src -I. -iquote ../q k.cpp", ["-I.", "-Ibuild", "-iquote", "q"]),
        (
            "nvcc -DA -D B=1 --define-macro=C=2 -UD '-DE=\"x y\"' k.cu",
            ["-DA", "-DB=1", "-DC=2", "-UD", '-DE="x y"'],
        ),
        ("nvcc -std=c++17 k.cu", ["-std=c++17"]),
        ("nvcc --std c++14 k.cu", ["-std=c++14"]),
        (
            "nvcc -gencode arch=compute_80,code=sm_80 --generate-code=arch=compute_90 -arch=sm_80 -arch sm_70 k.cu",
            [],
        ),
        (
            "nvcc -ccbin /usr/bin/g++ -Xptxas -v,-O3 -t 4 --threads=2 -maxrregcount 64 -diag-suppress 20012 k.cu",
            [],
        ),
        (
            "nvcc -Xcompiler -fPIC,-DX,-O3 --compiler-options '-DY -Wall' -Xcompiler=-DZ k.cu",
            ["-DX", "-DY", "-DZ"],
        ),
        ("nvcc --expt-relaxed-constexpr k.cu", ["-D__CUDACC_RELAXED_CONSTEXPR__"]),
        (
            "nvcc --extended-lambda -rdc=true k.cu",
            ["-D__CUDACC_EXTENDED_LAMBDA__", "-D__CUDACC_RDC__"],
        ),
        (
            "hipcc --offload-arch=gfx90a -fgpu-rdc -munsafe-fp-atomics -DX k.hip",
            ["-DX"],
        ),
        (
            "clang++ -x hip --cuda-gpu-arch=gfx90a -fno-exceptions -mllvm -x=1 k.hip",
            ["-fno-exceptions"],
        ),
        (
            "g++ -MD -MF k.d -MT k.o -O3 -g -Wall -march=native -pthread -shared -lcuda -L. k.cpp",
            ["-D_REENTRANT"],
        ),
        ("ccache env A=b nvcc -DX k.cu", ["-DX"]),
        ("cd /src/build && nvcc -DX k.cu && touch done", ["-DX"]),
        ("nvcc -DX -DX -I../a -I../a k.cu", ["-DX", "-Ia"]),
        ("g++ -DX=1 -DY -UX -DX=2 -UY k.cpp", ["-DX=2", "-UY"]),
        ("nvcc -std=c++14 -Xcompiler -std=gnu++17,-fPIC k.cu", ["-std=gnu++17"]),
        (
            "nvcc -default-stream per-thread -G k.cu",
            ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"],
        ),
        (
            "nvcc --default-stream=legacy --device-debug --use_fast_math k.cu",
            ["-D__CUDACC_DEBUG__"],
        ),
        ("nvcc -Xcudafe --diag_suppress=-DX -Xnvlink -DY -Xarch_device -DZ k.cu", []),
        (
            "nvcc -forward-unknown-to-host-compiler -Xcompiler=-Xcompiler=-DX -DY k.cu",
            ["-DY"],
        ),
        (
            "g++ -Wp,-DX,-MD,k.d -Xpreprocessor -DY -cxx-isystem ../s k.cpp",
            ["-DX", "-DY", "-isystem", "s"],
        ),
        (
            "hipcc --amdgpu-target=gfx908 -x hip --offload-arch gfx90a -include ../a.h k.cpp",
            ["-include", "a.h"],
        ),
        (
            "cl.exe /nologo /I ../a /I../b /DX /D Y=1 /FI../f.h /std:c++20 /external:I ../s /Fok.obj k.cpp",
            [
                "-Ia",
                "-Ib",
                "-DX",
                "-DY=1",
                "-include",
                "f.h",
                "-std=c++20",
                "-isystem",
                "s",
            ],
        ),
        ("clang-cl /std:c++latest -imsvc x -DX k.cpp", ["-std=c++23", "-DX"]),
        ("nvcc -Xcompiler /EHsc,/DX,/IGNORED/path k.cu", ["-DX"]),
        ("icpx -fsycl -xHost -qopenmp -DX k.cpp", ["-DX"]),
        ("nvc++ -cuda -gpu=cc80,cc90 --c++17 -stdpar -DX k.cpp", ["-std=c++17", "-DX"]),
        (
            "g++ -I ./@x -iquote ../-o -include .././@y k.cpp",
            ["-Ibuild/@x", "-iquote", "./-o", "-include", "./@y"],
        ),
    ],
)
def test_flags_are_translated_for_clang(command: str, expected: list[str]) -> None:
    assert flags(command) == expected


@pytest.mark.parametrize(
    "words",
    [
        "-I/etc",
        "-isystem /opt/x",
        "-include /etc/passwd",
        "-imacros ../../x.h",
        "-I../../..",
        "-I/srcs/x",
    ],
)
def test_a_path_outside_the_checkout_does_not_get_through_and_is_recorded(
    words: str,
) -> None:
    result = normalise_command(["g++", *words.split(), "k.cpp"], PLACE, lambda _: None)
    assert result.arguments == []
    assert len(result.dropped_paths) == 1
    assert "outside the checkout" in result.dropped_paths[0]


@pytest.mark.parametrize(
    ("path", "is_kept"),
    [
        ("/usr/include/eigen3", True),
        ("/usr/local/include/boost", True),
        ("/usr/include", False),
        ("/usr/include/x86_64-linux-gnu", False),
        ("/usr/include/../../etc", False),
        ("/usr/local/cuda/include", False),
        ("/usr/include/hip", False),
        ("/opt/rocm/include", False),
    ],
)
def test_only_system_libraries_that_clash_with_nothing_of_ours_are_kept(
    path: str, is_kept: bool
) -> None:
    assert flags(f"g++ -I{path} k.cpp") == ([f"-I{path}"] if is_kept else [])


@pytest.mark.parametrize(
    ("command", "archs"),
    [
        ("nvcc -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=[sm_90a,lto_90a]", "sm_80 sm_90a"),
        ("nvcc --generate-code=arch=compute_70,code=compute_70 -arch=sm_75", "sm_70 sm_75"),
        ("nvcc -arch compute_80 -code sm_86,sm_80 --gpu-architecture=all-major -arch=native", "sm_80 sm_86"),
        ("hipcc --offload-arch=gfx90a:sramecc+:xnack- --amdgpu-target=gfx1100 --offload-arch=gfx9-4-generic",
         "gfx90a gfx1100 gfx9-4-generic"),
        ("clang++ -x cuda --cuda-gpu-arch=sm_70 --offload-arch=sm_70,sm_80", "sm_70 sm_80"),
        ("nvc++ -gpu=cc80,cuda12.3", "sm_80"),
        ("g++ -march=native -DX=sm_80", ""),
    ],
)  # fmt: skip
def test_the_archs_that_a_project_asks_for_are_told(command: str, archs: str) -> None:
    assert normalise_command(
        [*command.split(), "k.cu"], PLACE, lambda _: None
    ).offload_archs == tuple(archs.split())


def test_what_a_parse_has_no_use_for_is_set_aside_and_named() -> None:
    result = translate(
        [
            "nvcc",
            *split_command_line(
                "-O3 -Xptxas -v -gencode arch=compute_80,code=sm_80 -c -o k.o k.cu"
            ),
        ]
    )
    assert result.ignored_flags == [
        "-O3",
        "-Xptxas -v",
        "-gencode arch=compute_80,code=sm_80",
    ]


def test_a_header_that_a_macro_names_is_found_in_the_checkout() -> None:
    places = {
        "/build/config.h": ".generated/config.h",
        "/build/k.h": "gone.h",
        "/inc": "inc",
    }
    result = normalise_command(
        [
            "nvcc",
            '-DCONFIG="/build/config.h"',
            '-DGONE="/build/k.h"',
            '-DOTHER="/etc/x.h"',
            "-I/inc",
            "k.cu",
        ],
        places.get,
        lambda _: None,
        exists={".generated/config.h"}.__contains__,
    )
    assert result.arguments == [
        '-DCONFIG=".generated/config.h"',
        '-DGONE="/build/k.h"',
        '-DOTHER="/etc/x.h"',
        "-Iinc",
        "-I.",
    ]


def test_a_forced_include_that_is_not_there_would_end_the_parse() -> None:
    result = normalise_command(
        split_command_line("g++ -include a.h -include b.h"),
        PLACE,
        lambda _: None,
        exists={"build/a.h"}.__contains__,
    )
    assert result.arguments == ["-include", "build/a.h"]
    assert result.dropped_paths == ["-include b.h: a file that is not there"]


def test_paths_behind_a_cd_mean_that_folder() -> None:
    result = flags("sh -c 'cd sub && nvcc -Iinc @k.rsp k.cu'", {"sub/k.rsp": "-I.."})
    assert result == ["-Ibuild/sub/inc", "-Ibuild"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/usr/local/cuda/bin/nvcc k.cu", Dialect.CUDA),
        ("hipcc k.cu", Dialect.HIP),
        ("clang++ -x hip k.cpp", Dialect.HIP),
        ("clang++ -xcuda k.cpp", Dialect.CUDA),
        ("nvcc -x cu k.cpp", Dialect.CUDA),
        ("g++ k.cpp", None),
    ],
)
def test_the_compiler_tells_the_dialect(command: str, expected: Dialect | None) -> None:
    assert normalise_command(command.split(), PLACE, lambda _: None).dialect is expected


def test_response_files_are_read_where_they_stand() -> None:
    files = {"k.rsp": "-DX @more.rsp", "more.rsp": "-I../inc", "opt": "-DY"}
    assert flags("nvcc @k.rsp --options-file opt -optf=opt k.cu", files) == [
        "-DX",
        "-Iinc",
        "-DY",
    ]
    assert flags("nvcc @gone.rsp -DX k.cu", files) == ["-DX"]


def test_response_files_that_include_themselves_end() -> None:
    assert flags("nvcc @k.rsp k.cu", {"k.rsp": "@k.rsp @k.rsp -DX"}) == ["-DX"]
    assert (
        len(list(expand_response_files(["@big"], {"big": "-DX " * 2 * MAX_WORDS}.get)))
        == MAX_WORDS
    )
    assert list(expand_response_files(["@none"], {"none": "@none " * 30_000}.get)) == []


def translate(words: list[str]) -> NormalisedFlags:
    return normalise_command(
        words, PLACE, {"build/r.rsp": "-o x -DY", "r.rsp": "-B."}.get
    )
