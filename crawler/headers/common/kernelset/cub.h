// Device-side primitives of CUB and hipCUB, one text for both: KERNELSET_CUB names the namespace, and the includer
// has `kernelset::lane_id()` and the `_sync` shuffles of 32-lane warps. Plain and right rather than fast.
#ifndef KERNELSET_CUB_H
#define KERNELSET_CUB_H

#include <kernelset/cub_thread.h>

#include <kernelset/cub_types.h>

#include <kernelset/cub_data.h>
#include <kernelset/cub_neighbours.h>
#include <kernelset/cub_reduce.h>
#include <kernelset/cub_scan.h>
#include <kernelset/cub_sort.h>
#include <kernelset/cub_warp.h>

#include <kernelset/cub_device.h>

#undef KERNELSET_BOTH
#endif
