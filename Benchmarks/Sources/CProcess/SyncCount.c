// Counts the sync calls of the whole process.
//
// A symbol defined by the executable comes before the C library's in the dynamic linker's search,
// so the calls of shared libraries (SQLite, LMDB) arrive here too. Each is counted and passed on to
// the kernel unchanged. Writes with O_DSYNC or RWF_DSYNC are not seen.

#include "CProcess.h"

#if defined(__linux__)

#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>

extern long syscall(long number, ...);

static atomic_long sync_count;

int fsync(int descriptor) {
  atomic_fetch_add_explicit(&sync_count, 1, memory_order_relaxed);
  return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  atomic_fetch_add_explicit(&sync_count, 1, memory_order_relaxed);
  return (int)syscall(SYS_fdatasync, descriptor);
}

int msync(void *address, size_t byte_count, int flags) {
  atomic_fetch_add_explicit(&sync_count, 1, memory_order_relaxed);
  return (int)syscall(SYS_msync, address, byte_count, flags);
}

long bench_sync_count(void) {
  return atomic_load_explicit(&sync_count, memory_order_relaxed);
}

#else

long bench_sync_count(void) { return -1; }

#endif
