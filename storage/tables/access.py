"""Tables of who may do what on the page."""

from __future__ import annotations

from sqlmodel import Field

from storage.database.base import Base


class AccessToken(Base, table=True):
    """A token by which a person logs in; the token itself is not kept."""

    __tablename__ = "access_token"
    digest: str = Field(primary_key=True)
    """sha256 of the token, in hexadecimal."""
    name: str = Field(index=True)
    role: str
    created_at: float
    expires_at: float
    """Seconds since 1970; 0 for never."""
