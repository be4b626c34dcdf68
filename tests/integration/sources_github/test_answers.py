"""Answers of a GitHub that fail, that are hostile, or that are of another shape."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.errors import NetworkDown, NotFound, ToolFailed
from crawler.sources.options import SourceOptions
from crawler.sources.providers.github import PLUGIN
from tests.integration.sources_github.listing import names
from tests.servers.github.state import GitHub

pytestmark = pytest.mark.apt("git")


def test_a_server_that_fails_is_a_passing_fault(
    github: GitHub, terms: SourceOptions
) -> None:
    github.add("waves", "tide")
    github.broken = 1
    with pytest.raises(NetworkDown):
        names(terms)
    assert names(terms) == ["tide"]
    with pytest.raises(NetworkDown):
        names(replace(terms, github="http://127.0.0.1:9"))


@pytest.mark.parametrize(
    "facts",
    [
        {"clone_url": "ext::sh -c touch% /tmp/x"},
        {"clone_url": "file:///etc"},
        {"name": "../../etc"},
        {"name": "a\nb"},
        {"clone_url": "https://user:word@example.org/a/b.git"},
    ],
)
def test_an_answer_with_hostile_names_is_refused(
    github: GitHub, terms: SourceOptions, facts: dict[str, str]
) -> None:
    github.add("waves", "tide", **facts)
    with pytest.raises(NotFound):
        names(terms)


def test_an_answer_of_another_shape_is_an_error_of_its_own(
    github: GitHub, terms: SourceOptions
) -> None:
    github.add("waves", "tide", id="one")
    with pytest.raises(ToolFailed) as caught:
        names(terms)
    assert caught.value.code == "bad-answer"


@pytest.mark.parametrize(
    "locator",
    [
        "github:",
        "github:a b",
        "github:a/b/c",
        "github:a@main",
        "github:-a",
        "github:a/b@",
    ],
)
def test_a_locator_that_names_nothing_is_told_so(
    terms: SourceOptions, locator: str
) -> None:
    with pytest.raises(NotFound) as caught:
        list(PLUGIN.list(locator, terms))
    assert caught.value.code == "bad-locator"


def test_the_stand_in_answers_as_github_describes(github: GitHub) -> None:
    models = pytest.importorskip(
        "githubkit_schemas.latest.models", exc_type=ImportError
    )
    made = github.add("waves", "tide")
    assert models.MinimalRepository.model_validate(github.shown(made)).name == "tide"
    assert models.FullRepository.model_validate(github.shown(made)).id == made.id
    assert models.SimpleUser.model_validate(github.user("waves")).login == "waves"
