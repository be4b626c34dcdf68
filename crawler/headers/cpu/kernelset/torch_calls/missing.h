// A call that comes to a function of PyTorch that is not here is refused, like one that a check of the launcher refuses: branches
// without it can be called. `crawler/validate/programs/host_build/missing_torch_functions.py` defines such functions by this one.
#pragma once

namespace kernelset {
inline unsigned missing_calls;
}
extern "C" [[noreturn]] KS_CALLS void kernelset_refuse_missing() {
  ++kernelset::missing_calls;
  throw c10::Error("a function that is not there");
}
