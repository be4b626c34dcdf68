from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.entries import Placing
from crawler.builds.normalise import normalise
from crawler.builds.response import MOST_WORDS, expand, words_of
from crawler.model import Dialect

PLACE = Placing("/src", "/src/build")


def flags(command: str, files: dict[str, str] | None = None) -> list[str]:
    return normalise(shlex.split(command), PLACE, (files or {}).get).arguments


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("nvcc -c -o k.o k.cu", []),
        (
            "nvcc -I../inc -I ../b -I=../c -isystem=../d -isystem ../e k.cu",
            ["-Iinc", "-Ib", "-Ic", "-isystem", "d", "-isystem", "e"],
        ),
        ("nvcc --include-path ../a --system-include=../b k.cu", ["-Ia", "-isystem", "b"]),
        ("g++ -I/src -I. -iquote ../q k.cpp", ["-I.", "-Ibuild", "-iquote", "q"]),
        ("nvcc -DA -D B=1 --define-macro=C=2 -UD '-DE=\"x y\"' k.cu", ["-DA", "-DB=1", "-DC=2", "-UD", '-DE="x y"']),
        ("nvcc -std=c++17 k.cu", ["-std=c++17"]),
        ("nvcc --std c++14 k.cu", ["-std=c++14"]),
        ("nvcc -gencode arch=compute_80,code=sm_80 --generate-code=arch=compute_90 -arch=sm_80 -arch sm_70 k.cu", []),
        ("nvcc -ccbin /usr/bin/g++ -Xptxas -v,-O3 -t 4 --threads=2 -maxrregcount 64 -diag-suppress 20012 k.cu", []),
        ("nvcc -Xcompiler -fPIC,-DX,-O3 --compiler-options '-DY -Wall' -Xcompiler=-DZ k.cu", ["-DX", "-DY", "-DZ"]),
        ("nvcc --expt-relaxed-constexpr k.cu", ["-D__CUDACC_RELAXED_CONSTEXPR__"]),
        ("nvcc --extended-lambda -rdc=true k.cu", ["-D__CUDACC_EXTENDED_LAMBDA__", "-D__CUDACC_RDC__"]),
        ("hipcc --offload-arch=gfx90a -fgpu-rdc -munsafe-fp-atomics -DX k.hip", ["-DX"]),
        ("clang++ -x hip --cuda-gpu-arch=gfx90a -fno-exceptions -mllvm -x=1 k.hip", ["-fno-exceptions"]),
        (
            "g++ -MD -MF k.d -MT k.o -O3 -g -Wall -march=native -pthread -shared -lcuda -L. k.cpp",
            ["-D_REENTRANT"],
        ),
        ("ccache env A=b nvcc -DX k.cu", ["-DX"]),
        ("cd /src/build && nvcc -DX k.cu && touch done", ["-DX"]),
        ("nvcc -DX -DX -I../a -I../a k.cu", ["-DX", "-Ia"]),
    ],
)
def test_flags_are_translated_for_clang(command: str, expected: list[str]) -> None:
    assert flags(command) == expected


@pytest.mark.parametrize(
    "words",
    ["-I/etc", "-isystem /root/x", "-include /etc/passwd", "-imacros ../../x.h", "-I../../..", "-I/srcs/x"],
)
def test_a_path_outside_the_checkout_does_not_get_through_and_is_recorded(words: str) -> None:
    found = normalise(["g++", *words.split(), "k.cpp"], PLACE, lambda _: None)
    assert found.arguments == []
    assert len(found.dropped) == 1
    assert "outside the checkout" in found.dropped[0]


@pytest.mark.parametrize(
    ("path", "kept"),
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
def test_only_system_libraries_that_clash_with_nothing_of_ours_are_kept(path: str, kept: bool) -> None:
    assert flags(f"g++ -I{path} k.cpp") == ([f"-I{path}"] if kept else [])


@pytest.mark.parametrize("word", ["-Xclang -load", "-fplugin=/x.so", "-B/evil", "@/etc/passwd", "-specs=x"])
def test_flags_that_load_code_or_files_are_dropped(word: str) -> None:
    assert flags(f"g++ {word} k.cpp") == []


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
    assert normalise(command.split(), PLACE, lambda _: None).dialect is expected


def test_response_files_are_read_where_they_stand() -> None:
    files = {"k.rsp": "-DX @more.rsp", "more.rsp": "-I../inc", "opt": "-DY"}
    assert flags("nvcc @k.rsp --options-file opt -optf=opt k.cu", files) == ["-DX", "-Iinc", "-DY"]
    assert flags("nvcc @gone.rsp -DX k.cu", files) == ["-DX"]


def test_response_files_that_include_themselves_end() -> None:
    assert flags("nvcc @k.rsp k.cu", {"k.rsp": "@k.rsp @k.rsp -DX"}) == ["-DX"]
    assert len(list(expand(["@big"], {"big": "-DX " * 2 * MOST_WORDS}.get))) == MOST_WORDS


def test_a_command_whose_quotes_do_not_close_is_still_split() -> None:
    assert words_of("g++ -DX='a b.cpp") == ["g++", "-DX='a", "b.cpp"]


@given(
    st.lists(
        st.text(max_size=12) | st.sampled_from(["-I", "-D", "-x", "-Xcompiler", "&&", "@", "-isystem", "-include", "="])
    )
)
def test_any_words_give_flags_that_stay_inside(words: list[str]) -> None:
    for argument in flags_of(words):
        assert "\0" not in argument
        assert not argument.startswith(("-I/", "-I.."))


def flags_of(words: list[str]) -> list[str]:
    return normalise(words, PLACE, lambda _: None).arguments
