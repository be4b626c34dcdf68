from __future__ import annotations

import os
import signal

import pytest

from workers.local.interruption import InterruptGuard


class InterruptsWhenDeleted:
    """Interrupts its own process where no exception can be raised."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        # the handler runs at one of the next steps of the interpreter
        for _ in range(1000):
            pass


def check_for_interrupts(interruption: InterruptGuard) -> None:
    with interruption:
        interruption.raise_if_interrupted()
        InterruptsWhenDeleted()
        interruption.raise_if_interrupted()
        pytest.fail("it was dropped")


def ignore_interrupts() -> None:
    with InterruptGuard():
        InterruptsWhenDeleted()


def interrupt_at_once() -> None:
    with InterruptGuard():
        signal.raise_signal(signal.SIGINT)
        pytest.fail("it was not raised")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_drops_is_raised_at_the_next_check() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        check_for_interrupts(InterruptGuard())
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_nobody_checked_for_is_raised_at_the_end() -> None:
    with pytest.raises(KeyboardInterrupt):
        ignore_interrupts()


def test_an_interrupt_is_raised_at_once_as_usual() -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupt_at_once()
