// Cooperative groups: ours in place of HIP's, whose tiles vote over 64 lanes, or not at all, and cannot reduce.
#ifndef KERNELSET_HIP_COOPERATIVE_GROUPS_H
#define KERNELSET_HIP_COOPERATIVE_GROUPS_H

#include <kernelset/hip.h>

#define KERNELSET_GRID_SYNC __ockl_grid_sync()
#include <kernelset/groups.h>

#include <kernelset/groups_collective.h>

#endif
