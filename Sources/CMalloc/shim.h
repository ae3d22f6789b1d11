// What glibc can be told of its allocator, which Swift's module of it leaves out.
#ifndef ATOLL_CMALLOC_SHIM_H
#define ATOLL_CMALLOC_SHIM_H

#ifdef __linux__
#include <features.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

#endif
