"""How a GitHub on loopback is reached."""

from __future__ import annotations

import pytest

from crawler.sources.options import Limits, SourceOptions
from tests.servers.github.state import GitHub


@pytest.fixture
def terms(github: GitHub) -> SourceOptions:
    return SourceOptions(limits=Limits(seconds=30), github=github.api)
