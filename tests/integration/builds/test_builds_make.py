from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from crawler.builds.database.compile_database import build_compile_database
from crawler.builds.interface import FoundCommands
from crawler.builds.make import make_script, make_session
from crawler.builds.systems.make import PLUGIN
from crawler.checkout.source_tree import open_tree
from crawler.errors import ConfigureFailed
from crawler.model import CompileCommand, FlagsOrigin

pytestmark = pytest.mark.apt("bwrap", "make")

KERNEL = "__global__ void k(int* p) { *p = 1; }\n"
IN_THE_WILD = {
    "plain": {
        "Makefile": "all: k.o\n%.o: %.cu\n\tnvcc -O3 -Iinc -DHERE=1 -c $< -o $@\n",
        "k.cu": KERNEL,
    },
    "cached": {
        "Makefile": "k.o: k.cu\n\tnvcc -DHERE=1 -c k.cu -o k.o\n",
        "k.cu": KERNEL,
        "k.o": "newer",
    },
    "absolute": {
        "Makefile": "k:\n\t/usr/local/cuda/bin/nvcc -DHERE=1 -o k k.cu\nl:\n\t/opt/rocm/bin/hipcc l.hip\n",
        "k.cu": KERNEL,
    },
    "recursive": {
        "Makefile": "export FLAGS = -DHERE=1\nall:\n\t$(MAKE) -C deep/er\n\t+cd deep && $(MAKE) other\n",
        "deep/Makefile": "other:\n\tnvcc $(FLAGS) -c k.cu\n",
        "deep/er/Makefile": "all:\n\tnvcc $(FLAGS) -I.. -c k.cu\n",
        "deep/k.cu": KERNEL,
        "deep/er/k.cu": KERNEL,
    },
    "with blank \u00e4\u00f6": {
        "Makefile": "all:\n\tnvcc '-DHERE=1' -c './a k.cu'\n",
        "a k.cu": KERNEL,
    },
    "per target": {
        "Makefile": "a.o: FLAGS = -DHERE=1\n%.o: %.cu\n\tnvcc $(FLAGS) -c $<\nall: a.o b.o\n.DEFAULT_GOAL = all\n",
        "a.cu": KERNEL,
        "b.cu": KERNEL,
    },
    "elsewhere": {
        "build/Makefile": "all:\n\tmkdir -p out; cd out && OMP=1 ccache nvcc -DHERE=1 -c ../../src/k.cu || true\n",
        "src/k.cu": KERNEL,
    },
    "switched": {
        "Makefile": (
            "USE_CUDA ?= 0\nBACKEND ?= cpu\nifeq ($(USE_CUDA),1)\nifeq ($(BACKEND),cuda)\nall:\n"
            "\tnvcc -DHERE=1 -c k.cu\nendif\nendif\nnothing:\n"
        ),
        "k.cu": KERNEL,
    },
    "other goal": {
        "Makefile": "help:\n\t@echo no\ngpu: k.o\nk.o: k.cu\n\tnvcc -DHERE=1 -c k.cu -o k.o\n",
        "k.cu": KERNEL,
    },
    "named": {"Makefile.cuda": "all:\n\tnvcc -DHERE=1 -c k.cu\n", "k.cu": KERNEL},
}
ONLY_WHEN_RUN = {
    "loop": {
        "Makefile": "all:\n\tfor f in *.cu; do nvcc -DHERE=1 -c $$f; done\n",
        "k.cu": KERNEL,
    },
    "runs what it built": {
        "Makefile": (
            "all: gen\n\t./gen > flags\n\ttest -f flags && nvcc -DHERE=1 -Xcompiler '-Wall -DTWO' \"$$PWD/k.cu\" -o k\n"
            "gen: gen.cpp\n\tg++ gen.cpp -o gen\n"
        ),
        "gen.cpp": "int main() {}",
        "k.cu": KERNEL,
    },
    "response": {
        "Makefile": "all:\n\techo '-DHERE=1 -c k.cu' > args\n\tnvcc @args; rm args; test -f k.o && nvcc -DB -c b.cu\n",
        "k.cu": KERNEL,
        "b.cu": KERNEL,
    },
    "unwritable": {
        "Makefile": "$(shell mkdir build)\n$(if $(wildcard build),,$(error no build))\nall:\n\tnvcc -DHERE=1 -c k.cu\n",
        "k.cu": KERNEL,
    },
    "script": {
        "Makefile": "all:\n\tsh build.sh nvcc\n",
        "build.sh": "$1 -DHERE=1 -c k.cu\n",
        "k.cu": KERNEL,
    },
    "libraries": {
        "Makefile": (
            "all: lib.a\n\tnvcc -DHERE=1 k.cu lib.a -o k && ./k && nvcc -DHERE=1 -c last.cu\n"
            "lib.a: x.o f.o\n\tar rcs $@ x.o; ranlib lib.a; test -s lib.a\n"
            "x.o: x.cpp\n\t/usr/bin/g++ -MMD -c x.cpp; test -f x.o -a ! -s x.o\n"
            "f.o: f.f90\n\t-gfortran -c f.f90 || exit 3\n\t"
        ),
        "k.cu": KERNEL,
        "last.cu": KERNEL,
        "x.cpp": "this is no C++",
        "f.f90": "end",
    },
}


