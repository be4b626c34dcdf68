// What nvcc at most warns of and other compilers refuse: the storage class `register`, which C++17 has no more, and
// a list's number that its type is too narrow for.
#ifndef KERNELSET_ALLOWED_H
#define KERNELSET_ALLOWED_H
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wregister"
#pragma clang diagnostic ignored "-Wc++11-narrowing"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wregister"
#pragma GCC diagnostic ignored "-Wnarrowing"
#endif
#endif
