"""Cases of a judged test under the names that GoogleTest takes."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import Dialect
from crawler.validate.harness.google_test import render_google_test
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does


def test_each_case_that_is_shown_is_a_test_without_underscores() -> None:
    blobs = Blobs()
    unit = replace(kernels.unit(Dialect.HIP), kernel_name="ns::k_of_2")
    shown_case = kernels.case(Does.ITS_WORK, blobs, n=5, name="extra-2")
    hidden = replace(shown_case, name="secret", hidden=True)
    suite = kernels.suite(kernels.unit(Dialect.HIP), [shown_case, hidden])
    source = render_google_test(unit, suite, name="google_test_k", test="test_k")
    tests = [line for line in source.splitlines() if line.startswith("TEST(")]
    assert tests == [
        'TEST(nskof2, extra2) { test::expect_right("test_k", "extra-2"); }'
    ]
    assert " google_test_k.cpp -o google_test_k -lgtest " in source
    assert "secret" not in source
