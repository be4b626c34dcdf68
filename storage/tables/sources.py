"""Tables of listed repositories and of what sources remember."""

from __future__ import annotations

from sqlmodel import Field

from storage.database.base import BIG_INTEGER, Base


class MemoryEntry(Base, table=True):
    """What outlives a visit to a server: its answers, and until when it asked to be left alone."""

    __tablename__ = "memory"
    key: str = Field(primary_key=True)
    value: bytes
    remembered_at: float


class HostedRepository(Base, table=True):
    """A repository as its owner's listing showed it last."""

    __tablename__ = "repository"
    source: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    """The host's own number: a new name does not change it."""
    owner: str = Field(index=True)
    name: str
    url: str
    kilobytes: int = Field(
        default=0, sa_type=BIG_INTEGER, sa_column_kwargs={"server_default": "0"}
    )
    pushed_at: str
    """As the host writes it."""
    state: str
    """`wanted`, `passed-over` or `vanished`."""
    reason: str
    """Why it was passed over: a stable slug."""
    seen_at: float
    vanished_at: float
    """0 for one that is there."""
