"""An export refuses what it cannot name, and counts what it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.dataset.selection.skip_counts import SkipCounts, SkipReason
from crawler.errors import Misconfigured
from crawler.model import Licence, LicenceClass
from workers.cli.app import app
from workers.cli.exports.export_notes import print_skip_counts
from workers.cli.exports.export_values import (
    add_superseded_term,
    parse_licence_classes,
    parse_shares,
    refuse_to_overwrite,
)


def test_licence_classes_are_named_or_all() -> None:
    assert parse_licence_classes("any") == frozenset(LicenceClass)
    assert parse_licence_classes("permissive, copyleft") == {
        LicenceClass.PERMISSIVE,
        LicenceClass.COPYLEFT,
    }
    with pytest.raises(Misconfigured, match=r"give some of .*permissive.* any"):
        parse_licence_classes("free")


def test_what_somebody_else_wrote_is_not_overwritten(tmp_path: Path) -> None:
    destination = tmp_path / "thesis.txt"
    destination.write_text("mine")

    with pytest.raises(Misconfigured) as raised:
        refuse_to_overwrite(destination, force=False)
    assert raised.value.code == "destination-exists"
    refuse_to_overwrite(destination, force=True)
    refuse_to_overwrite(tmp_path / "new", force=False)


def make_licence(spdx: str, licence_class: LicenceClass) -> Licence:
    return Licence(spdx=spdx, kind=licence_class, evidence="LICENSE")


def test_what_was_left_out_is_told_by_its_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    skip_counts = SkipCounts()
    mit = make_licence("MIT", LicenceClass.PERMISSIVE)
    gpl = make_licence("GPL-3.0-only", LicenceClass.COPYLEFT)
    skip_counts.add(LicenceClass.COPYLEFT, gpl)
    for _ in range(3):
        skip_counts.add(SkipReason.OPTED_OUT, mit)
    for _ in range(2):
        skip_counts.add(SkipReason.COPY, mit)

    print_skip_counts(skip_counts, frozenset({LicenceClass.PERMISSIVE}))
    assert capsys.readouterr().err == (
        "left out 1 kernels for their licence: 1 GPL-3.0-only (copyleft);"
        " `--licence permissive,copyleft` takes them, too\n"
        "left out 3 kernels that opted out; see `optouts`\n"
        "left out 2 near copies of other kernels; `--copies` takes them, too\n"
    )


def test_nothing_is_said_of_licences_where_only_opted_out_kernels_were_skipped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    skip_counts = SkipCounts()
    skip_counts.add(SkipReason.OPTED_OUT, make_licence("MIT", LicenceClass.PERMISSIVE))
    skip_counts.add(SkipReason.OPTED_OUT, make_licence("BSD", LicenceClass.PERMISSIVE))
    print_skip_counts(skip_counts, frozenset({LicenceClass.PERMISSIVE}))
    assert (
        capsys.readouterr().err == "left out 2 kernels that opted out; see `optouts`\n"
    )

    print_skip_counts(SkipCounts(), frozenset())
    assert capsys.readouterr().err == ""


def test_a_licence_id_with_control_characters_stays_on_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    skip_counts = SkipCounts()
    hostile = make_licence("MIT\x1b[2J\nleft out nothing", LicenceClass.NONE)
    skip_counts.add(LicenceClass.NONE, hostile)
    print_skip_counts(skip_counts, frozenset())

    note = capsys.readouterr().err
    assert note.count("\n") == 1
    assert "\x1b" not in note


@pytest.mark.parametrize(
    ("splits", "split", "form", "problem"),
    [
        ("train=0.9,test=0.1", "", "jsonl", "jsonl has no splits"),
        ("", "holdout", "jsonl", "no split is called holdout"),
        ("train=2", "", "huggingface", "is no split"),
    ],
)
def test_splits_that_do_not_fit_are_refused(
    splits: str, split: str, form: str, problem: str
) -> None:
    with pytest.raises(Misconfigured, match=problem) as raised:
        parse_shares(splits, split, form, 0)
    assert raised.value.code == "bad-splits"


def test_only_what_can_hold_splits_is_split() -> None:
    assert parse_shares("", "", "jsonl", 0) is None
    hub = parse_shares("", "", "huggingface", 0)
    assert hub
    assert [name for name, _ in hub.shares] == ["train", "validation", "test"]
    shares = parse_shares("a=0.5,b=0.5", "b", "parquet", 7)
    assert shares
    assert shares.seed == 7


def test_a_filter_of_several_terms_leaves_superseded_kernels_out_of_all() -> None:
    assert add_superseded_term("a or b", False) == "(a or b) superseded = no"
    assert add_superseded_term(" ", False) == "superseded = no"
    assert add_superseded_term("a", True) == "a"
    assert add_superseded_term("superseded = yes", False) == "superseded = yes"


def test_a_file_in_no_folder_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured) as raised:
        refuse_to_overwrite(tmp_path / "nowhere" / "k.jsonl", force=True)
    assert raised.value.code == "no-such-folder"


def test_a_report_is_not_written_over_what_somebody_else_wrote(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("mine")
    benchmark = tmp_path / "benchmark.cu"
    benchmark.write_text("__global__ void k(float* x) { x[0] = 1; }")
    words = (
        *("--home", str(tmp_path), "export", "kernels", str(tmp_path / "k.jsonl")),
        *("--decontaminate", str(benchmark), "--contamination-report", str(thesis)),
    )
    with pytest.raises(Misconfigured) as raised:
        app(words, prog_name="kernelset", standalone_mode=False)
    assert raised.value.code == "destination-exists"
    assert thesis.read_text() == "mine"
