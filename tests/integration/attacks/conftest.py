"""Every attack meets every way to isolate a run that works on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.attacks.backends import (
    BACKENDS,
    use_backend,
)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    name = str(request.param)
    with use_backend(name):
        yield name
