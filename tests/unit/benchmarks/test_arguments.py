"""Options that benchmarks share mean the same in each."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import arguments


def test_a_benchmark_is_described_by_the_first_line_of_its_docstring(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parser = arguments.create_parser("waves", "Measure waves.\n\nAt length.\n")
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(["--help"])
    shown_help = capsys.readouterr().out
    assert ended.value.code == 0
    assert shown_help.startswith("usage: python -m benchmarks waves")
    assert "Measure waves." in shown_help
    assert "At length." not in shown_help


def test_a_report_is_written_only_where_one_was_asked_for() -> None:
    parser = arguments.create_parser("waves", None)
    arguments.add_results(parser)
    assert parser.parse_args([]).results is None
    assert parser.parse_args(["--results", "a/b.md"]).results == Path("a/b.md")


def test_what_has_nothing_but_its_report_cannot_go_without_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parser = arguments.create_parser("waves", None)
    arguments.add_results(parser, required=True)
    with pytest.raises(SystemExit):
        parser.parse_args([])
    assert "--results" in capsys.readouterr().err


def test_packages_are_named_or_chosen_by_their_number() -> None:
    parser = arguments.create_parser("waves", None)
    arguments.add_corpus_choice(parser)
    arguments.add_folder(parser)
    chosen = parser.parse_args(["mmcv", "apex", "--smoke", "--folder", "/unpacked"])
    assert chosen.names == ["mmcv", "apex"]
    assert (chosen.smoke, chosen.all) == (True, False)
    assert chosen.folder == Path("/unpacked")