def lay_out(root: Path, projects: dict[str, dict[str, str]]) -> Path:
    for folder, files in projects.items():
        for name, text in files.items():
            path = root / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            if name.endswith(".o"):
                os.utime(path, (2e9, 2e9))
    return root


def ask(root: Path, scratch: Path) -> FoundCommands:
    return PLUGIN.find_commands(open_tree(root), scratch)


def only(files: dict[str, str], tmp_path: Path) -> Path:
    return lay_out(tmp_path / "project", {"": files})


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> FoundCommands:
    """What one tree with all the traps tells: each folder is a project of its own."""
    root = lay_out(tmp_path_factory.mktemp("projects"), IN_THE_WILD | ONLY_WHEN_RUN)
    return ask(root, tmp_path_factory.mktemp("scratch"))


def commands(answer: FoundCommands, folder: str) -> dict[str, CompileCommand]:
    return {
        c.file.removeprefix(f"{folder}/"): c
        for c in answer.commands
        if c.file.startswith(f"{folder}/")
    }


@pytest.mark.parametrize("folder", (IN_THE_WILD | ONLY_WHEN_RUN).keys())
def test_how_a_makefile_compiles_is_learnt(folder: str, answer: FoundCommands) -> None:
    recorded = commands(answer, folder)
    assert any(
        "-DHERE=1" in command.arguments and command.dialect == "cuda"
        for command in recorded.values()
    ), answer.log
    kernels = {
        name
        for name, text in (IN_THE_WILD | ONLY_WHEN_RUN)[folder].items()
        if text == KERNEL
    }
    assert kernels <= recorded.keys()
    assert {command.origin for command in recorded.values()} == {FlagsOrigin.RECORDED}


def test_include_paths_are_of_the_checkout(answer: FoundCommands) -> None:
    assert "-Iplain/inc" in commands(answer, "plain")["k.cu"].arguments
    assert "-Irecursive/deep" in commands(answer, "recursive")["deep/er/k.cu"].arguments


def test_targets_have_defines_of_their_own(answer: FoundCommands) -> None:
    recorded = commands(answer, "per target")
    assert "-DHERE=1" in recorded["a.cu"].arguments
    assert "-DHERE=1" not in recorded["b.cu"].arguments


def test_a_response_file_that_is_gone_was_read(answer: FoundCommands) -> None:
    assert commands(answer, "response")["k.cu"].arguments == ("-DHERE=1",)


def test_flags_for_the_host_compiler_are_kept(answer: FoundCommands) -> None:
    assert "-DTWO" in commands(answer, "runs what it built")["k.cu"].arguments


def test_a_tree_that_may_not_be_written_is_not(tmp_path: Path, scratch: Path) -> None:
    root = lay_out(tmp_path / "project", ONLY_WHEN_RUN)
    for path in (root, *root.rglob("*")):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    assert commands(ask(root, scratch), "loop")
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


