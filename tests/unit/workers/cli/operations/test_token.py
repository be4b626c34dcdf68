"""A token holds as long as was said, which is a number of days."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import typer

from workers.cli.exit_codes import DONE

if TYPE_CHECKING:
    from tests.unit.workers.cli.conftest import CommandLine


@pytest.mark.parametrize("days", ["nan", "-1", "inf", "36501", "1e300"])
def test_what_is_no_number_of_days_is_refused(
    kernelset: CommandLine, days: str
) -> None:
    with pytest.raises(typer.BadParameter):
        kernelset.run("token", "add", "ada", "--days", days)
    with kernelset.open() as storage:
        assert storage.tokens.tokens() == ()


@pytest.mark.parametrize(("days", "until"), [("0", "for ever"), ("36500", "until 2")])
def test_a_token_is_listed_with_its_end(
    kernelset: CommandLine, days: str, until: str
) -> None:
    assert kernelset.run("token", "add", "ada", "--days", days).code == DONE
    assert until in kernelset.run("token", "list").out
