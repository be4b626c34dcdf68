// What is forced into the parse of sources that use PyTorch: the prelude of their units, and the host side.
#pragma once
#include <kernelset/torch.cuh>
#include <kernelset/torch_host.h>
#include <kernelset/torch_stable.h>
