"""Every program of the list is held by every way in which this machine isolates a run."""

from __future__ import annotations

import json
import os

import pytest

from crawler import process, sandbox
from crawler.process_limits import Limits
from crawler.sandbox.landlock import holder
from tests.integration.attacks import running
from tests.integration.attacks.backends import open_reachable_folder
from tests.integration.attacks.ordinary_user import ROOT, as_ordinary_user
from tests.integration.attacks.programs import LIMITS, attack, make_program
from tests.integration.attacks.words import WORDS

pytestmark = pytest.mark.apt("bwrap")
MODULE = "tests.integration.attacks.programs"


@pytest.mark.parametrize("name", sorted(running.ALL))
def test_it_is_held(name: str, backend: str) -> None:
    ended = attack(running.ALL[name])
    # neither a mistake in the program, nor an early end, is taken for a refusal
    assert ended.output.decode().split() == ["held"], ended.text


@pytest.mark.parametrize("name", sorted(WORDS))
def test_no_word_of_a_command_is_taken_for_an_option(name: str, backend: str) -> None:
    with open_reachable_folder() as folder:
        victim = folder / "private"
        victim.write_text("hunter2-secret")
        victim.chmod(0o644)
        words = [word.replace("{victim}", str(victim)) for word in WORDS[name]]
        ended = sandbox.run(words, limits=LIMITS)
    assert ended.exit_code != 0
    assert "hunter2-secret" not in ended.text


def test_what_is_allowed_is_not_taken_for_held(backend: str) -> None:
    for body in ("return reads('/usr/bin/env')", "return writes(f'{own}/mine')"):
        ended = sandbox.run(["python3", "-c", make_program(body)], limits=LIMITS)
        assert ended.output.decode().split() == ["escaped"], ended.text


@pytest.mark.apt("setpriv")
@pytest.mark.skipif(
    os.geteuid() != 0, reason="the other tests show it for an ordinary user"
)
def test_all_are_held_where_a_run_has_the_user_of_the_worker() -> None:
    if not holder.is_supported():
        pytest.skip("this kernel's Landlock is too old")
    with open_reachable_folder() as folder:
        command, environment = as_ordinary_user(folder, "-m", MODULE)
        ended = process.run(
            [*command, "landlock"],
            env=environment,
            cwd=ROOT,
            limits=Limits(seconds=200),
        )
    answers = json.loads(ended.output)
    assert len(answers) == len(running.ALL)
    escaped = {name for name, answer in answers.items() if answer != "held\n"}
    # where it shares its user no limit of the kernel counts them, but the watchdog does
    assert escaped == {"wants: more processes"}
