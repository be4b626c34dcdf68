// NCCL, by name.
#pragma once
#include <kernelset/cuda.cuh>
#include <kernelset/collectives.h>
