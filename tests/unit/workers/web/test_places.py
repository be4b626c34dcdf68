"""The page of a kernel is found by where the kernel stands, whatever strangers call that."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.in_memory.index import InMemoryKernelIndex
from storage.index.query.glob import Glob
from storage.index.query.parser import parse_query
from storage.index.query.quoting import quote_value
from storage.index.query.terms import Term
from storage.interfaces import Place
from tests.unit.storage.samples import REPO, make_kernel
from workers.web.places import (
    find_record,
    kernel_address,
    place_expression,
    place_of,
)

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
    rows = list(index.query(place_expression(place)))
    assert [place_of(row) for row in rows] == [place]


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


@given(repo=TEXTS, path=TEXTS, offset=st.integers(0, 2**40))
def test_an_address_says_the_whole_place(repo: str, path: str, offset: int) -> None:
    address = kernel_address(Place(repo, "c0ffee", path, offset))
    parts = urlsplit(address)
    assert (parts.path, parts.netloc, parts.fragment) == ("/kernel", "", "")
    values = parse_qs(parts.query, keep_blank_values=True, strict_parsing=True)
    expected = {"commit": "c0ffee", "offset": str(offset), "repo": repo, "path": path}
    # what is empty may be left out
    told = {name: texts[0] for name, texts in values.items()}
    assert {name: text for name, text in told.items() if text} == {
        name: text for name, text in expected.items() if text
    }
