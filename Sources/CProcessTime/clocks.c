// The clocks of the process. While a world exists, only the world advances them; otherwise they are real.
//
// From the start of the process, its monotonic clocks count from another origin than the kernel's, so that every real
// instant is later than 30 days after the start of a world. So a timer from before a world, such as a test runner's
// time limit, is never due in a world, and timers that were armed in a world are due after it. Values are converted
// when they are passed to the kernel. Times of day stay real outside of a world, and inside are those of 2025, which
// are in the past for the same reason.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <sys/time.h>

static _Atomic int64_t shift;
static _Atomic uint64_t world_nanoseconds;
atomic_bool process_time_living;

void *process_time_next(const char *name) {
    // A program that links its C library statically has no next definition.
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        static const char text[] = "CoreBluetoothProcessTime: the C library has no function behind ";
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        size_t length = 0;
        while (name[length]) { length += 1; }
        (void)!write(STDERR_FILENO, name, length);
        (void)!write(STDERR_FILENO, "\n", 1);
        _exit(70);
    }
    return found;
}

// MARK: Conversion

bool is_monotonic(clockid_t clock) {
    switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return true;
    default:
        return false;
    }
}

bool is_held(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return true;
    default:
        return is_monotonic(clock);
    }
}

uint64_t nanoseconds_of(const struct timespec *duration) {
    if (duration->tv_sec < 0) { return 0; }
    uint64_t seconds = (uint64_t)duration->tv_sec;
    if (seconds >= PROCESS_TIME_NEVER / NANOSECONDS) { return PROCESS_TIME_NEVER - 1; }
    return seconds * NANOSECONDS + (uint64_t)duration->tv_nsec;
}

struct timespec timespec_of(uint64_t nanoseconds) {
    time_t seconds = (time_t)(nanoseconds / NANOSECONDS);
    return (struct timespec){.tv_sec = seconds, .tv_nsec = (long)(nanoseconds % NANOSECONDS)};
}

static int kernel_clock(clockid_t clock, struct timespec *time) { return NEXT(clock_gettime)(clock, time); }

int64_t monotonic_shift(void) {
    int64_t value = atomic_load_explicit(&shift, memory_order_acquire);
    if (value == 0) {
        struct timespec now = {0};
        kernel_clock(CLOCK_MONOTONIC, &now);
        value = (int64_t)(MONOTONIC_ORIGIN + PROCESS_TIME_LONGEST) - (int64_t)nanoseconds_of(&now);
        // Zero means that the shift is not yet known.
        if (value == 0) { value = 1; }
        int64_t none = 0;
        if (!atomic_compare_exchange_strong(&shift, &none, value)) { value = none; }
    }
    return value;
}

uint64_t process_time_real_nanoseconds(void) {
    struct timespec now = {0};
    kernel_clock(CLOCK_MONOTONIC, &now);
    return nanoseconds_of(&now);
}

clockid_t clock_of(const struct timespec *time) {
    return time->tv_sec < 1000000000 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

struct timespec kernel_time(clockid_t clock, const struct timespec *time) {
    if (!is_monotonic(clock)) { return *time; }
    uint64_t nanoseconds = nanoseconds_of(time);
    int64_t value = nanoseconds > INT64_MAX ? INT64_MAX : (int64_t)nanoseconds;
    // The shift is negative if the computer has run for a long time.
    if (__builtin_sub_overflow(value, monotonic_shift(), &value)) { value = INT64_MAX; }
    return value < 0 ? (struct timespec){0} : timespec_of((uint64_t)value);
}

uint64_t world_time(clockid_t clock, const struct timespec *time) {
    uint64_t origin = is_monotonic(clock) ? MONOTONIC_ORIGIN : REALTIME_ORIGIN;
    uint64_t value = nanoseconds_of(time);
    if (value <= origin) { return 0; }
    return value - origin >= PROCESS_TIME_LONGEST ? PROCESS_TIME_NEVER : value - origin;
}

uint64_t deadline_after(uint64_t nanoseconds) {
    uint64_t now = process_time_now();
    return nanoseconds >= PROCESS_TIME_LONGEST - now ? PROCESS_TIME_NEVER : now + nanoseconds;
}

// MARK: The world's time

uint64_t process_time_now(void) { return atomic_load_explicit(&world_nanoseconds, memory_order_acquire); }

bool process_time_begin(uint64_t seed) {
    lock_world();
    bool is_free = !is_living();
    if (is_free) {
        hold_timers();
        separate_deadlines(true);
        seed_randomness(seed);
        atomic_store(&world_nanoseconds, 0);
        atomic_store(&process_time_living, true);
    }
    unlock_world();
    return is_free;
}

void process_time_end(void) {
    lock_world();
    if (is_living()) {
        atomic_store(&process_time_living, false);
        separate_deadlines(false);
        end_deadlines();
        release_timers();
    }
    unlock_world();
    end_sharing_processor();
}

void process_time_advance_clock(uint64_t nanoseconds) {
    uint64_t now = process_time_now();
    uint64_t last = PROCESS_TIME_LONGEST - 1;
    uint64_t target = nanoseconds < last ? nanoseconds : last;
    if (target > now) { atomic_store_explicit(&world_nanoseconds, target, memory_order_release); }
}

// MARK: Functions that read clocks

INTERPOSED int clock_gettime(clockid_t clock, struct timespec *time) {
    if (is_living() && is_held(clock)) {
        *time = timespec_of((is_monotonic(clock) ? MONOTONIC_ORIGIN : REALTIME_ORIGIN) + process_time_now());
        return 0;
    }
    int result = kernel_clock(clock, time);
    if (result == 0 && is_monotonic(clock)) {
        *time = timespec_of((uint64_t)((int64_t)nanoseconds_of(time) + monotonic_shift()));
    }
    return result;
}

INTERPOSED int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    if (!is_living()) { return NEXT(gettimeofday)(time, zone); }
    struct timespec now = timespec_of(REALTIME_ORIGIN + process_time_now());
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

INTERPOSED time_t time(time_t *result) {
    if (!is_living()) { return NEXT(time)(result); }
    time_t now = timespec_of(REALTIME_ORIGIN + process_time_now()).tv_sec;
    if (result) { *result = now; }
    return now;
}

INTERPOSED int timespec_get(struct timespec *time, int base) {
    // TIME_MONOTONIC, not in every version of glibc.
    const int monotonic = 2;
    if (base != monotonic && (base != TIME_UTC || !is_living())) { return NEXT(timespec_get)(time, base); }
    return clock_gettime(base == monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, time) == 0 ? base : 0;
}

#endif
