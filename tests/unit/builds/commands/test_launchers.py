from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.commands.launchers import (
    extract_compiler_name,
    find_compiler_invocation,
)
from crawler.builds.commands.response_files import split_command_line


@pytest.mark.parametrize(
    ("command", "folder", "compiler"),
    [
        ("ccache distcc /usr/bin/nvcc -c", "", "/usr/bin/nvcc -c"),
        (
            "env -i A=b -u C x86_64-linux-gnu-g++-12 -c",
            "",
            "x86_64-linux-gnu-g++-12 -c",
        ),
        ("A=b time -p nice -n 10 clang++-18 -c", "", "clang++-18 -c"),
        (
            "/bin/sh ../libtool --silent --tag=CXX --mode=compile hipcc -c",
            "",
            "hipcc -c",
        ),
        (
            "cmake -E __run_co_compile --launcher=ccache --source=a.cu -- nvcc -c",
            "",
            "nvcc -c",
        ),
        ("cmake -E env A=b -- mpicxx -c", "", "mpicxx -c"),
        ("python3 tools/wrap.py nvcc -c", "", "nvcc -c"),
        ("./quiet.sh nvcc_wrapper -c", "", "nvcc_wrapper -c"),
        ("nvcc_wrapper -ccbin g++ -c", "", "nvcc_wrapper -ccbin g++ -c"),
        ("sh -c 'cd sub && nvcc -c'", "sub", "nvcc -c"),
        ('bash -ec "cd a; cd b && ccache g++ -c || exit 1"', "a/b", "g++ -c"),
        (
            "cd /x && mkdir -p o && /opt/rocm/bin/amdclang++ -c && touch o/k",
            "/x",
            "/opt/rocm/bin/amdclang++ -c",
        ),
        ("sh -c 'sh -c \"sh -c nvcc\"'", "", "nvcc"),
        ("some-compiler -c k.cu", "", "some-compiler -c k.cu"),
        ("", "", ""),
    ],
)
def test_the_compiler_is_found_behind_what_launches_it(
    command: str, folder: str, compiler: str
) -> None:
    assert find_compiler_invocation(split_command_line(command)) == (
        folder,
        compiler.split(),
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["/usr/local/cuda/bin/nvcc", "-c"], "nvcc"),
        ([r"C:\CUDA\bin\nvcc.exe"], "nvcc.exe"),
        (["g++"], "g++"),
        ([], ""),
    ],
)
def test_a_compiler_is_named_without_its_folder(
    words: list[str], expected: str
) -> None:
    assert extract_compiler_name(words) == expected


WORDS = st.sampled_from(
    [
        "cd",
        "sub;",
        "sub",
        "&&",
        ";",
        "sh",
        "-c",
        "nvcc -c",
        "nvcc",
        "A=b",
        "ccache",
        "x",
    ]
)


@given(st.lists(WORDS, max_size=12))
def test_any_command_line_is_cut_down(words: list[str]) -> None:
    invocation = find_compiler_invocation(words)
    text = " ".join(words)
    assert all(word in text for word in invocation.words)
    behind_launcher = find_compiler_invocation(["ccache", "nvcc", *words])
    assert behind_launcher.folder == ""
    assert behind_launcher.words[0] == "nvcc"
