"""Profile the steps of an extraction: the share of CPU time that each one takes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from crawler import codec
from crawler.cpp.files.source_text import SourceFiles
from crawler.extract import translation_unit_facts
from crawler.extract.clang import parse, precompiled_preludes
from crawler.extract.passes import parse_pass
from crawler.extract.templates import kernel_facts
from crawler.extract.unit import translation_unit
from crawler.model import CompileCommand

_STEPS: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
    ("clang's parse", parse, ("parse_unit",)),
    ("preludes of this process", parse, ("prepare_prelude",)),
    ("tokens, macros, syntax and launches as written", translation_unit, ("UnitText",)),
    (
        "bodies left out, files told by the text",
        translation_unit,
        ("elide_device_bodies", "find_included_files"),
    ),
    (
        "declarations of the AST",
        parse_pass,
        ("collect_declarations", "collect_active_macros", "UnitContext"),
    ),
    ("uses of kernels in the AST", parse_pass, ("find_kernel_uses",)),
    ("closures", kernel_facts, ("compute_closure",)),
    (
        "launches and kernels joined",
        translation_unit_facts,
        (
            "collect_launches",
            "collect_kernels",
            "find_kernels_missed_by_ast",
            "find_string_kernels",
            "find_bindings",
        ),
    ),
)


def profile_steps(
    root: Path, commands: Sequence[CompileCommand]
) -> list[tuple[str, str]]:
    """Return the share of each step, what it calls of the other steps left out."""
    clock = _Clock()
    originals = [
        (module, name, getattr(module, name))
        for _, module, names in _STEPS
        for name in names
    ]
    for label, module, names in _STEPS:
        for name in names:
            setattr(module, name, clock.wrap(label, getattr(module, name)))
    try:
        sources = SourceFiles(root)
        encoded = clock.wrap("facts to JSON", codec.encode)
        began = time.process_time()
        for command in commands:
            sources.evict_if_large()
            encoded(translation_unit_facts.extract_unit_facts(root, command, sources))
        total = time.process_time() - began
    finally:
        for module, name, function in originals:
            setattr(module, name, function)
        precompiled_preludes.prepare_prelude.cache_clear()
    shares = sorted(clock.seconds.items(), key=lambda share: -share[1])
    rest_seconds = total - sum(clock.seconds.values())
    return [
        (label, f"{seconds / total:.1%}")
        for label, seconds in [*shares, ("the rest", rest_seconds)]
    ]


class _Clock:
    """Seconds of CPU by label."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inner: list[float] = []

    def wrap(self, label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            began = time.process_time()
            self._inner.append(0.0)
            try:
                return function(*arguments, **options)
            finally:
                spent = time.process_time() - began
                self.seconds[label] += spent - self._inner.pop()
                if self._inner:
                    self._inner[-1] += spent

        return call
