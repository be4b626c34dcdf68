"""A kernel to try, described as the compiler would describe it, and results of made-up runs."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.model import Instantiation, Kernel, Launch, Status, Verdict
from crawler.validate.emulator.execution_report import BufferAccess, Execution, Outcome
from crawler.validate.emulator.program import BuildOptions, Program
from crawler.validate.inputs.ordinary.first_trial import build_first_trial
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject, build_subject
from crawler.validate.inputs.sizes.size_choices import choose_usual_size
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.values.parameter_types import parse_signatures
from tests.plain import HERE, plain_kernel, plain_unit

SOURCE = """__global__ void k(const float* a, const int* index, float* out, int n, int mode,
                  int window, float scale, bool is_causal) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (!a) { out[i] = 0; return; }
  if (mode == 2 || mode == 5) out[i] = a[index[i]] * scale;
  if (window > 7 && index[i] == 3) out[i] = is_causal;
}
"""
PARAMETERS = (
    ("a", "const float *"),
    ("index", "const int *"),
    ("out", "float *"),
    ("n", "int"),
    ("mode", "int"),
    ("window", "int"),
    ("scale", "float"),
    ("is_causal", "bool"),
)
DESCRIPTION = """entry 0
parameter p 8 8 f 4 1 T = [T = const float *]
parameter p 8 8 s 4 1 T = [T = const int *]
parameter p 8 8 f 4 0 T = [T = float *]
parameter s 4 4 - 0 0 T = [T = int]
parameter s 4 4 - 0 0 T = [T = int]
parameter s 4 4 - 0 0 T = [T = int]
parameter f 4 4 - 0 0 T = [T = float]
parameter b 1 1 - 0 0 T = [T = bool]
"""
LAUNCH = Launch(
    span=HERE,
    kernel_name="k",
    grid="(n + threads - 1) / threads",
    block="threads",
    argument_map=(("n", "n"),),
    setup="int n = a.size(0); const int threads = 64;",
)
READ = BufferAccess(read_range=(0, 64), read_sizes=(4,), is_input=True)
WRITTEN = BufferAccess(written_range=(0, 64), write_sizes=(4,))


def build_kernel(*arguments: str, launches: Sequence[Launch] = (LAUNCH,)) -> Kernel:
    """Return the kernel; `arguments` are the template arguments of its one instantiation."""
    instantiation = Instantiation(arguments=arguments, label="")
    unit = plain_unit(SOURCE, instantiation)
    return plain_kernel(unit, PARAMETERS, launches=tuple(launches), source=SOURCE)


def build_plain_subject(
    *arguments: str, description: str = DESCRIPTION
) -> TrialSubject:
    """Return the kernel as it is tried, by a program that is described and cannot be run."""
    kernel = build_kernel(*arguments)
    assert kernel.unit is not None
    program = Program(
        unit_digest=kernel.unit.digest,
        options=BuildOptions(trace=True),
        verdict=Verdict(status=Status.PASS),
        signatures=parse_signatures(description),
    )
    return build_subject(kernel, kernel.unit, 0, program, LAUNCH)


def build_base(subject: TrialSubject) -> TrialResult:
    """Return a clean run that reads two buffers and writes the third."""
    trial = build_first_trial(subject, choose_usual_size, 0)
    execution = Execution(
        outcome=Outcome.DONE,
        accesses=(READ, READ, WRITTEN),
        buffers=(b"\0" * 64,) * 3,
        nanoseconds=1_000_000,
    )
    return TrialResult(trial=trial, execution=execution)
