// The prelude of HIP units that name PyTorch's device types.
#pragma once
#include <kernelset/hip.h>
#include <kernelset/torch_types.h>
