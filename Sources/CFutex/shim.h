// The futex calls of Linux, which have no function in the C library, and which Swift cannot make
// itself: syscall(2) takes any number of arguments.
#ifndef ATOLL_CFUTEX_SHIM_H
#define ATOLL_CFUTEX_SHIM_H

#ifdef __linux__

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// Waits for a wake-up, unless the word differs from `expected`, for some time at most. Not
/// "private": the word may lie in memory that processes share.
static inline void futex_wait(void *word, uint32_t expected, int64_t nanoseconds) {
  struct timespec timeout;
  timeout.tv_sec = (time_t)(nanoseconds / 1000000000);
  timeout.tv_nsec = (long)(nanoseconds % 1000000000);
  // Every failure is a reason to look at the word again, which the caller does anyway.
  (void)syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, (void *)0, 0);
}

/// Wakes all who wait.
static inline void futex_wake_all(void *word) {
  (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, (void *)0, (void *)0, 0);
}

#endif
#endif
