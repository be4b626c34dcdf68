"""Program run inside the sandbox: `meson setup` with stand-ins for missing dependencies.

Started as a program of its own: `lenient_setup.py SOURCE BUILD OPTION…`. It imports Meson and
the standard library alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from mesonbuild import mesonmain
from mesonbuild.compilers.compilers import Compiler
from mesonbuild.compilers.mixins.clike import CLikeCompiler
from mesonbuild.dependencies.base import InternalDependency
from mesonbuild.interpreter.dependencyfallbacks import DependencyFallbacksHolder
from mesonbuild.interpreter.interpreter import Interpreter
from mesonbuild.mesonlib import MesonException
from mesonbuild.programs import ExternalProgram

STAND_IN_VERSION = "99.0.0"
"""Newer than any minimum that a project asks for."""
NO_OP_PROGRAM = "/usr/bin/true"


def answer_on_failure(owner: type, name: str, answer: Callable[..., Any]) -> None:
    """Replace a method of Meson: where it would end the run, `answer` gives its result."""
    original = getattr(owner, name)

    def call_leniently(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        except MesonException as error:
            print(f"kernelset: goes on after: {error}", file=sys.stderr)  # noqa: T201
            return answer(self, *args, **kwargs)

    setattr(owner, name, call_leniently)


def answer_when_not_found(owner: type, name: str, answer: Callable[[str], Any]) -> None:
    """Replace a method of Meson: where it finds nothing, `answer` gives its result."""
    original = getattr(owner, name)

    def find_leniently(self: Any, wanted_name: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, wanted_name, *args, **kwargs)
        return result or answer(wanted_name)

    setattr(owner, name, find_leniently)


def make_dependency(*_: Any, **__: Any) -> Any:
    """Stand for any package, in a version that is new enough."""
    return InternalDependency(STAND_IN_VERSION)


def make_program(_: Any, names: Any, *__: Any, **___: Any) -> Any:
    """Stand for a program that is not installed: it does nothing, and succeeds."""
    return ExternalProgram(str(names), [NO_OP_PROGRAM])


def ignore_failure(*_: Any, **__: Any) -> None:
    """Go on where Meson would end the run."""


def install_stand_ins() -> None:
    """Install stand-ins for packages and programs, and accept compilers that link nothing."""
    # The stub compilers make no programs, so Meson's check that one runs would fail.
    answer_on_failure(Compiler, "sanity_check", ignore_failure)
    answer_on_failure(DependencyFallbacksHolder, "lookup", make_dependency)
    answer_on_failure(Interpreter, "find_program_impl", make_program)
    answer_when_not_found(CLikeCompiler, "find_library", lambda name: [f"-l{name}"])
    # `error('…')` in a `meson.build`.
    answer_on_failure(Interpreter, "func_error", ignore_failure)


def main() -> int:
    """Configure, and return Meson's exit code."""
    install_stand_ins()
    source, build, *options = sys.argv[1:]
    words = ["setup", build, source, "--wrap-mode=nodownload", *options]

    return int(mesonmain.run(words, NO_OP_PROGRAM))


if __name__ == "__main__":
    sys.exit(main())
