// Tells the thread sanitizer which thread waited for which in libraries of Swift on Linux that are
// not instrumented. Linked into a program, the functions below take the place of those of the
// libraries, and call them.
//
// A mark names what the library waits for, and stands where the library makes threads wait: a
// release before the library releases, an acquisition after it has acquired. So whatever the marks
// order is ordered, and they hide no race.
//
// The names and arguments are part of the libraries' binary interface: compiled programs use them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Functions of the sanitizer.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

static void *inLibrary(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) {
    fprintf(stderr, "Swift's libraries have no function %s\n", name);
    abort();
  }
  return function;
}

// MARK: Synchronization.Mutex

// A mutex that is free is taken and given back in code that is inlined, and so instrumented. When a
// thread has to wait, or another waits for it, the rest happens in three functions of
// libswiftSynchronization. The inlined code changes the word that they are given, so both are the
// same lock for the sanitizer.

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef METHOD void Lock(uint32_t thread, SELF void *word);
typedef METHOD bool TryLock(SELF void *word);
typedef METHOD void Unlock(SELF void *word);

extern Lock lock __asm__(LOCK);
extern TryLock tryLock __asm__(TRY_LOCK);
extern Unlock unlock __asm__(UNLOCK);

METHOD void lock(uint32_t thread, SELF void *word) {
  ((Lock *)inLibrary(LOCK))(thread, word);
  __tsan_acquire(word);
}

METHOD bool tryLock(SELF void *word) {
  bool isTaken = ((TryLock *)inLibrary(TRY_LOCK))(word);
  if (isTaken) __tsan_acquire(word);
  return isTaken;
}

METHOD void unlock(SELF void *word) {
  __tsan_release(word);
  ((Unlock *)inLibrary(UNLOCK))(word);
}

// MARK: What is made once

// When it knows of the sanitizer, the runtime takes a lock for each look at a global variable or at
// the metadata of a generic type, and tells the sanitizer. That orders threads which only look at
// the same variable, one after the other, and hides their races. They also wait for each other in
// the kernel: a test of 7 threads was not done after 20 minutes. So the runtime is told that there
// is no sanitizer, and who looks acquires what the thread that made the variable released, and no
// more.

extern bool _swift_tsan_enabled;

typedef void Once(void *token, void (*make)(void *), void *context);

typedef struct {
  void *token;
  void (*make)(void *);
  void *context;
} Making;

static Once *onceInLibrary;

__attribute__((constructor)) static void begin(void) {
  _swift_tsan_enabled = false;
  onceInLibrary = (Once *)inLibrary("swift_once");
}

static void makeAndRelease(void *argument) {
  Making *making = argument;
  making->make(making->context);
  __tsan_release(making->token);
}

void swift_once(void *token, void (*make)(void *), void *context) {
  Making making = {token, make, context};
  Once *once = onceInLibrary ? onceInLibrary : (Once *)inLibrary("swift_once");
  once(token, makeAndRelease, &making);
  __tsan_acquire(token);
}
