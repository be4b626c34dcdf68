from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from crawler.builds.cmake.configure_output import collect_configure_output
from crawler.checkout.generated_files import BuildOutput
from crawler.checkout.include_graph import IncludeGraph

KERNEL = "__global__ void k();\n"
Plant = Callable[[dict[str, str]], IncludeGraph]


def write_header(tmp_path: Path, name: str, text: str) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "config.h").write_text(text)
    return folder


def test_runs_that_write_the_same_share_a_folder(plant: Plant, tmp_path: Path) -> None:
    tree = plant({"k.cu": KERNEL}).tree
    build = write_header(tmp_path, "first", "#define A 1\n")
    folder, output = collect_configure_output(
        build, tree, BuildOutput(), conflict_suffix="-1"
    )
    assert [file.path for file in output.files] == [f"{folder}/config.h"]
    same = write_header(tmp_path, "second", "#define A 1\n")
    again = collect_configure_output(same, tree, output, conflict_suffix="-2")
    assert again == (folder, output)


def test_a_run_that_writes_another_text_has_a_folder_of_its_own(
    plant: Plant, tmp_path: Path
) -> None:
    tree = plant({"k.cu": KERNEL}).tree
    build = write_header(tmp_path, "first", "#define A 1\n")
    folder, output = collect_configure_output(
        build, tree, BuildOutput(), conflict_suffix="-1"
    )
    other = write_header(tmp_path, "second", "#define A 2\n")
    other_folder, other_output = collect_configure_output(
        other, tree, output, conflict_suffix="-2"
    )
    assert other_folder == f"{folder}-2"
    (file,) = other_output.files
    assert (file.path, file.text) == (f"{folder}-2/config.h", "#define A 2\n")
