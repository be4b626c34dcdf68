"""Table of samples that were imported from the files of other programs."""

from __future__ import annotations

from sqlmodel import Field

from storage.database.base import Base


class ImportedSampleRow(Base, table=True):
    """A sample of another benchmark's results."""

    __tablename__ = "imported_sample"
    collection: str = Field(primary_key=True)
    """Name under which its file was imported."""
    position: int = Field(primary_key=True)
    """Of its row in that file."""
    filename: str
    pass_call: bool | None
    """Null where it was not run, as for the next two."""
    pass_exe: bool | None
    pass_perf: bool | None
    encoded: str
    """Digest of the sample's JSON."""
