"""Tables of what models were asked, and of what came of it."""

from __future__ import annotations

from sqlmodel import Field

from storage.database.base import Base


class ModelAnswer(Base, table=True):
    """An answer that was paid for, by the digest of its question."""

    __tablename__ = "model_answer"
    request: str = Field(primary_key=True)
    """sha256 of model, parameters and conversation, in hexadecimal."""
    unit: str = Field(index=True)
    """Digest of the unit that was asked about."""
    model: str
    content: str
    """Digest of the answer's JSON."""
    tokens_in: int
    tokens_out: int
    cost: float
    answered_at: float
    """Seconds since 1970."""


class CompletionAttemptRow(Base, table=True):
    """One try of a model at one kernel."""

    __tablename__ = "completion_attempt"
    id: int | None = Field(default=None, primary_key=True)
    series: str = Field(index=True)
    """Digest of what was asked of whom."""
    kernel: str = Field(index=True)
    """Id of the kernel's task."""
    unit: str = Field(index=True)
    purpose: str
    number: int
    model: str
    parameters: str
    """JSON."""
    prompt: str
    """Digest of the text in the blob store, empty for none, as for the next four."""
    reflection: str
    answer: str
    source: str
    messages: str
    tokens_in: int
    tokens_out: int
    cost: float
    pass_call: str
    """JSON object: target to status."""
    pass_exe: str
    """JSON object: device to status."""
    pass_perf: str
    verdict: str
    code: str
    problem: str
    seconds: float
    attempted_at: float
    """Seconds since 1970."""
