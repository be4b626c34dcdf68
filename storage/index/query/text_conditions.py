"""Search the words of kernels with the full-text index of either database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Integer,
    Select,
    column,
    literal,
    select,
    table,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from storage.index.kernel_rows.text_words import Phrase, read_phrase
from storage.index.query.glob import Glob
from storage.index.query.terms import Term
from storage.tables import KERNEL, KERNEL_TEXT


class _IsIndexed(FunctionElement[bool]):
    """Whether the full-text index of SQLite has a phrase for a row."""

    type = Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:
        """Return the condition as it is: SQLite takes `(…) = 1` for no search."""
        return self


@compiles(_IsIndexed, "sqlite")
def _compile_match(element: Any, compiler: Any, **options: Any) -> str:
    return f"kernel_words MATCH {compiler.process(element.clauses, **options)}"


class _HasPhrase(FunctionElement[bool]):
    """Whether a row of `kernel_text` has a phrase: (words, query of Postgres, phrases)."""

    type = Boolean()
    inherit_cache = True


@compiles(_HasPhrase, "sqlite")
def _compile_for_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    words, _, *phrases = (compiler.process(part, **options) for part in element.clauses)
    # the words have one space between, as phrases have
    phrase_conditions = [
        f"instr(' ' || {words} || ' ', {phrase}) > 0" for phrase in phrases
    ]
    return f"({' OR '.join(phrase_conditions)})"


@compiles(_HasPhrase, "postgresql")
def _compile_for_postgres(element: Any, compiler: Any, **options: Any) -> str:
    _, query, *_ = (compiler.process(part, **options) for part in element.clauses)
    return f"vector @@ CAST({query} AS tsquery)"


def has_text(term: Term) -> ColumnElement[bool]:
    """Return the condition that a kernel has one of the phrases of a term."""
    phrases = _list_phrases(term)
    spellings = [literal(_spell(phrase)) for phrase in phrases]
    is_own = KERNEL_TEXT.c.kernel == KERNEL.c.id
    query = literal(_render_for_postgres(phrases))
    has_phrase = _HasPhrase(KERNEL_TEXT.c.words, query, *spellings)
    texts = select(KERNEL_TEXT.c.kernel).where(is_own, has_phrase)
    return texts.correlate(KERNEL).exists()


def select_kernels_with_text(term: Term) -> Select[Any]:
    """Return the query for the ids of the same kernels by the full-text index of SQLite."""
    words = table("kernel_words", column("rowid", Integer))
    query = literal(_render_for_sqlite(_list_phrases(term)))
    return select(words.c.rowid).where(_IsIndexed(query))


def _spell(phrase: Phrase) -> str:
    """Return a phrase as it stands among words that have one space on either side."""
    words = " ".join(phrase.words)
    return f" {words}" if phrase.is_prefix else f" {words} "


def _list_phrases(term: Term) -> list[Phrase]:
    values = [value for value in term.values if isinstance(value, Glob)]
    return [phrase for phrase in map(read_phrase, values) if phrase]


# words are letters and digits of ASCII, so nothing in them has to be escaped


def _render_for_sqlite(phrases: Iterable[Phrase]) -> str:
    texts = []
    for phrase in phrases:
        words = " ".join(phrase.words)
        mark = " *" if phrase.is_prefix else ""
        texts.append(f'"{words}"{mark}')

    return " OR ".join(texts)


def _render_for_postgres(phrases: Iterable[Phrase]) -> str:
    texts = []
    for phrase in phrases:
        words = " <-> ".join(f"'{word}'" for word in phrase.words)
        mark = ":*" if phrase.is_prefix else ""
        texts.append(f"({words}{mark})")

    return " | ".join(texts)
