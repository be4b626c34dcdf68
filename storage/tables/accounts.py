"""Tables of what crawls have used, and of who asked for what."""

from __future__ import annotations

from sqlmodel import Field

from storage.database.base import BIG_INTEGER, Base


class CrawlUse(Base, table=True):
    """What the tasks of a crawl used in a day; it outlives the crawl, for its owner's quota."""

    __tablename__ = "crawl_use"
    crawl: str = Field(primary_key=True)
    day: int = Field(primary_key=True, index=True)
    """Days since 1970, UTC."""
    shard: int = Field(primary_key=True)
    """One of a few rows that a process adds to, so that few wait for each other."""
    owner: str
    """Who asked for the crawl first."""
    tasks: int
    """That ended."""
    stored_bytes: int = Field(sa_type=BIG_INTEGER)
    """Of contents that were not there before, as they are before they are compressed."""
    cpu_seconds: float
    gpu_seconds: float


class RequestRow(Base, table=True):
    """Something that somebody asked for, when it began."""

    __tablename__ = "request"
    id: int | None = Field(default=None, primary_key=True)
    asked_at: float = Field(index=True)
    asked_by: str
    verb: str
    """As on the command line, such as `storage gc`; `web retry` for what the page was told."""
    subject: str
    """What it was asked of, as it was written: locators, a name, a code."""
    crawl: str = Field(index=True)
    """The crawl that it concerns, if any."""
