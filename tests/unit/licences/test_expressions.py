"""Licences as SPDX expressions, and how open they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.licences.expressions import (
    UNKNOWN_SPDX,
    classify_expression,
    openness_rank,
    parse_licence,
)
from crawler.model import LicenceClass


@pytest.mark.parametrize(
    ("stated", "spdx", "kind"),
    [
        ("MIT", "MIT", LicenceClass.PERMISSIVE),
        ("  Apache License, Version 2.0 ", "Apache-2.0", LicenceClass.PERMISSIVE),
        ("GPLv3", "GPL-3.0-only", LicenceClass.COPYLEFT),
        ("MIT OR GPL-2.0-only", "MIT OR GPL-2.0-only", LicenceClass.PERMISSIVE),
        ("MIT AND GPL-2.0-only", "MIT AND GPL-2.0-only", LicenceClass.COPYLEFT),
        ("LicenseRef-Acme", "LicenseRef-Acme", LicenceClass.RESTRICTED),
        (
            "GPL-2.0-only WITH Classpath-exception-2.0",
            "GPL-2.0-only WITH Classpath-exception-2.0",
            LicenceClass.COPYLEFT,
        ),
    ],
)
def test_what_is_stated_becomes_an_expression(
    stated: str, spdx: str, kind: LicenceClass
) -> None:
    licence = parse_licence(stated, "a test")
    assert (licence.spdx, licence.kind, licence.evidence) == (spdx, kind, "a test")


@pytest.mark.parametrize("stated", ["Acme's own", "MIT AND", "see LICENSE", "(MIT"])
def test_what_is_no_expression_is_unknown_and_quoted(stated: str) -> None:
    licence = parse_licence(stated, "PKG-INFO: License")
    assert licence.spdx == UNKNOWN_SPDX
    assert licence.evidence == f"PKG-INFO: License says something else: {stated}"


@given(st.text(max_size=60))
def test_any_statement_is_a_licence_or_unknown(stated: str) -> None:
    licence = parse_licence(stated, "a test")
    assert licence.spdx
    assert licence.kind in LicenceClass


IDENTIFIERS = ("MIT", "Apache-2.0", "GPL-3.0-only", "CC-BY-NC-4.0", "Acme")


@given(st.sampled_from(IDENTIFIERS), st.sampled_from(IDENTIFIERS))
def test_a_choice_is_as_open_as_its_best_part_and_a_sum_as_its_worst(
    first: str, second: str
) -> None:
    ranks = [openness_rank(classify_expression(part)) for part in (first, second)]
    choice = classify_expression(f"{first} OR {second}")
    total = classify_expression(f"{first} AND {second}")
    assert openness_rank(choice) == min(ranks)
    assert openness_rank(total) == max(ranks)
