"""No address of the list is asked for, whoever writes it: a user, or a project of a submodule."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from crawler.errors import NotFound
from crawler.sources.git_client.submodules import read_submodules
from crawler.sources.locator import find_source
from tests.integration.attacks.addresses import ADDRESSES

ORIGIN = "https://example.org/team/project.git"


def follow(address: str) -> str:
    """Return where the submodule of this address would be fetched from."""
    text = f'[submodule "x"]\n path = x\n url = {address}\n'.encode()
    (submodule,) = read_submodules({"x": "c" * 40}, text, ORIGIN)
    return submodule.url


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_no_project_has_it_followed(name: str) -> None:
    url = follow(ADDRESSES[name])
    # a path may be anything: only its server reads it
    assert url == "" or url.startswith("https://h.org/")
    assert unquote(url).isprintable()


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_no_user_can_ask_for_it_by_mistake(name: str) -> None:
    address = ADDRESSES[name]
    if address.startswith("/"):
        pytest.skip("a user's own folder is theirs to name")
    with pytest.raises(NotFound) as caught:
        find_source(f"git+{address}")
    assert caught.value.code in ("bad-locator", "unknown-locator")


def test_an_honest_one_is_followed() -> None:
    assert follow("https://h.org/o/n.git") == "https://h.org/o/n.git"
    assert find_source("git+https://h.org/o/n").name == "git"
