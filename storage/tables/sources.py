"""Tables of listed repositories and of what sources remember."""

from __future__ import annotations

from sqlmodel import Field

from storage.database.base import BIG_INTEGER, Base


class MemoryEntry(Base, table=True):
    """What a source remembers of a server: its answers, and until when it must not be asked."""

    __tablename__ = "memory"
    key: str = Field(primary_key=True)
    value: bytes
    remembered_at: float


class HostedRepository(Base, table=True):
    """A repository as its owner's listing last showed it."""

    __tablename__ = "repository"
    source: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    """The host's own number, which survives a rename."""
    owner: str = Field(index=True)
    name: str
    url: str
    kilobytes: int = Field(
        default=0, sa_type=BIG_INTEGER, sa_column_kwargs={"server_default": "0"}
    )
    pushed_at: str
    """Date of the last push, as the host writes it."""
    state: str
    """`wanted`, `passed-over` or `vanished`."""
    reason: str
    """Why it was passed over: a stable slug."""
    seen_at: float
    vanished_at: float
    """Seconds since 1970, 0 for one that still exists."""
