"""The first trial of a launch, before any run has shown what its buffers need."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from crawler.validate.evidence.launch_configuration import ValueChooser
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.initial_patterns import choose_initial_patterns
from crawler.validate.inputs.trials.trial import Trial, derive_unit_seed
from crawler.validate.inputs.trials.trial_memory import build_initial_memory
from crawler.validate.values.element_types import ElementType, resolve_element_type
from crawler.validate.values.parameter_types import TypeKind
from crawler.validate.values.scalar_types import ScalarType

_FLOAT: Final = ElementType("float", 4, ScalarType.FLOAT)


def build_first_trial(subject: TrialSubject, choose: ValueChooser, seed: int) -> Trial:
    """Return a trial with what the launch site and names say of sizes and contents."""
    default_element = guess_default_element(subject)
    buffer_slots = subject.layout.buffer_slots
    # Nothing has been run: names and types are all that is known.
    patterns = choose_initial_patterns(
        buffer_slots, default_element, subject.launch_site.fill_bytes
    )

    return Trial(
        configuration=subject.choose_configuration(choose),
        memory=build_initial_memory(buffer_slots, patterns, default_element),
        seed=derive_unit_seed(subject.unit.digest, seed),
        entry=subject.entry,
        scalar_overrides=subject.select_mode_values(0),
        max_seconds=subject.max_trace_seconds,
    )


def forget_buffer_sizes(subject: TrialSubject, trial: Trial) -> Trial:
    """Return a trial with the same contents, of which no extent is known."""
    memory = build_initial_memory(
        subject.layout.buffer_slots,
        trial.memory.patterns,
        guess_default_element(subject),
    )

    return replace(trial, memory=memory)


def guess_default_element(subject: TrialSubject) -> ElementType:
    """Return the element type of a `void *`.

    It is the first floating type among the instantiation's template arguments: a kernel casts
    its `void *` to what its template parameter says.
    """
    template_arguments: tuple[str, ...] = ()
    if subject.unit.instantiations:
        template_arguments = subject.unit.instantiations[subject.entry].arguments

    for name in template_arguments:
        if name == "float":
            return resolve_element_type(name, TypeKind.FLOATING, 4)
        if name == "double":
            return resolve_element_type(name, TypeKind.FLOATING, 8)
        if "half" in name.lower() or "bfloat16" in name.lower():
            return resolve_element_type(name, TypeKind.CLASS, 2)

    return _FLOAT