def test_nothing_to_compile_is_a_failure_that_says_what_make_said(
    tmp_path: Path, scratch: Path
) -> None:
    root = only(
        {"Makefile": "$(error wants a supercomputer)\n", "k.cu": KERNEL}, tmp_path
    )
    with pytest.raises(ConfigureFailed) as raised:
        ask(root, scratch)
    assert "wants a supercomputer" in raised.value.output


@pytest.mark.parametrize(
    ("trap", "reason"),
    [
        ("$(shell sleep 60)\n", "took too long"),
        ("$(shell while :; do :; done)\n", "took too long"),
        ("all:\n\t+@while :; do echo flood; done\n", "without end"),
        ("all:\n\t+@$(MAKE) -f Makefile all\n", "too long|without end|exit code"),
        ("all:\n\t+@f() { f & f; }; f 2>/dev/null\n", "."),
        (
            "all:\n\t+@setsid sh -c 'while :; do :; done' >/dev/null 2>&1 & sleep 60\n",
            "took too long",
        ),
    ],
    ids=["sleeps", "loops", "floods", "recurses", "forks", "leaves a daemon"],
)
def test_a_makefile_that_never_ends_is_ended_and_named_and_the_next_one_asked(
    trap: str,
    reason: str,
    tmp_path: Path,
    scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(make_session, "_DRY_RUN_CALL_SECONDS", 1)
    monkeypatch.setattr(make_session, "_RUN_CALL_SECONDS", 1)
    monkeypatch.setattr(make_script, "_MAX_PRINTED_BYTES", 1 << 16)
    good = {"Makefile": "all:\n\tnvcc -DHERE -c k.cu\n", "k.cu": KERNEL}
    answer = ask(
        lay_out(tmp_path, {"a trap": {"Makefile": trap, "k.cu": KERNEL}, "good": good}),
        scratch,
    )
    assert commands(answer, "good")["k.cu"].arguments == ("-DHERE",)
    assert re.search(rf"in a trap(?:: | was ).*(?:{reason})", answer.log)


def test_a_makefile_cannot_poison_the_stubs(tmp_path: Path, scratch: Path) -> None:
    poison = (
        "POISON := $(shell for f in $$(which nvcc) /stubs/bin/nvcc /stubs/compiler /opt/cuda/bin/nvcc /usr/bin/g++; do"
        " (echo evil > $$f) 2>&1; rm -f $$f 2>&1; mv $$f $$f.old 2>&1; ln -sf /bin/true $$f 2>&1; chmod 777 $$f 2>&1;"
        " done)\nall:\n\tfor f in *.cu; do nvcc -DHERE=1 -c $$f; done; echo poisoned: $$(head -c 4 /stubs/compiler)\n"
    )
    answer = ask(only({"Makefile": poison, "k.cu": KERNEL}, tmp_path), scratch)
    assert answer.commands[0].arguments == ("-DHERE=1",)
    assert "evil" not in "".join(
        path.read_text() for path in scratch.rglob("stubs/*") if path.is_file()
    )


def test_a_makefile_sees_neither_the_host_nor_the_network(
    tmp_path: Path, scratch: Path
) -> None:
    (tmp_path / "secret").write_text("password")
    spy = (
        f"$(info SEEN $(shell cat {tmp_path}/secret; ls /root /home; sed 1d /proc/net/route) END)\n"
        "all:\n\tnvcc -c k.cu -include /etc/passwd -I/etc\n"
    )
    answer = ask(only({"Makefile": spy, "k.cu": KERNEL}, tmp_path), scratch)
    assert "SEEN  END" in answer.log
    assert answer.commands[0].arguments == ()


def test_a_makefile_counts_in_the_database(tmp_path: Path) -> None:
    files = {
        "Makefile": "all:\n\thipcc -DHERE=1 -c main.hip\n",
        "main.hip": "#include <hip/hip_runtime.h>\n" + KERNEL,
    }
    database = build_compile_database(only(files, tmp_path))
    assert [report.strategy for report in database.strategies if report.entries] == [
        "make",
        "synthesised",
    ]
    (command,) = database.commands
    assert (command.dialect, command.arguments, command.origin) == (
        "hip",
        ("-DHERE=1",),
        FlagsOrigin.RECORDED,
    )
