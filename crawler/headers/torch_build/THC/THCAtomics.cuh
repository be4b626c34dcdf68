// PyTorch's atomics, where they stood until it dropped this folder.
// Rule: THC/THCAtomics.cuh of PyTorch 1.13, which has this line alone.
#pragma once
#include <ATen/cuda/Atomic.cuh>
