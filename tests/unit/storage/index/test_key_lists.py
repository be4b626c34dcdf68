"""Lists of keys that are one parameter of a statement."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, select
from sqlalchemy.dialects import postgresql, sqlite

from storage.database.base import METADATA
from storage.index.key_lists import is_among
from storage.tables import KERNEL, KERNEL_TAG, UNIT


def list_digests(keys: list[str]) -> list[str]:
    engine = create_engine("sqlite://")
    METADATA.tables["unit"].create(engine)
    empty = dict.fromkeys(
        ("dialect", "kernel_name", "prelude", "token_digest", "encoded"), ""
    )
    statement = select(UNIT.c.digest).where(is_among(UNIT.c.digest, "units"))
    with engine.begin() as connection:
        for digest in ("a", "b'\"", "ü\u2028"):
            connection.execute(UNIT.insert().values(digest=digest, **empty))
        return list(connection.scalars(statement, {"units": keys}))


@pytest.mark.parametrize("keys", [[], ["a"], ["b'\"", "ü\u2028"], ["c"]])
def test_rows_with_one_of_the_keys_are_chosen(keys: list[str]) -> None:
    assert sorted(list_digests(keys)) == sorted(set(keys) - {"c"})


def test_the_statement_is_the_same_for_any_number_of_keys() -> None:
    statement = select(KERNEL.c.id).where(is_among(KERNEL.c.id, "ids"))
    text = str(statement.compile(dialect=sqlite.dialect()))
    assert "kernel.id IN (SELECT value FROM json_each(?))" in text
    # an index cannot be looked up for a truth that is compared
    assert "= 1" not in text


def test_postgres_is_given_an_array() -> None:
    statement = select(KERNEL_TAG.c.tag).where(is_among(KERNEL_TAG.c.kernel, "ids"))
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    text = str(statement.compile(dialect=dialect))
    assert "kernel_tag.kernel = ANY (" in text
