// A function of Swift's runtime that the language has no word for, and that a Swift declaration may
// not name.
#ifndef ATOLL_CRETAIN_SHIM_H
#define ATOLL_CRETAIN_SHIM_H

/// Retains an object of Swift, and returns it; null when its `deinit` has begun.
extern void *_Nullable swift_tryRetain(void *_Nonnull object);

static inline void *_Nullable try_retain(void *_Nonnull object) { return swift_tryRetain(object); }

#endif
