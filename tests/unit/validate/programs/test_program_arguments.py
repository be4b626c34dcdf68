"""With which arguments programs are run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.programs.program_arguments import (
    find_run_folder,
    list_argument_sets,
    list_script_calls,
    parse_program_calls,
    reduce_arguments,
)


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("./main 100 200", ("100", "200")),
        ("OMP_NUM_THREADS=1 ./main -n 4 > out.txt", ("-n", "4")),
        ("nvcc -O3 main.cu -o main && ./main 'a b' 2>&1 | tee log", ("a b",)),
        ("cd build; ./main", ()),
    ],
)
def test_a_call_of_the_folders_own_program_has_its_arguments(
    line: str, arguments: tuple[str, ...]
) -> None:
    assert next(parse_program_calls(line)).arguments == arguments


@pytest.mark.parametrize(
    "line", ["nvcc -c a.cu", "./configure.sh -x", "echo './main", ""]
)
def test_other_commands_are_none(line: str) -> None:
    assert list(parse_program_calls(line)) == []


@given(st.text(max_size=200))
def test_no_output_of_make_breaks_the_reader(text: str) -> None:
    for call in parse_program_calls(text):
        assert len(call.arguments) <= 32


def test_numbers_are_divided_and_stay_above_zero() -> None:
    assert reduce_arguments(("-n", "4096", "7", "0", "1", "a8"), 16) == (
        "-n",
        "256",
        "1",
        "0",
        "1",
        "a8",
    )


@pytest.mark.apt
def test_a_makefile_says_how_its_program_is_run(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "Makefile").write_text("N = 64\nrun: main\n\t./main $(N) 2\nmain:\n")

    assert list_argument_sets(tmp_path, ".", "main.cu") == (("64", "2"),)


@pytest.mark.apt
def test_a_makefile_cannot_change_the_checkout(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "Makefile").write_text(
        "X := $(shell touch planted)\nrun:\n\t./main 1\n"
    )

    assert list_argument_sets(tmp_path, ".", "main.cu") == (("1",),)
    assert not (tmp_path / "planted").exists()


def test_a_program_is_run_beside_the_makefile_above_it(tmp_path: Path) -> None:
    (tmp_path / "app/src").mkdir(parents=True)
    (tmp_path / "app/Makefile").touch()

    assert find_run_folder(tmp_path, "app/src/main.cu") == "app"
    assert find_run_folder(tmp_path, "other/src/main.cu") == "other/src"


def test_a_script_says_how_its_program_is_run(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("./heat -f grid.txt\n#./heat 9\n./heat -s 16")
    (tmp_path / "heat.cu").touch()

    argument_sets = list_argument_sets(tmp_path, ".", "heat.cu")

    assert argument_sets == (("-f", "grid.txt"), ("-s", "16"), ())


def test_a_readme_shows_a_call_behind_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("    $ ./nbody.out 64\n")

    assert list_script_calls(tmp_path, {"nbody"}) == [("64",)]


@pytest.mark.parametrize("call", ["./heat <size>", "./heat $N", "./heat [-s size]"])
def test_what_a_reader_has_to_fill_in_is_no_argument(tmp_path: Path, call: str) -> None:
    (tmp_path / "README").write_text(call)

    assert list_script_calls(tmp_path, {"heat"}) in ([], [()])


def test_arguments_of_other_programs_are_not_taken(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("./heat 4\n./wave 8\n")

    assert list_script_calls(tmp_path, {"wave"}) == [("8",)]
    assert list_script_calls(tmp_path, {"other"}) == []


@pytest.mark.apt
def test_a_makefile_says_what_it_makes_of_a_source(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "Makefile").write_text("all:\n\tnvcc -O3 heat_float.cu -o fheat\n")
    (tmp_path / "run").write_text("./dheat 4\n./fheat 8\n")

    assert list_argument_sets(tmp_path, ".", "heat_float.cu") == (("8",), ())


def test_a_script_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far/run").write_text("./heat 4\n")
    (tmp_path / "run").symlink_to(tmp_path / "far/run")

    assert list_script_calls(tmp_path, {"heat"}) == []
