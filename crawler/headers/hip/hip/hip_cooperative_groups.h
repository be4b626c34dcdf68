// Cooperative groups: ours in place of HIP's, whose tiles vote over 64 lanes, or not at all, and cannot reduce.
#ifndef KERNELSET_HIP_COOPERATIVE_GROUPS_H
#define KERNELSET_HIP_COOPERATIVE_GROUPS_H

#include <kernelset/hip.h>

#include <kernelset/hip_groups.h>

#include <kernelset/hip_groups_collective.h>

#endif
