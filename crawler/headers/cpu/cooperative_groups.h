// Cooperative groups, with a grid that waits for all of its blocks.
#pragma once
#include <kernelset/cuda.cuh>

#define KERNELSET_GRID_SYNC kernelset::wait_for_grid()
#define KERNELSET_OTHER_RANK(rank) ((rank) ? kernelset::find_and_end(kernelset::Kind::unsupported) : void())
#include <kernelset/groups.h>
#include <kernelset/cluster.h>

#include <kernelset/groups_collective.h>
