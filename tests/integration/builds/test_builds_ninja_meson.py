"""Projects of Ninja and of Meson that this machine could not build."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from crawler.builds.interface import BuildSystem
from crawler.builds.systems.meson import PLUGIN as MESON
from crawler.builds.systems.ninja import PLUGIN as NINJA
from crawler.checkout.source_tree import open_tree
from crawler.errors import ConfigureFailed
from crawler.model import CompileCommand

pytestmark = pytest.mark.apt("ninja", "bwrap")

KERNEL = '#include "k.h"\n__global__ void k(int* p) { *p = VALUE; }\n'
SOURCES = {"src/k.cu": KERNEL, "inc/k.h": "#define VALUE 1\n"}
RULES = """
rule cu
  command = cd sub && {nvcc} $flags -c $in -o $out
rule listed
  command = {nvcc} @$out.rsp -c $in -o $out
  rspfile = $out.rsp
  rspfile_content = $flags
"""
OPTIONAL = """
project('p', 'cpp', default_options: ['cpp_std=c++17'])
if not get_option('use-cuda').enabled()
  error('the GPU part is off')
endif
add_languages('cuda')
absent = dependency('absent', version: '>=2.0')
lost = meson.get_compiler('cpp').find_library('lost')
find_program('gone')
static_library('p', 'src/k.cu', include_directories: 'inc', dependencies: [absent, lost], cuda_args: ['-DX=1'])
"""


def learn(
    plugin: BuildSystem, tmp_path: Path, files: Mapping[str, str]
) -> list[CompileCommand]:
    root, scratch = tmp_path / "ein Projekt ü", tmp_path / "scratch"
    scratch.mkdir()
    for name, text in {**SOURCES, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return list(plugin.find_commands(open_tree(root), scratch).commands)


def test_rules_and_response_files(tmp_path: Path) -> None:
    text = RULES.format(nvcc="/usr/local/cuda/bin/nvcc")
    text += "build a.o: listed ../src/k.cu\n flags = -I../inc -DA\nbuild b.o: listed ../src/k.cu\n flags = -I../inc -DB\n"
    commands = learn(NINJA, tmp_path, {"build/build.ninja": text})
    assert [(command.file, command.arguments) for command in commands] == [
        ("src/k.cu", ("-Iinc", "-DA")),
        ("src/k.cu", ("-Iinc", "-DB")),
    ]


def test_rules_that_were_written_elsewhere(tmp_path: Path) -> None:
    text = (
        RULES.format(nvcc="nvcc")
        + "build a.o: listed /home/somebody/p/src/k.cu\n flags = -I/home/somebody/p/inc\n"
    )
    (command,) = learn(NINJA, tmp_path, {"build/build.ninja": text})
    assert (command.file, command.arguments) == ("src/k.cu", ("-Iinc",))


def test_broken_rules_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigureFailed, match=r"build\.ninja") as raised:
        learn(NINJA, tmp_path, {"build.ninja": "build a: nothing b\n"})
    assert "unknown build rule" in raised.value.output


def test_meson_with_everything_missing(tmp_path: Path) -> None:
    options = "option('use-cuda', description: 'the GPU part', type: 'feature', value: 'disabled')\n"
    (command,) = learn(
        MESON, tmp_path, {"meson.build": OPTIONAL, "meson_options.txt": options}
    )
    assert command.file == "src/k.cu"
    assert {"-Iinc", "-DX=1"} <= set(command.arguments)
    assert command.dialect == "cuda"


def test_a_meson_project_below_another_is_its_own_affair(tmp_path: Path) -> None:
    part = "project('part', 'cpp')\n"
    files = {
        "meson.build": "project('p', 'cpp', 'cuda')\nstatic_library('p', 'src/k.cu')\n",
        "part/meson.build": part,
    }
    assert [command.file for command in learn(MESON, tmp_path, files)] == ["src/k.cu"]


def test_a_meson_project_that_is_broken_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigureFailed, match="Expecting"):
        learn(MESON, tmp_path, {"meson.build": "project('p'\n"})
