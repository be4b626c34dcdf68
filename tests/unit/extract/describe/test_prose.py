"""What a project's author wrote is told by its first sentences."""

from __future__ import annotations

import pytest

from crawler.extract.describe.prose import summarise_prose


@pytest.mark.parametrize(
    ("prose", "text"),
    [
        (
            "|\n\n.. image:: a.svg\n   :align: center\n\nAdds two rows.",
            "Adds two rows.",
        ),
        ("Adds two rows.\nArgs:\n  a: one", "Adds two rows."),
        ("Adds two rows:\n\n    a + b\n", ""),
        ("Adds two rows. It computes:\n\n    a + b\n", "Adds two rows."),
        ("Args:\n  a: one of the rows", ""),
        ("Adds two rows, see\n    there.", "Adds two rows, see there."),
        (":param a: one of the rows", ""),
        ('As in `"Rows" <https://a.org/b>`_ of :obj:`a`.', 'As in "Rows" of `a`.'),
        ("See above.", ""),
        (f"Adds two rows. {'Much more of it ' * 40}.", "Adds two rows."),
        ("word " * 200, ""),
    ],
)
def test_a_text_is_told_by_how_it_begins(prose: str, text: str) -> None:
    assert summarise_prose(prose) == text


@pytest.mark.parametrize(
    ("prose", "text"),
    [
        ("Adds two rows\nThen writes them", "Adds two rows. Then writes them"),
        ("Adds two rows,\nThen writes them", "Adds two rows, Then writes them"),
        ("Adds two rows\nof a matrix", "Adds two rows of a matrix"),
        ("Adds two rows of\nNCHW data", "Adds two rows of NCHW data"),
        (
            "Adds two rows of the matrix that is stored in one\nTensor",
            "Adds two rows of the matrix that is stored in one Tensor",
        ),
    ],
)
def test_lines_that_are_sentences_do_not_run_together(prose: str, text: str) -> None:
    assert summarise_prose(prose) == text
