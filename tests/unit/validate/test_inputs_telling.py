"""A kernel that works in place tells something where other data leads to other results, and nothing where it clears."""

from __future__ import annotations

import struct

from crawler.validate.elements import Element
from crawler.validate.evidence.configuration import Configuration
from crawler.validate.inputs.contents import Content, Filling
from crawler.validate.inputs.trials import Memory, Trial, is_telling, with_other_inputs
from crawler.validate.numbers import Code
from crawler.validate.simt.execution import Access, Execution, Outcome

IN_PLACE = Access(read=(0, 4), written=(0, 4), exposed=True)
TRIAL = Trial(
    configuration=Configuration(grid=(1, 1, 1), block=(1, 1, 1), shared_bytes=0, scalars={}, free={}),
    memory=Memory(
        contents=(Content(Filling.DATA),), elements=(Element("float", 4, Code.FLOAT),), sizes=(4,), before=(0,)
    ),
    seed=7,
)


def ended(trial: Trial, factor: float) -> Execution:
    (value,) = struct.unpack("f", trial.contents()[0][:4])
    return Execution(
        outcome=Outcome.DONE, buffers=(struct.pack("f", factor * value).ljust(4, b"\0"),), accesses=(IN_PLACE,)
    )


def test_what_is_changed_in_place_tells_something_unless_it_is_always_the_same() -> None:
    others = with_other_inputs(TRIAL, ended(TRIAL, 1))
    assert others[0].contents()[0][:4] != TRIAL.contents()[0]
    assert is_telling(TRIAL, ended(TRIAL, 0.5), [ended(each, 0.5) for each in others])
    assert not is_telling(TRIAL, ended(TRIAL, 0), [ended(each, 0) for each in others])
    assert not is_telling(TRIAL, ended(TRIAL, 1), [ended(each, 1) for each in others])
