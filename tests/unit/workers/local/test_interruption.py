from __future__ import annotations

import os
import signal

import pytest

from workers.local.interruption import InterruptGuard


class Finalised:
    """Interrupts its own process where no exception can be raised."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        # the handler runs at one of the next steps of the interpreter
        for _ in range(1000):
            pass


def checked(interruption: InterruptGuard) -> None:
    with interruption:
        interruption.raise_if_interrupted()
        Finalised()
        interruption.raise_if_interrupted()
        pytest.fail("it was dropped")


def unchecked() -> None:
    with InterruptGuard():
        Finalised()


def at_once() -> None:
    with InterruptGuard():
        signal.raise_signal(signal.SIGINT)
        pytest.fail("it was not raised")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_drops_is_raised_at_the_next_check() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        checked(InterruptGuard())
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_nobody_checked_for_is_raised_at_the_end() -> None:
    with pytest.raises(KeyboardInterrupt):
        unchecked()


def test_an_interrupt_is_raised_at_once_as_usual() -> None:
    with pytest.raises(KeyboardInterrupt):
        at_once()
