"""The style benchmark counts what a reader stumbles over."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.style import Measure, format_report, main, measure_sources

DENSE = '''"""A module."""


def told(one):
    """Say it."""
    found = [each for each in one if each]
    return found
'''
CLEAR = '''"""A module."""


def find_kernels(lines):
    """Return the lines that name a kernel."""
    # a comment that says why
    kernel_lines = []

    for line in lines:
        if line:
            kernel_lines.append(line)
    return kernel_lines
'''


@pytest.fixture
def measures(tmp_path: Path) -> dict[str, Measure]:
    measures = {}
    for name, text in (("dense", DENSE), ("clear", CLEAR)):
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        measures[name] = measure_sources([path])
    return measures


def test_bare_participles_and_vague_values_are_counted(
    measures: dict[str, Measure],
) -> None:
    assert measures["dense"].participle_share == 1.0
    assert measures["dense"].vague_share == 1.0
    assert len(measures["dense"].vague_values) == 3
    assert measures["clear"].participle_share == 0.0
    assert measures["clear"].vague_share == 0.0


def test_dense_lines_hold_more_nodes(measures: dict[str, Measure]) -> None:
    assert measures["dense"].nodes_per_line > measures["clear"].nodes_per_line


def test_lines_that_a_statement_is_broken_into_change_its_nodes_in_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "code.py"
    path.write_text("def add(left, right):\n    return left + right\n")
    flat = measure_sources([path])
    path.write_text(
        "def add(left, right):\n    return (\n        left\n        + right\n    )\n"
    )
    broken = measure_sources([path])

    assert broken.nodes_per_statement == flat.nodes_per_statement == 7
    assert broken.nodes_per_line < flat.nodes_per_line


def test_docstrings_are_no_part_of_a_body(tmp_path: Path) -> None:
    path = tmp_path / "documented.py"
    path.write_text(
        'def stop() -> None:\n    """Say\n\n    much.\n    """\n    return\n'
    )
    assert measure_sources([path]).body_lines == 1


def test_comments_are_counted_but_not_in_strings(measures: dict[str, Measure]) -> None:
    assert measures["clear"].comment_lines == 1
    assert measures["dense"].comment_lines == 0


def test_long_functions_and_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text("def act() -> None:\n" + "    print()\n" * 301)
    measure = measure_sources([path])
    assert measure.long_functions == [f"{path}:1: act has 302 lines"]
    assert measure.long_files == [f"{path}: 302 lines"]


def test_an_imperative_that_looks_like_a_participle_is_a_verb(tmp_path: Path) -> None:
    path = tmp_path / "verbs.py"
    path.write_text(
        "def read() -> None:\n    pass\n\n\ndef listed() -> None:\n    pass\n"
    )
    assert [
        place.rpartition(" ")[2] for place in measure_sources([path]).participles
    ] == ["listed"]


def test_the_table_has_a_column_a_folder(measures: dict[str, Measure]) -> None:
    header, _, *rows = format_report(measures)
    assert header == "|  | dense | clear |"
    assert "| bare participles | 100.0% | 0.0% |" in rows


def test_what_is_worst_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dense.py").write_text(DENSE)
    assert main([str(tmp_path), "--worst", "1"]) == 0
    assert "told is a bare participle" in capsys.readouterr().out
