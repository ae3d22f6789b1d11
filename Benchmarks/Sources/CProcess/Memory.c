#include "CProcess.h"

#include <stdlib.h>  // also defines __GLIBC__

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void bench_release_freed_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}
