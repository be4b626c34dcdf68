"""Program run inside the sandbox: `meson setup` with stand-ins for missing dependencies and
compilers.

Started as a program of its own: `mesonrun.py SOURCE BUILD OPTION…`. It imports nothing of ours
but Meson.
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
NO_OP_PROGRAM = "/usr/bin/true"


def answer_on_failure(owner: type, name: str, answer: Callable[..., Any]) -> None:
    """Let a method answer with something else where Meson would end."""
    real = getattr(owner, name)

    def lenient(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return real(self, *args, **kwargs)
        except MesonException as error:
            print(f"kernelset: goes on after: {error}", file=sys.stderr)  # noqa: T201
            return answer(self, *args, **kwargs)

    setattr(owner, name, lenient)


def answer_when_not_found(owner: type, name: str, answer: Callable[[str], Any]) -> None:
    """Let a method that found nothing answer with something else."""
    real = getattr(owner, name)
    setattr(
        owner,
        name,
        lambda self, wanted, *args, **kwargs: (
            real(self, wanted, *args, **kwargs) or answer(wanted)
        ),
    )


def install_stand_ins() -> None:
    """Put the answers in place: a compiler that makes no programs, and packages and programs
    that are not here.
    """
    answer_on_failure(Compiler, "sanity_check", lambda *_, **__: None)
    answer_on_failure(
        DependencyFallbacksHolder,
        "lookup",
        lambda *_, **__: InternalDependency(STAND_IN_VERSION),
    )
    answer_on_failure(
        Interpreter,
        "find_program_impl",
        lambda _, args, *__, **___: ExternalProgram(str(args), [NO_OP_PROGRAM]),
    )
    answer_when_not_found(CLikeCompiler, "find_library", lambda name: [f"-l{name}"])
    answer_on_failure(Interpreter, "func_error", lambda *_, **__: None)


def main() -> int:
    """Configure."""
    install_stand_ins()
    source, build, *options = sys.argv[1:]
    words = ["setup", build, source, "--wrap-mode=nodownload", *options]
    return int(mesonmain.run(words, NO_OP_PROGRAM))


if __name__ == "__main__":
    sys.exit(main())
