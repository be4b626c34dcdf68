"""Whatever a command line says, the flags for clang neither load code nor leave the checkout."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.commands.checkout_paths import CheckoutPathMapper
from crawler.builds.commands.normalise import NormalisedFlags, normalise_command

PLACE = CheckoutPathMapper("/src", "/src/build")
RESPONSE_FILES = {"build/r.rsp": "-o x -DY", "r.rsp": "-B."}
TOUCHING = (
    "-Xclang -load -Xclang x.so", "-fplugin=/x.so", "-fplugin x.so", "-B/evil", "-B evil", "@/etc/passwd", "-specs=x",
    "--config x", "--config=x", "-o k.o", "-ok.o", "-MF k.d", "-MFk.d", "-MJ x", "-save-temps=obj", "-save-temps",
    "-fprofile-use=x", "-fprofile-generate", "-ftest-coverage", "-ivfsoverlay x", "-ivfsoverlayx", "-include-pch x",
    "-fmodule-map-file=x", "-fmodules-cache-path=x", "-working-directory x", "-resource-dir x", "--sysroot=/x",
    "-isysroot /x", "-wrapper x,y", "-dumpdir x", "--serialize-diagnostics x", "-fcrash-diagnostics-dir=x",
    "-ftime-trace=x", "-fsave-optimization-record", "-Xpreprocessor -MF,x", "-Wp,-MD,x", "-Xcompiler -fplugin=x.so",
    "-Xcompiler @x", "-ccbin x", "--keep-dir x", "--keep", "-gdwarf", "-frandom-seed=x", "-foptimization-record-file=x",
)  # fmt: skip
NAMES = st.text("ab@-./\\=,:'\" &", min_size=1, max_size=8)
WORDS = st.lists(
    st.text(max_size=12)
    | NAMES
    | st.builds(str.__add__, st.sampled_from(["-I", "-D", "-isystem", "-include", "-o", "/D", "@"]), NAMES)
    | st.sampled_from(["-I", "-D", "-x", "-Xcompiler", "&&", "-isystem", "-include", "=", "cd", "sh", "-c"])
    | st.sampled_from([word for words in TOUCHING for word in words.split()])
    | st.sampled_from(["--use_fast_math", "-rdc=true", "-std=c++20", "-pthread", "-fno-rtti", "-imacros"])
)  # fmt: skip
COMPILERS = st.sampled_from(
    [
        "nvcc",
        "hipcc",
        "g++",
        "clang++",
        "cl.exe",
        "ccache",
        "sh",
        "env",
        "icpx",
        "nvc++",
    ]
)
ALLOWED = ("-I", "-D", "-U", "-std=", "-f", "-ansi")


def translate(words: list[str]) -> NormalisedFlags:
    return normalise_command(words, PLACE, RESPONSE_FILES.get)


@pytest.mark.parametrize("words", TOUCHING)
def test_flags_that_load_code_or_touch_files_do_not_get_through(words: str) -> None:
    assert translate(["g++", *words.split(), "k.cpp"]).arguments == []
    assert translate(["nvcc", *words.split(), "k.cu"]).arguments == []


@given(COMPILERS, WORDS)
def test_any_words_give_only_known_flags_that_stay_inside(
    compiler: str, words: list[str]
) -> None:
    arguments = iter(translate([compiler, *words]).arguments)
    for argument in arguments:
        assert "\0" not in argument
        if argument in ("-isystem", "-iquote", "-idirafter", "-include", "-imacros"):
            path = next(arguments)
            assert not path.startswith(("/etc", "..", "-", "@"))
        else:
            assert argument.startswith(ALLOWED)
            assert not argument.startswith(
                ("-I..", "-I/etc", "-fplugin", "-fprofile", "-fmodule")
            )


@given(COMPILERS, WORDS)
def test_what_is_translated_stays_as_it_is(compiler: str, words: list[str]) -> None:
    once = translate([compiler, *words]).arguments
    again = normalise_command(
        ["clang++", *once], CheckoutPathMapper("/src", "/src"), lambda _: None
    )
    assert again.arguments == once
    assert again.dropped_paths == again.ignored_flags == []
