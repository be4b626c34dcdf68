"""What a build has written becomes part of its checkout: as much as is wanted, and nothing that
a stranger slips in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.builds.commands.database_entries import DatabaseEntry, translate_entries
from crawler.checkout import generated_files
from crawler.checkout.generated_files import (
    GeneratedPathMapper,
    collect_build_output,
    limit_generated_files,
    write_generated_files,
)
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import SourceTree, open_tree
from crawler.model import FlagsOrigin, GeneratedFile

KERNEL = "template <typename T> __global__ void k(T* p) { *p = 1; }\n"
Planted = Callable[..., Path]


@pytest.fixture
def write_folder(tmp_path: Path) -> Planted:
    def plant(name: str, files: dict[str, str | bytes]) -> Path:
        for path, content in files.items():
            place = tmp_path / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(
                content if isinstance(content, bytes) else content.encode()
            )
        return tmp_path / name

    return plant


@pytest.fixture
def tree(write_folder: Planted) -> SourceTree:
    return open_tree(
        write_folder(
            "tree",
            {"src/k.cuh": KERNEL, "src/old.cu": "int a;\n", "src/b.cu": "int b;\n"},
        )
    )


def paths(files: tuple[GeneratedFile, ...]) -> list[str]:
    return [file.path for file in files]


def test_sources_and_headers_that_the_checkout_has_not_are_kept(
    tree: SourceTree, write_folder: Planted
) -> None:
    files = {
        "src/old.cu": "int changed;\n",
        "gen/a.cu": "int c;\n",
        "gen/config.h": "#define N 1\n",
        "gen/list.txt": "a.cu",
        "a.o": b"\x7fELF",
        "CMakeFiles/3.25/CompilerIdCUDA/x.cu": "int id;\n",
        "conftest.c": "int main() {}\n",
        "src/old.hip": "int translated;\n",
    }
    assert paths(collect_build_output(write_folder("copy", files), tree).files) == [
        "gen/a.cu",
        "gen/config.h",
    ]


@pytest.mark.parametrize(
    "content", [b"int x\0;", b"// \xff\xfe\n", b"", b"/" * (5 << 20)]
)
def test_what_is_no_text_or_too_long_is_left(
    content: bytes, tree: SourceTree, write_folder: Planted
) -> None:
    assert (
        collect_build_output(write_folder("copy", {"gen/a.cu": content}), tree).files
        == ()
    )


def test_links_and_names_for_terminals_are_left(
    tree: SourceTree, write_folder: Planted
) -> None:
    copy = write_folder("copy", {"gen/\x1b[2J.h": "int x;\n", "gen/a.h": "int y;\n"})
    (copy / "gen/b.h").symlink_to("/etc/passwd")
    assert paths(collect_build_output(copy, tree).files) == ["gen/a.h"]


def test_a_copy_of_a_header_includes_the_header_and_a_copied_source_is_the_source(
    tree: SourceTree, write_folder: Planted
) -> None:
    build = write_folder("build", {"include/k.cuh": KERNEL, "copied/b.cu": "int b;\n"})
    output = collect_build_output(build, tree, checkout_folder=".generated/cmake")
    assert [(file.path, file.text) for file in output.files] == [
        (".generated/cmake/include/k.cuh", '#include "../../../src/k.cuh"\n')
    ]
    assert output.copied_sources == {".generated/cmake/copied/b.cu": "src/b.cu"}


def test_commands_name_what_was_written_elsewhere_and_folders_only_where_something_was_kept(
    tree: SourceTree, write_folder: Planted
) -> None:
    build = write_folder(
        "build",
        {"late/a.cu": KERNEL, "config/c.h": "#define N 1\n", "copied/b.cu": "int b;\n"},
    )
    output = collect_build_output(build, tree, checkout_folder=".generated/cmake")
    words = ["nvcc", "-Iconfig", "-I/build/empty", "-I/build", "-c"]
    entries = [
        DatabaseEntry(file=file, directory="/build", arguments=[*words, file])
        for file in ("late/a.cu", "copied/b.cu")
    ]
    graph = IncludeGraph(tree.with_generated(output.files))
    result = translate_entries(
        entries,
        graph,
        base_folder="/build",
        origin=FlagsOrigin.EXPORTED,
        recorded_root="/src",
        generated_paths=GeneratedPathMapper("/build", ".generated/cmake", output),
    )
    flags = ("-I.generated/cmake/config", "-I.generated/cmake")
    assert [(command.file, command.arguments) for command in result.commands] == [
        (".generated/cmake/late/a.cu", flags),
        ("src/b.cu", flags),
    ]


def test_a_tree_reads_what_was_written_and_its_own_files_as_they_are(
    tree: SourceTree,
) -> None:
    files = (
        GeneratedFile(path="gen/a.cu", text="made"),
        GeneratedFile(path="src/b.cu", text="changed"),
    )
    extended_tree = tree.with_generated(files)
    assert paths(extended_tree.generated) == ["gen/a.cu"]
    assert (
        extended_tree.read_text("gen/a.cu"),
        extended_tree.read_text("src/b.cu"),
        extended_tree.read_text("gen/none.cu"),
    ) == ("made", "int b;\n", "")


def test_a_database_holds_as_much_as_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [GeneratedFile(path=f"{name}.h", text="x" * 10) for name in "cab"]
    assert paths(limit_generated_files([*files, replace(files[0], text="later")])) == [
        "a.h",
        "b.h",
        "c.h",
    ]
    monkeypatch.setattr(generated_files, "MAX_GENERATED_BYTES", 25)
    assert paths(limit_generated_files(files)) == ["a.h", "c.h"]
    monkeypatch.setattr(generated_files, "MAX_GENERATED_FILES", 1)
    assert paths(limit_generated_files(files)) == ["c.h"]


def test_a_folder_of_sources_ends_at_the_bound(
    tree: SourceTree, write_folder: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generated_files, "MAX_GENERATED_FILES", 3)
    copy = write_folder(
        "copy", {f"gen/{number}.cu": f"int x{number};\n" for number in range(9)}
    )
    assert len(collect_build_output(copy, tree).files) == 3


def test_what_was_written_is_laid_over_a_copy_but_not_where_a_file_is_in_the_way(
    write_folder: Planted,
) -> None:
    root = write_folder("root", {"src/b.cu": "int b;\n", "build": "a script\n"})
    texts = {
        "build/a.h": "x",
        "src": "a file in place of the folder",
        "gen/a.cu": "int a;\r\n",
    }
    write_generated_files(
        root, [GeneratedFile(path=path, text=text) for path, text in texts.items()]
    )
    assert (root / "src/b.cu").read_text() == "int b;\n"
    assert (root / "gen/a.cu").read_bytes() == b"int a;\r\n"
    assert (root / "build").read_text() == "a script\n"


def test_nothing_is_laid_through_a_link_or_under_an_endless_name(
    write_folder: Planted, tmp_path: Path
) -> None:
    root = write_folder("root", {"src/b.cu": "int b;\n"})
    (root / "made").symlink_to(write_folder("elsewhere", {"a.h": "mine\n"}))
    (root / "c.h").symlink_to(tmp_path / "elsewhere/a.h")
    names = ("made/a.h", "made/new/b.h", "c.h", "../out.h", "deep/" * 900 + "d.h")
    write_generated_files(
        root, [GeneratedFile(path=name, text="written") for name in names]
    )
    assert sorted(path.name for path in (tmp_path / "elsewhere").rglob("*")) == ["a.h"]
    assert (tmp_path / "elsewhere/a.h").read_text() == "mine\n"
    assert not (tmp_path / "out.h").exists()


def test_what_a_build_calls_its_folders_is_not_kept_in_includes(
    tree: SourceTree, write_folder: Planted
) -> None:
    text = '#include "/src/src/k.cuh"\n# include "/build/x.h"\n#include "/etc/y.h"\nchar* s = "/src";\n'
    folder = write_folder("build", {"sub/unity.cu": text})
    output = collect_build_output(
        folder,
        tree,
        checkout_folder=".generated",
        mounts={"/build": ".generated", "/src": ""},
    )
    assert [file.text for file in output.files] == [
        '#include "../../src/k.cuh"\n# include "../x.h"\n#include "/etc/y.h"\nchar* s = "/src";\n'
    ]
