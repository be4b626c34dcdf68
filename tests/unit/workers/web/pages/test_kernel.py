"""The page of a kernel shows how it was judged, where each line is from, and leads to each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from crawler.model import KernelRecord, Origin
from storage.interfaces import Place
from tests.web_client import fill_with_records, put_launched_record, serving
from workers.web.places import kernel_address

Kernel = tuple[TestClient, KernelRecord, str]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A page, a kernel that came through cases, and the address of its page."""
    with serving(tmp_path_factory.mktemp("home")) as (client, storage):
        record = put_launched_record(storage)
        fill_with_records(storage)
        repo, span = record.provenance.repo, record.kernel.span
        origins = (
            Origin(line=4, path="include/a <b>.cuh", first_line=30, last_line=33),
            Origin(line=10, path=span.path, first_line=11, last_line=22),
        )
        record = replace(record, kernel=replace(record.kernel, origins=origins))
        storage.index.put_kernels(repo, [record.kernel])
        place = Place(repo.label, repo.commit, span.path, span.offset)
        yield client, record, kernel_address(place)


def read_section(text: str, heading: str) -> str:
    """Return what stands under a heading of a page."""
    _, _, after = text.partition(f">{heading}</h2>")
    assert after, heading
    return after.partition("<h2")[0]


def test_runs_have_cases_with_tolerances_and_who_judged_them(kernel: Kernel) -> None:
    client, record, address = kernel
    runs = read_section(client.get(address).text, "Runs")
    (suite,) = [suite for _, suite in record.suites]
    for case in suite.cases:
        assert (f'<th scope="row">{case.name}' in runs) is not case.hidden
    assert "Judged by" in runs
    assert suite.oracle.meaning.replace("'", "&#39;") in runs
    assert 'data-label="Tolerance">' in runs
    assert 'data-label="Tolerance"></td>' not in runs, "how near is always said"


def test_builds_have_what_they_use(kernel: Kernel) -> None:
    client, record, address = kernel
    builds = read_section(client.get(address).text, "Builds")
    assert {build.target for build in record.builds} >= {"gfx90a"}
    uses = [use for build in record.builds for use in build.resources]
    for use in uses:
        if use.registers >= 0:
            assert f'data-label="Registers">{use.registers}</td>' in builds
    assert uses


def test_a_unit_says_where_its_parts_are_from_and_each_line_can_be_shared(
    kernel: Kernel,
) -> None:
    client, record, address = kernel
    text = client.get(address).text
    unit = read_section(text, "Unit")
    for line, origin in (
        (4, "include/a &lt;b&gt;.cuh:30"),
        (10, f"{record.kernel.span.path}:11"),
    ):
        head = f'<span class="origin">{origin}</span><span class="line'
        assert re.search(rf'{re.escape(head)}[ a-z]*" id="U{line}">', unit)
    assert 'id="U3"><a class="num" href="#U3">' in unit
    line = record.kernel.span.line
    source = read_section(text, "Source")
    assert f'id="S{line}"><a class="num" href="#S{line}">' in source


def test_launches_stand_where_they_are(kernel: Kernel) -> None:
    client, record, address = kernel
    section = read_section(client.get(address).text, "Launches")
    assert record.kernel.launches
    for launch in record.kernel.launches:
        assert f"{launch.span.path}:{launch.span.line}" in section
