from __future__ import annotations

from pathlib import Path

import pytest

from crawler.builds.make.makefiles import Makefiles
from crawler.checkout.include_graph import load_include_graph
from crawler.checkout.source_tree import open_tree

KERNEL = "__global__ void k();\n"


def find_makefiles(root: Path, files: dict[str, str]) -> Makefiles:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Makefiles(load_include_graph(open_tree(root)))


@pytest.mark.parametrize(
    ("text", "assignments"),
    [
        ("USE_CUDA ?= 0\nifeq ($(USE_CUDA), 1)\nendif", [("USE_CUDA=1",)]),
        ("USE_CUDA := no\nifeq ($(USE_CUDA),yes)", [("USE_CUDA=yes",)]),
        ("CUDA=OFF\nifneq ($(CUDA), OFF)", [("CUDA=on",)]),
        ("ifdef WITH_GPU", [("WITH_GPU=1",)]),
        ('ifeq "$(LLAMA_CUBLAS)" "true"', [("LLAMA_CUBLAS=true",)]),
        ("else ifdef X_HIPBLAS\nelse ifdef X_CUDA", [("X_CUDA=1",), ("X_HIPBLAS=1",)]),
        (
            "BACKEND ?= cpu\nifeq ($(BACKEND),cuda)\nelse ifeq ($(BACKEND),HIP)",
            [("BACKEND=cuda",), ("BACKEND=HIP",)],
        ),
        ("GPU_RUNTIME ?= HIP\nifeq ($(GPU_RUNTIME), CUDA)", [()]),
        ("ifdef CUDA_PATH\nifndef CUDA_ARCH\nifdef NVCCFLAGS", [()]),
        ("ifdef NO_CUDA\nifdef CPU_ONLY\nifdef DEBUG", [()]),
        ("all:\n\tnvcc k.cu", [()]),
    ],
)
def test_a_variable_that_asks_for_the_device_is_set(
    text: str, assignments: list[tuple[str, ...]], tmp_path: Path
) -> None:
    makefiles = find_makefiles(tmp_path, {"Makefile": text, "k.cu": KERNEL})
    assert [job.assignments for job in makefiles.iter_calls("")] == assignments


def test_a_switch_in_an_included_file_counts(tmp_path: Path) -> None:
    makefiles = find_makefiles(
        tmp_path,
        {"a/Makefile": "include ../x.mk", "x.mk": "ifdef USE_CUDA", "a/k.cu": KERNEL},
    )
    assert [job.assignments for job in makefiles.iter_calls("a")] == [("USE_CUDA=1",)]


def test_goals_are_those_written_out_but_for_what_builds_nothing(
    tmp_path: Path,
) -> None:
    text = ".PHONY: all\nall: a\na b.o: k.cu\nx := 1\nclean:\ninstall: all\n%.o: %.cu\n$(X): y\nhttp://x\n"
    (job,) = find_makefiles(tmp_path, {"Makefile": text, "k.cu": KERNEL}).iter_calls(
        "", all_goals=True
    )
    assert job.goals[:3] == ("all", "a", "b.o")
    assert not {"clean", "install"} & set(job.goals)


def test_the_outermost_makefiles_are_asked_and_other_peoples_last(
    tmp_path: Path,
) -> None:
    files = {
        f"{folder}/{name}": ""
        for folder in ("a", "a/b", "third_party/x")
        for name in ("Makefile",)
    }
    kernels = dict.fromkeys(("a/b/k.cu", "third_party/x/k.cu", "docs/x.cu"), KERNEL)
    makefiles = find_makefiles(
        tmp_path,
        {**files, **kernels, "docs/Makefile": "html:", "host/Makefile": "all: x.c"},
    )
    assert makefiles.find_outermost_folders() == ("a", "docs", "third_party/x")


@pytest.mark.parametrize(
    "name", ["Makefile.am", "Makefile.in", "makefile.vc", "Makefile.bak", "Makefile.md"]
)
def test_what_is_no_makefile_is_not_asked(name: str, tmp_path: Path) -> None:
    assert not find_makefiles(
        tmp_path, {name: "nvcc", "k.cu": KERNEL}
    ).find_outermost_folders()


def test_a_file_belongs_to_the_nearest_makefile_that_means_it(tmp_path: Path) -> None:
    files = {
        "Makefile": "DIRS = src",
        "src/deep/k.cu": KERNEL,
        "other/l.cu": KERNEL,
        "a/Makefile": "%.cu",
        "a/m.cu": KERNEL,
    }
    makefiles = find_makefiles(tmp_path, files)
    assert makefiles.find_nearest_folders(["src/deep/k.cu"]) == ("",)
    assert makefiles.find_nearest_folders(["other/l.cu"]) == ()
    assert makefiles.find_nearest_folders(["a/m.cu"]) == ("a",)
