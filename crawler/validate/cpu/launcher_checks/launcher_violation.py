"""What a kernel does wrong in launches as its launcher makes them."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.validate.inputs.trials.trial import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class LauncherViolation:
    """What a kernel does to memory as its launcher passes it."""

    code: str
    message: str


def describe_launch(probe: Trial) -> str:
    """Return in words what whole numbers a launch is passed."""
    sizes = ", ".join(
        f"{name} = {value}"
        for name, value in probe.configuration.scalars.items()
        if isinstance(value, int)
    )
    return f"with {sizes}" if sizes else "in its only launch"
