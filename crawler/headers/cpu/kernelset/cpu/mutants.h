// One program for all mutants of a kernel: each change that is tried has a number, and the job says which one is made.
#pragma once

namespace kernelset {
KS_STATE unsigned mutant;
}
#define KS_MUTANT(number) (kernelset::mutant == number##u)
