// OpenMP's calls for a host of one thread: without `-fopenmp` a compiler ignores its pragmas. In C and in C++.
// Rule: OpenMP API 5.2, "Runtime Library Routines".
#pragma once
#ifdef _OPENMP
#include_next <omp.h>
#else
#include <time.h>
typedef int omp_lock_t;
static inline int omp_get_num_threads() { return 1; }
static inline int omp_get_max_threads() { return 1; }
static inline int omp_get_thread_num() { return 0; }
static inline int omp_get_num_procs() { return 1; }
static inline int omp_get_thread_limit() { return 1; }
static inline int omp_in_parallel() { return 0; }
static inline int omp_get_level() { return 0; }
static inline int omp_get_dynamic() { return 0; }
static inline int omp_get_nested() { return 0; }
static inline void omp_set_num_threads(int count) { (void)count; }
static inline void omp_set_dynamic(int is_on) { (void)is_on; }
static inline void omp_set_nested(int is_on) { (void)is_on; }
static inline void omp_init_lock(omp_lock_t* lock) { *lock = 0; }
static inline void omp_destroy_lock(omp_lock_t* lock) { (void)lock; }
static inline void omp_set_lock(omp_lock_t* lock) { *lock = 1; }
static inline void omp_unset_lock(omp_lock_t* lock) { *lock = 0; }
static inline double omp_get_wtick() { return 1e-9; }
static inline double omp_get_wtime() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif
