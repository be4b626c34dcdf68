"""Search the words of kernels with the full-text index of either database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Boolean, ColumnElement, literal
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from storage.index.kernel_rows.text_words import Phrase, read_phrase
from storage.index.query.glob import Glob
from storage.index.query.terms import Term
from storage.tables import KERNEL


class _HasPhrase(FunctionElement[bool]):
    """Whether the kernel of an id has a phrase: (id, query of FTS5, query of Postgres)."""

    type = Boolean()
    inherit_cache = True


@compiles(_HasPhrase, "sqlite")
def _compile_for_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    kernel, query, _ = element.clauses
    # a name of a column and that of a bound parameter
    column, phrases = (compiler.process(part, **options) for part in (kernel, query))
    chosen = f"SELECT rowid FROM kernel_words WHERE kernel_words MATCH {phrases}"  # noqa: S608
    return f"{column} IN ({chosen})"


@compiles(_HasPhrase, "postgresql")
def _compile_for_postgres(element: Any, compiler: Any, **options: Any) -> str:
    kernel, _, query = element.clauses
    column, phrases = (compiler.process(part, **options) for part in (kernel, query))
    is_found = f"vector @@ CAST({phrases} AS tsquery)"
    return f"{column} IN (SELECT kernel FROM kernel_text WHERE {is_found})"  # noqa: S608


def has_text(term: Term) -> ColumnElement[bool]:
    """Return the condition that a kernel has one of the phrases of a term."""
    values = [value for value in term.values if isinstance(value, Glob)]
    phrases = [phrase for phrase in map(read_phrase, values) if phrase]
    return _HasPhrase(
        KERNEL.c.id,
        literal(_render_for_sqlite(phrases)),
        literal(_render_for_postgres(phrases)),
    )


# words are letters and digits of ASCII, so nothing in them has to be escaped


def _render_for_sqlite(phrases: Iterable[Phrase]) -> str:
    texts = [
        f'"{" ".join(phrase.words)}"' + (" *" if phrase.is_prefix else "")
        for phrase in phrases
    ]
    return " OR ".join(texts)


def _render_for_postgres(phrases: Iterable[Phrase]) -> str:
    texts = [
        " <-> ".join(f"'{word}'" for word in phrase.words)
        + (":*" if phrase.is_prefix else "")
        for phrase in phrases
    ]
    return " | ".join(f"({text})" for text in texts)
