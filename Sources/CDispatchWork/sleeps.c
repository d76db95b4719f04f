// Sleeps of threads: tells the observer and sleeps.

#if defined(__linux__)

#define _GNU_SOURCE
#include "internal.h"

#include <time.h>
#include <unistd.h>

void dispatch_work_sleeps(const void *caller) {
    Dl_info found, dispatch;
    if (!dispatch_work_observes()) { return; }
    // libdispatch sleeps briefly while another thread has to continue.
    bool is_known = dladdr(caller, &found) && dladdr(dlsym(RTLD_NEXT, "dispatch_after_f"), &dispatch);
    if (is_known && found.dli_fbase != dispatch.dli_fbase) { dispatch_work_observer.sleeps(); }
}

#if defined(__GLIBC__)

REPLACING int nanosleep(const struct timespec *duration, struct timespec *left) {
    dispatch_work_sleeps(__builtin_return_address(0));
    ORIGINAL("nanosleep")
    return ((__typeof__(&nanosleep))original)(duration, left);
}

REPLACING int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    dispatch_work_sleeps(__builtin_return_address(0));
    ORIGINAL("clock_nanosleep")
    return ((__typeof__(&clock_nanosleep))original)(clock, flags, time, left);
}

REPLACING int usleep(useconds_t microseconds) {
    dispatch_work_sleeps(__builtin_return_address(0));
    ORIGINAL("usleep")
    return ((__typeof__(&usleep))original)(microseconds);
}

REPLACING unsigned sleep(unsigned seconds) {
    dispatch_work_sleeps(__builtin_return_address(0));
    ORIGINAL("sleep")
    return ((__typeof__(&sleep))original)(seconds);
}

#endif
#endif
