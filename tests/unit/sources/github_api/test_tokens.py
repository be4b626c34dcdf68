from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import BadCredentials
from crawler.sources.github_api.tokens import load_budgets, read_tokens

API = "https://api.example.org"


def write(folder: Path, text: str) -> Path:
    path = folder / "tokens"
    path.write_text(text)
    return path


def test_empty_lines_and_remarks_are_no_tokens(tmp_path: Path) -> None:
    file = write(tmp_path, "# of the robot\n\n  first  \nsecond\nfirst\n")
    assert read_tokens(file) == ("first", "second")


@pytest.mark.parametrize("text", ["", "# none\n", "two words\n", "caf\u00e9\n"])
def test_a_file_without_usable_tokens_says_what_to_do(
    tmp_path: Path, text: str
) -> None:
    with pytest.raises(BadCredentials, match="a line each"):
        read_tokens(write(tmp_path, text))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadCredentials, match="absent cannot be read"):
        read_tokens(tmp_path / "absent")


def test_without_a_file_questions_are_anonymous() -> None:
    (budget,) = load_budgets(None, API, lambda token: "somebody")
    assert (budget.owner, budget.token()) == ("", "")


def test_a_lone_token_is_not_asked_whose_it_is(tmp_path: Path) -> None:
    def identify(token: str) -> str:
        raise AssertionError(token)

    (budget,) = load_budgets(write(tmp_path, "only\n"), API, identify)
    assert (budget.owner, budget.token()) == ("token 1", "only")


def test_tokens_of_one_user_share_a_budget(tmp_path: Path) -> None:
    file = write(tmp_path, "a1\nb1\na2\nlost\n")
    users = {"a1": "ann", "a2": "ann", "b1": "bob"}
    budgets = load_budgets(file, API, lambda token: users.get(token, ""))
    owners = [(budget.owner, budget.token()) for budget in budgets]
    assert owners == [("ann", "a1"), ("bob", "b1"), ("token 4", "lost")]


def test_an_installation_of_an_app_has_a_budget_of_its_own(tmp_path: Path) -> None:
    file = write(tmp_path, f"plain\napp:my-app:77:{tmp_path}/key.pem\n")
    budgets = load_budgets(file, API, lambda token: "ann")
    assert [budget.owner for budget in budgets] == ["ann", "installation 77"]
    with pytest.raises(BadCredentials, match=r"key\.pem of app my-app"):
        budgets[1].token()
