"""The page of a kernel is found by where the kernel stands, whatever strangers call that."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from storage.in_memory.index import InMemoryKernelIndex
from storage.interfaces import Place
from tests.unit.storage.samples import REPO, make_kernel
from workers.web.places import kernel_address, place_of

# neither NUL nor a lone surrogate can be asked for
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
)


def test_the_place_of_a_row_is_that_of_its_kernel() -> None:
    index = InMemoryKernelIndex()
    index.put_kernels(REPO, [make_kernel("one", 7)])
    (row,) = index.query()
    assert place_of(row) == Place(REPO.label, REPO.commit, "a.cu", 7)


@given(repo=TEXTS, path=TEXTS, offset=st.integers(0, 2**40))
def test_an_address_says_the_whole_place(repo: str, path: str, offset: int) -> None:
    address = kernel_address(Place(repo, "c0ffee", path, offset))
    parts = urlsplit(address)
    assert (parts.path, parts.netloc, parts.fragment) == ("/kernel", "", "")
    values = parse_qs(parts.query, keep_blank_values=True, strict_parsing=True)
    expected = {"commit": "c0ffee", "offset": str(offset), "repo": repo, "path": path}
    # what is empty may be left out
    first_texts = {name: texts[0] for name, texts in values.items()}
    assert {name: text for name, text in first_texts.items() if text} == {
        name: text for name, text in expected.items() if text
    }
