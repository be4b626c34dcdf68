from __future__ import annotations

from pathlib import Path

from crawler.builds.cmake import custom_commands
from crawler.builds.cmake.custom_commands import list_custom_outputs


def write_rules(folder: Path, rules: str) -> Path:
    (folder / "build.ninja").write_text(rules)
    return folder


def test_sources_and_headers_of_custom_commands_are_listed_once(tmp_path: Path) -> None:
    rules = """\
build gen/config.h | ${cmake_ninja_workdir}gen/config.h: CUSTOM_COMMAND ../config.h.in
build gen/kernels.cu gen/log.txt: CUSTOM_COMMAND ../make.py
build gen/config.h: CUSTOM_COMMAND ../config.h.in
build other.o: CXX_COMPILER ../other.cpp
"""
    outputs = list_custom_outputs(write_rules(tmp_path, rules))
    assert outputs == ("gen/config.h", "gen/kernels.cu")


def test_a_name_with_a_space_is_one_name(tmp_path: Path) -> None:
    rules = "build my$ gen/a.h b.h: CUSTOM_COMMAND x\n"
    assert list_custom_outputs(write_rules(tmp_path, rules)) == ("my gen/a.h", "b.h")


def test_a_name_that_could_be_an_option_is_left_out(tmp_path: Path) -> None:
    rules = "build -t.h good.h: CUSTOM_COMMAND x\n"
    assert list_custom_outputs(write_rules(tmp_path, rules)) == ("good.h",)


def test_no_more_names_than_a_command_line_holds(tmp_path: Path) -> None:
    short_names = " ".join(f"{number}.h" for number in range(5000))
    rules = f"build {short_names}: CUSTOM_COMMAND x\n"
    outputs = list_custom_outputs(write_rules(tmp_path, rules))
    assert len(outputs) == custom_commands._MAX_OUTPUTS

    long_names = [f"{'n' * 80_000}{number}.h" for number in range(10)]
    lines = [f"build {name}: CUSTOM_COMMAND x\n" for name in long_names]
    outputs = list_custom_outputs(write_rules(tmp_path, "".join(lines)))
    assert 0 < sum(map(len, outputs)) <= custom_commands._MAX_CHARACTERS


def test_a_folder_that_was_not_configured_has_none(tmp_path: Path) -> None:
    assert list_custom_outputs(tmp_path) == ()
