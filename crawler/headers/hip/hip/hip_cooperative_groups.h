// Cooperative groups: HIP's own from version 6 on, else ours; `reduce` and scans, which HIP lacks, over either.
#ifndef KERNELSET_HIP_COOPERATIVE_GROUPS_H
#define KERNELSET_HIP_COOPERATIVE_GROUPS_H

#include <kernelset/hip.h>

#if HIP_VERSION_MAJOR >= 6
#include_next <hip/hip_cooperative_groups.h>
#else
#include <kernelset/hip_groups.h>
#endif

#include <kernelset/hip_groups_collective.h>

#endif
