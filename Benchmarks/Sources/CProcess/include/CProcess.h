#pragma once

/// Calls of fsync, fdatasync and msync by this process so far, whichever library made them;
/// -1 where they are not counted.
long bench_sync_count(void);

/// Gives freed memory back to the system where the C library keeps it for later.
void bench_release_freed_memory(void);
