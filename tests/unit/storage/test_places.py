"""A kernel is found by where it stands, whatever strangers call that."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.in_memory.index import InMemoryKernelIndex
from storage.index.query.glob import Glob
from storage.index.query.parser import parse_query
from storage.index.query.quoting import quote_value
from storage.index.query.terms import Term
from storage.interfaces import Place
from storage.places import find_record, place_expression
from tests.unit.storage.samples import REPO, make_kernel

# neither NUL nor a lone surrogate can be asked for
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
)
NASTY = [
    'a"b',
    "a\\",
    '\\"',
    "a*b",
    "*",
    "a, b",
    "a) or (b",
    "not x",
    "a\nb",
    " a ",
    "é",
]


@given(text=TEXTS)
def test_a_value_in_quotes_is_itself_alone(text: str) -> None:
    term = parse_query(f"name = {quote_value(text)}")
    assert isinstance(term, Term)
    assert term.values == (Glob((text,)),)


@pytest.mark.parametrize("path", NASTY)
def test_a_kernel_is_found_at_its_own_place_among_similar_ones(path: str) -> None:
    index = InMemoryKernelIndex()
    kernels = []
    for number, other in enumerate((path, f"{path}x", "a", "ab", "a.cu")):
        kernel = make_kernel(f"kernel_{number}", 7)
        kernels.append(replace(kernel, span=replace(kernel.span, path=other)))
    index.put_kernels(REPO, kernels)
    place = Place(REPO.label, REPO.commit, path, 7)
    record = find_record(index, place)
    assert record
    assert record.kernel.name == "kernel_0"
    (row,) = index.query(place_expression(place))
    assert (row.repo, row.commit, row.path, row.offset) == place


HERE = Place(REPO.label, REPO.commit, "a.cu", 7)


@pytest.mark.parametrize(
    "place",
    [
        HERE._replace(repo="waves/tid"),
        HERE._replace(commit="2"),
        HERE._replace(path="b.cu"),
        HERE._replace(offset=8),
    ],
)
def test_at_another_place_stands_no_such_kernel(place: Place) -> None:
    index = InMemoryKernelIndex()
    index.put_kernels(REPO, [make_kernel("one", 7)])
    assert find_record(index, HERE)
    assert find_record(index, place) is None
