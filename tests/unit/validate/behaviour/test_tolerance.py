"""Tolerances follow from rounding and from what was measured."""

from __future__ import annotations

import math

from crawler.validate.behaviour.tolerance import derive_tolerance
from crawler.validate.values.deviation import Deviation
from crawler.validate.values.scalar_types import ScalarType, encode

FLOAT_ROUNDOFF = ScalarType.FLOAT.unit_roundoff


def test_whole_numbers_must_be_the_same() -> None:
    gold = encode(ScalarType.I32, [7, 8])
    assert derive_tolerance(ScalarType.I32, gold, Deviation(1.0, 1.0)) == (0.0, 0.0)


def test_a_device_may_round_otherwise_where_nothing_was_measured() -> None:
    gold = encode(ScalarType.FLOAT, [-8.0, 2.0])
    absolute, relative = derive_tolerance(ScalarType.FLOAT, gold, Deviation())
    assert relative == 16 * FLOAT_ROUNDOFF
    assert absolute == relative * 8.0


def test_what_was_measured_is_allowed_several_times() -> None:
    gold = encode(ScalarType.FLOAT, [1.0])
    absolute, _ = derive_tolerance(ScalarType.FLOAT, gold, Deviation(0.01, 0.01))
    assert absolute == 0.04


def test_a_mask_makes_no_tolerance_wide() -> None:
    gold = encode(ScalarType.FLOAT, [-3.0e38, 1.0, math.inf, math.nan])
    absolute, relative = derive_tolerance(ScalarType.FLOAT, gold, Deviation())
    assert absolute == relative * 1e6
