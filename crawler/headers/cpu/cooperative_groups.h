// Cooperative groups, with a grid that waits for all of its blocks.
#pragma once
#include <kernelset/cuda.cuh>

#define KERNELSET_GRID_SYNC kernelset::wait_for_grid()
#include <kernelset/groups.h>

#include <kernelset/groups_collective.h>
