"""A kernel that works in place tells something where other data leads to other results, and
nothing where it clears.
"""

from __future__ import annotations

import struct

from crawler.validate.emulator.execution_report import BufferAccess, Execution, Outcome
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.informative_output import (
    has_informative_output,
    vary_inputs,
)
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.inputs.trials.trial_memory import TrialMemory
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType

IN_PLACE = BufferAccess(read_range=(0, 4), written_range=(0, 4), is_input=True)
TRIAL = Trial(
    configuration=LaunchConfiguration(
        grid=(1, 1, 1), block=(1, 1, 1), shared_bytes=0, scalars={}, free_variables={}
    ),
    memory=TrialMemory(
        patterns=(FillPattern(Filling.DATA),),
        elements=(ElementType("float", 4, ScalarType.FLOAT),),
        sizes=(4,),
        leading_bytes=(0,),
    ),
    seed=7,
)


def execute_scaled(trial: Trial, factor: float) -> Execution:
    (value,) = struct.unpack("f", trial.generate_contents()[0][:4])
    return Execution(
        outcome=Outcome.DONE,
        buffers=(struct.pack("f", factor * value).ljust(4, b"\0"),),
        accesses=(IN_PLACE,),
    )


def test_what_is_changed_in_place_tells_something_unless_it_is_always_the_same() -> (
    None
):
    varied_trials = vary_inputs(TRIAL, execute_scaled(TRIAL, 1))
    assert varied_trials[0].generate_contents()[0][:4] != TRIAL.generate_contents()[0]
    assert has_informative_output(
        TRIAL,
        execute_scaled(TRIAL, 0.5),
        [execute_scaled(varied_trial, 0.5) for varied_trial in varied_trials],
    )
    assert not has_informative_output(
        TRIAL,
        execute_scaled(TRIAL, 0),
        [execute_scaled(varied_trial, 0) for varied_trial in varied_trials],
    )
    assert not has_informative_output(
        TRIAL,
        execute_scaled(TRIAL, 1),
        [execute_scaled(varied_trial, 1) for varied_trial in varied_trials],
    )
