"""A kernel is shown by its name or by the start of its unit's digest, and nothing of a stranger's
text writes to the terminal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.contract.kernel_indexes import ALIGN, KERNELS, MMCV, crawl_in, fill_index
from tests.unit.storage.samples import make_unit
from workers.cli.exit_codes import DONE, NOTHING

if TYPE_CHECKING:
    from tests.unit.workers.cli.conftest import CommandLine


@pytest.fixture
def crawl(kernelset: CommandLine) -> str:
    """Fill the index of a home, and return the crawl that found some of its kernels."""
    with kernelset.open() as storage:
        crawl, task = crawl_in(storage)
        fill_index(storage.index, task)
    return crawl


def list_names(kernelset: CommandLine, *words: str) -> list[tuple[str, str]]:
    rows = kernelset.run("show", *words, "--json").rows
    return [(row["repo"]["name"], row["name"]) for row in rows]


@pytest.mark.parametrize("which", ["nms", "ns::nms"])
def test_a_kernel_is_found_by_its_name_plain_or_qualified(
    kernelset: CommandLine, crawl: str, which: str
) -> None:
    assert list_names(kernelset, which) == [("mmcv", "nms")]


def test_a_kernel_is_found_by_the_start_of_its_digest(
    kernelset: CommandLine, crawl: str
) -> None:
    names = list_names(kernelset, ALIGN.digest[:8])
    assert {name for _, name in names} == {"roi_align_forward"}
    assert len(names) == 2, "both repositories have it"
    assert list_names(kernelset, ALIGN.digest[:8], "--crawl", crawl) == [
        ("mmcv", "roi_align_forward")
    ]


def test_a_name_that_could_be_a_digest_is_a_name_where_no_digest_begins_so(
    kernelset: CommandLine,
) -> None:
    with kernelset.open() as storage:
        storage.index.put_commit(MMCV, "", "")
        named = replace(KERNELS[0], name="fade", unit=make_unit("x"))
        storage.index.put_kernels(MMCV, [named])
    assert list_names(kernelset, "fade") == [("mmcv", "fade")]


@pytest.mark.parametrize("name", ['operator""_x', "a\\b", "it's", "50%_*"])
def test_any_name_is_asked_for_as_it_is(kernelset: CommandLine, name: str) -> None:
    with kernelset.open() as storage:
        storage.index.put_commit(MMCV, "", "")
        kernels = [replace(KERNELS[1], name=name), KERNELS[0]]
        storage.index.put_kernels(MMCV, kernels)
    assert list_names(kernelset, name) == [("mmcv", name)]


def test_an_unknown_kernel_is_said(kernelset: CommandLine, crawl: str) -> None:
    answer = kernelset.run("show", "\x1b[2Jnobody")
    assert (answer.code, answer.out) == (NOTHING, "")
    assert "no kernel is called" in answer.err
    assert "\x1b" not in answer.err


def test_verdicts_and_the_port_are_shown(kernelset: CommandLine, crawl: str) -> None:
    answer = kernelset.run("show", "roi_align_forward", "--crawl", crawl)
    assert answer.code == DONE
    for words in ("roi_align_forward", "sm_80", "gfx90a", "rocm:gfx90a", "few-cases"):
        assert words in answer.out


def test_a_kernel_without_a_unit_says_why(kernelset: CommandLine, crawl: str) -> None:
    assert "unresolved:Foo" in kernelset.run("show", "Lost_100%").out


def test_what_a_stranger_wrote_does_not_reach_the_terminal(
    kernelset: CommandLine,
) -> None:
    hostile = replace(
        KERNELS[2], name="k", source="\x1b[2J", reason="\x1b[31m", tags=("\x1b[0m",)
    )
    with kernelset.open() as storage:
        storage.index.put_commit(MMCV, "", "")
        storage.index.put_kernels(MMCV, [hostile])
    answer = kernelset.run("show", "k")
    assert answer.code == DONE
    assert "\x1b" not in answer.out


def test_at_most_twenty_kernels_are_shown(kernelset: CommandLine) -> None:
    with kernelset.open() as storage:
        storage.index.put_commit(MMCV, "", "")
        spans = [
            replace(KERNELS[1].span, offset=number, end_offset=number + 1)
            for number in range(25)
        ]
        kernels = [replace(KERNELS[1], span=span) for span in spans]
        storage.index.put_kernels(MMCV, kernels)
    assert len(list_names(kernelset, "nms")) == 20
