"""ptxas serves NVIDIA alone."""

from __future__ import annotations

from crawler.model import Dialect
from crawler.validate.compilers.ptxas import PLUGIN


def test_it_serves_no_amd_target() -> None:
    assert PLUGIN.targets(Dialect.HIP) == ()
