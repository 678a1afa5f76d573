// Preloaded into the tests under ThreadSanitizer: shows it how Swift's libraries, which it does not
// see, order what threads do. Without it, each of these counts as a race:
// - two accesses under one Mutex, if the second thread had to wait (the other path is inlined);
// - what a continuation is resumed with, if that happens before the task waits for it;
// - all that tasks hand over: the runtime shows it if it was enabled, which happens only on macOS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context)) void *
#define CONTEXT __attribute__((swift_async_context)) void *

__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

__attribute__((constructor)) static void enable_runtime(void) {
  void *core = dlopen("libswiftCore.so", RTLD_LAZY | RTLD_NOLOAD);
  void (*enable)(void) = core ? (void (*)(void))dlsym(core, "__tsan_on_initialize") : NULL;
  if (enable && __tsan_acquire) enable();
}

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF self) __asm__(LOCK);
SWIFT void unlock_slow(SELF self) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF self) {
  static SWIFT void (*next)(uint32_t, SELF);
  if (!next) next = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK);
  next(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF self) {
  static SWIFT void (*next)(SELF);
  if (!next) next = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(self);
  next(self);
}

// The beginning of the runtime's context of a continuation.
struct continuation {
  void *parent;
  ASYNC void (*resume)(CONTEXT);
};

SWIFT void *swift_task_getCurrent(void);

// What the task of this thread goes on with, if it need not wait.
static _Thread_local ASYNC void (*go_on)(CONTEXT);

static ASYNC void resumed(CONTEXT context) {
  __tsan_acquire(swift_task_getCurrent());
  __attribute__((musttail)) return go_on(context);
}

// A task that has to wait goes on as a job, whose order the runtime shows.
ASYNC void swift_continuation_await(struct continuation *continuation) {
  static ASYNC void (*next)(struct continuation *);
  if (!next) next = (ASYNC void (*)(struct continuation *))dlsym(RTLD_NEXT, __func__);
  if (__tsan_acquire) {
    go_on = continuation->resume;
    continuation->resume = resumed;
  }
  __attribute__((musttail)) return next(continuation);
}
