// Cooperative groups. A grid's `sync` is a block's: the real one needs CUDA's device runtime.
#pragma once
#include <kernelset/cuda.cuh>

#define KERNELSET_GRID_SYNC __syncthreads()
#include <kernelset/groups.h>
#include <kernelset/cluster.h>

#include <kernelset/groups_collective.h>
