// Thrust, as far as device code and its launchers name it: pairs, functors and iterators work on both sides;
// algorithms run in order, which is what `thrust::seq` means on a device; containers are declared for parsing.
#ifndef KERNELSET_THRUST_H
#define KERNELSET_THRUST_H

#include <kernelset/thrust_values.h>

#include <kernelset/thrust_iterators.h>

#include <kernelset/thrust_algorithms.h>
#include <kernelset/thrust_containers.h>

#endif
