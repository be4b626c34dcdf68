"""Every convention holds in projects of the field that are independent of each other."""

import msgspec
import pytest

from crawler.conventions.table import (
    Convention,
    NameKind,
    compile_names,
    list_conventions,
    load_conventions,
)
from crawler.validate.evidence.names import (
    split_name_words,
    typical_real,
    typical_size,
)

CONVENTIONS = load_conventions()
NUMBERS = (
    NameKind.BLOCK_SIZE,
    NameKind.SIZE,
    NameKind.COUNT,
    NameKind.COUNT_WORD,
    NameKind.REAL,
)
IDS = [f"{row.kind}: {row.meaning}" for row in CONVENTIONS]


@pytest.mark.parametrize("convention", CONVENTIONS, ids=IDS)
def test_two_independent_projects_show_each_convention(convention: Convention) -> None:
    projects = {sighting.project for sighting in convention.seen_in}
    assert len(projects) >= 2, f"{convention.meaning} is known of {projects} alone"
    assert all(sighting.file and sighting.name for sighting in convention.seen_in)


def test_there_are_conventions_of_every_kind() -> None:
    assert {row.kind for row in CONVENTIONS} == set(NameKind)


def test_a_kind_is_listed_in_the_order_of_the_table() -> None:
    reals = list_conventions(NameKind.REAL)
    assert reals == tuple(row for row in CONVENTIONS if row.kind is NameKind.REAL)
    assert reals[0].number == 1e-5


def test_only_numbers_have_an_ordinary_value() -> None:
    for row in CONVENTIONS:
        assert (row.value is not None) == (row.kind in NUMBERS)
    (lock,) = list_conventions(NameKind.LOCK)
    with pytest.raises(ValueError, match="no value"):
        _ = lock.number


@pytest.mark.parametrize("kind", [kind for kind in NameKind if kind not in NUMBERS])
def test_a_compiled_kind_finds_every_name_that_it_was_seen_by(kind: NameKind) -> None:
    pattern = compile_names(kind)
    for row in list_conventions(kind):
        for sighting in row.seen_in:
            assert pattern.search(sighting.name), sighting


# Names of cuBLAS, Caffe, NVIDIA's samples, Ginkgo, cuSPARSE and CUTLASS
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (NameKind.STRIDE, "lda"),
        (NameKind.STRIDE, "row_stride"),
        (NameKind.STRIDE, "imagePitch"),
        (NameKind.LOCK, "mutex"),
        (NameKind.ASCENDING_CONTENTS, "row_ptrs"),
        (NameKind.ASCENDING_CONTENTS, "csrRowPtr"),
        (NameKind.COUNT_CONTENTS, "num_neighbours"),
        (NameKind.DIVISOR_SHIFT, "shift_right"),
        (NameKind.LINK_CONTENTS, "leftChild"),
        (NameKind.LINK_CONTENTS, "nextNode"),
        (NameKind.RANK, "num_axes_n"),
        (NameKind.RANK, "axisCount"),
    ],
)
def test_names_of_other_projects_are_recognised(kind: NameKind, name: str) -> None:
    assert compile_names(kind).search(name)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (NameKind.LOCK, "block"),
        (NameKind.LOCK, "clock"),
        (NameKind.STRIDE, "width"),
        (NameKind.LINK_CONTENTS, "nextafter"),
        (NameKind.DIVISOR_MULTIPLIER, "simul"),
        (NameKind.LINK_CONTENTS, "transparent"),
        (NameKind.ASCENDING_CONTENTS, "document_ids"),
        (NameKind.RANK, "mean"),
    ],
)
def test_names_that_only_look_alike_are_not(kind: NameKind, name: str) -> None:
    assert not compile_names(kind).search(name)


@pytest.mark.parametrize("convention", CONVENTIONS, ids=IDS)
def test_each_alternative_of_a_pattern_was_seen(convention: Convention) -> None:
    names = [sighting.name for sighting in convention.seen_in]
    if convention.kind in NUMBERS:
        names = [split_name_words(name) for name in names]
    for alternative in list_alternatives(convention.pattern):
        pattern = msgspec.structs.replace(convention, pattern=alternative).expression
        assert any(pattern.search(name) for name in names), alternative


def list_alternatives(pattern: str) -> list[str]:
    """Return what stands between the bars of a pattern that are in no bracket."""
    alternatives = [""]
    depth = 0
    for position, character in enumerate(pattern):
        is_escaped = pattern[:position].endswith("\\")
        if not is_escaped:
            depth += (character in "([") - (character in ")]")
        if character == "|" and depth == 0:
            alternatives.append("")
        else:
            alternatives[-1] += character
    return alternatives


@pytest.mark.parametrize("convention", CONVENTIONS, ids=IDS)
def test_numbers_that_go_by_a_name_that_was_seen_get_its_value(
    convention: Convention,
) -> None:
    for sighting in convention.seen_in:
        if convention.kind is NameKind.REAL:
            assert typical_real(sighting.name) == convention.number
        elif convention.kind in NUMBERS:
            assert typical_size((sighting.name,)) == convention.number
