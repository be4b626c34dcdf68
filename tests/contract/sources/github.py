"""Projects for the contract of the source `github`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.source_project import CHANGED_FILES, FILES, SourceProject
from tests.servers.github.state import GitHub


def make_repository(request: pytest.FixtureRequest) -> Iterator[SourceProject]:
    github: GitHub = request.getfixturevalue("github")
    repository = github.add("owner", "waves", FILES)
    yield SourceProject(
        locator="github:owner/waves",
        missing_locator="github:owner/absent",
        name="waves",
        change=lambda: github.push(repository, CHANGED_FILES),
        remove=lambda: github.remove(repository),
        github=github.api,
        keeps_history=True,
    )


PROJECTS = (make_repository,)
