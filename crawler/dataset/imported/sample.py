"""A sample of another benchmark's results."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSample:
    """What an agent was asked, what it wrote, and how that was judged elsewhere."""

    filename: str
    """As the results name it; it may hold slashes."""
    instruction: str = ""
    label: str = ""
    """The solution that is known."""
    predict: str = ""
    """What the agent wrote first, or kept last: whatever the results hold."""
    test_code: str = ""
    pass_call: bool | None = None
    """`None` where it was not run, as for the next two."""
    pass_exe: bool | None = None
    pass_perf: bool | None = None
    call_error: str = ""
    exe_error: str = ""
    perf_error: str = ""
    call_candidates: tuple[str, ...] = ()
    """Sources that were written after `predict`, as for the next two."""
    exe_candidates: tuple[str, ...] = ()
    perf_candidates: tuple[str, ...] = ()
    strategy: str = ""
    reflection: str = ""

    @property
    def is_failed(self) -> bool:
        """Whether it was run and did not pass: what was not run has not failed."""
        return False in (self.pass_call, self.pass_exe, self.pass_perf)

    @property
    def is_run(self) -> bool:
        """Whether anything was run of it."""
        return any(
            passed is not None
            for passed in (self.pass_call, self.pass_exe, self.pass_perf)
        )
