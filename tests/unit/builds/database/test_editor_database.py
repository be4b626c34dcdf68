from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.builds.database.editor_database import make_editor_entry
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.toolchains.clang_flags import get_parse_prelude

Plant = Callable[[dict[str, str]], IncludeGraph]


def make_command(file: str, *arguments: str, dialect: Dialect | None) -> CompileCommand:
    return CompileCommand(
        directory=".",
        file=file,
        arguments=arguments,
        dialect=dialect,
        origin=FlagsOrigin.EXPORTED,
    )


def test_a_kernel_is_parsed_against_our_headers(plant: Plant, tmp_path: Path) -> None:
    graph = plant({"src/k.cu": "__global__ void k();\n"})
    command = make_command("src/k.cu", "-Iinc", "-std=c++20", dialect=Dialect.CUDA)
    entry = make_editor_entry(graph, command, tmp_path / "overlay.yaml")
    root = graph.tree.root
    assert entry["file"] == str(root / "src/k.cu")
    assert Path(entry["directory"]) == root
    arguments = entry["arguments"]
    assert arguments[0] == "clang++"
    assert arguments[-1] == entry["file"]
    assert [word for word in arguments if word.startswith("-std=")] == ["-std=c++20"]
    assert "-Iinc" in arguments
    assert any(str(tmp_path / "overlay.yaml") in word for word in arguments)


@pytest.mark.parametrize(
    ("text", "with_torch"),
    [
        ("#include <torch/extension.h>\n", True),
        ('#include "wrapper.h"\n', True),
        ("#include <torchvision.h>\n", False),
        ("", False),
    ],
)
def test_the_prelude_has_torch_where_a_source_includes_it(
    plant: Plant, tmp_path: Path, text: str, with_torch: bool
) -> None:
    graph = plant({"k.cu": text, "wrapper.h": "#include <ATen/ATen.h>\n"})
    command = make_command("k.cu", dialect=Dialect.CUDA)
    arguments = make_editor_entry(graph, command, tmp_path)["arguments"]
    forced = arguments[arguments.index("-include") + 1]
    assert forced == str(get_parse_prelude(with_torch=with_torch))


def test_a_source_in_c_is_left_as_it_is(plant: Plant, tmp_path: Path) -> None:
    graph = plant({"host.c": "int x;\n"})
    command = make_command("host.c", "-DX", dialect=None)
    entry = make_editor_entry(graph, command, tmp_path)
    assert entry["arguments"] == ["clang", "-DX", str(graph.tree.root / "host.c")]
