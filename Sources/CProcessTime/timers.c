// Timer descriptors: libdispatch has one for each of its clocks, a run loop one for each mode, an event loop of NIO one.
//
// A descriptor is always a real one. In a world it is not armed; when the world's time reaches its deadline it is armed
// for the moment, so that it becomes readable.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <poll.h>
#include <sys/timerfd.h>

#define LARGEST_DESCRIPTOR 65536

struct timer {
    struct deadline deadline;
    clockid_t clock;
    /// Nanoseconds between two expirations, 0 for one alone.
    uint64_t interval;
    /// The setting that lies outside of the world, to be armed after it.
    struct itimerspec deferred;
    bool is_timer;
    bool is_deferred;
};

static struct timer timers[LARGEST_DESCRIPTOR];
/// Descriptors up to this one may be timers.
static int last_descriptor = -1;

static int descriptor_of(const struct timer *timer) { return (int)(timer - timers); }

/// The timer of a descriptor that timerfd_create gave; the lock is held.
static struct timer *timer_of(int descriptor) {
    if (descriptor < 0 || descriptor >= LARGEST_DESCRIPTOR || !timers[descriptor].is_timer) { return NULL; }
    return &timers[descriptor];
}

static int set_kernel_timer(int descriptor, int flags, const struct itimerspec *setting, struct itimerspec *old) {
    return (int)kernel_call(SYS_timerfd_settime, descriptor, flags, (long)setting, (long)old, 0, 0);
}

/// Makes a descriptor readable.
static void make_readable(int descriptor) {
    const struct itimerspec soonest = {.it_value = {.tv_nsec = 1}};
    if (set_kernel_timer(descriptor, 0, &soonest, NULL) != 0) { return; }
    // The kernel's timer expires in an interrupt of its own. What asks whether the process is at rest must not come
    // before it.
    for (;;) {
        struct pollfd ready = {.fd = descriptor, .events = POLLIN};
        const struct timespec none = {0};
        if (kernel_call(SYS_ppoll, (long)&ready, 1, (long)&none, 0, 0, 0) != 0) { return; }
        struct itimerspec left = {0};
        if (kernel_call(SYS_timerfd_gettime, descriptor, (long)&left, 0, 0, 0, 0) != 0) { return; }
        // Expired and read in the meantime.
        if (left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0) { return; }
    }
}

static void reach_timer(struct deadline *deadline) {
    struct timer *timer = (struct timer *)deadline;
    // After the end of the world the timer goes on by itself.
    if (!is_living()) {
        struct itimerspec setting = {.it_value = {.tv_nsec = 1}, .it_interval = timespec_of(timer->interval)};
        set_kernel_timer(descriptor_of(timer), 0, &setting, NULL);
        return;
    }
    make_readable(descriptor_of(timer));
    if (timer->interval) { list_deadline(deadline, deadline->time + timer->interval); }
}

static bool is_zero(const struct timespec *time) { return time->tv_sec == 0 && time->tv_nsec == 0; }

// MARK: Begin and end

void hold_timers(void) {
    for (int descriptor = 0; descriptor <= last_descriptor; descriptor += 1) {
        struct timer *timer = timer_of(descriptor);
        if (!timer) { continue; }
        struct pollfd ready = {.fd = descriptor, .events = POLLIN};
        const struct timespec none = {0};
        bool is_ready = kernel_call(SYS_ppoll, (long)&ready, 1, (long)&none, 0, 0, 0) == 1;
        struct itimerspec old = {0};
        const struct itimerspec off = {0};
        if (set_kernel_timer(descriptor, 0, &off, &old) != 0) {
            timer->is_timer = false;
            continue;
        }
        timer->is_deferred = is_ready || !is_zero(&old.it_value);
        if (!timer->is_deferred) { continue; }
        // Kept as an instant, since the time of the world is no part of what remains.
        struct timespec now = {0};
        NEXT(clock_gettime)(timer->clock, &now);
        uint64_t left = is_ready ? 0 : nanoseconds_of(&old.it_value);
        timer->deferred.it_value = timespec_of(nanoseconds_of(&now) + left);
        timer->deferred.it_interval = old.it_interval;
    }
}

void release_timers(void) {
    for (int descriptor = 0; descriptor <= last_descriptor; descriptor += 1) {
        struct timer *timer = timer_of(descriptor);
        if (!timer || !timer->is_deferred) { continue; }
        timer->is_deferred = false;
        set_kernel_timer(descriptor, TFD_TIMER_ABSTIME, &timer->deferred, NULL);
    }
}

// MARK: What sets timers

INTERPOSED int timerfd_create(clockid_t clock, int flags) {
    int descriptor = NEXT(timerfd_create)(clock, flags);
    if (descriptor < 0 || descriptor >= LARGEST_DESCRIPTOR || !is_held(clock)) { return descriptor; }
    lock_world();
    struct timer *timer = &timers[descriptor];
    unlist_deadline(&timer->deadline);
    *timer = (struct timer){.deadline = {.reach = reach_timer}, .clock = clock, .is_timer = true};
    if (descriptor > last_descriptor) { last_descriptor = descriptor; }
    unlock_world();
    return descriptor;
}

/// The kernel's setting for one that the process gives.
static struct itimerspec kernel_setting(const struct timer *timer, int flags, const struct itimerspec *setting) {
    struct itimerspec result = *setting;
    if ((flags & TFD_TIMER_ABSTIME) && !is_zero(&setting->it_value)) {
        result.it_value = kernel_time(timer->clock, &setting->it_value);
        // Zero would disarm it.
        if (is_zero(&result.it_value)) { result.it_value.tv_nsec = 1; }
    }
    return result;
}

static struct itimerspec remaining(const struct timer *timer) {
    struct itimerspec result = {.it_interval = timespec_of(timer->interval)};
    if (timer->deadline.is_listed) {
        uint64_t now = process_time_now();
        uint64_t time = timer->deadline.time;
        result.it_value = timespec_of(time > now ? time - now : 1);
    }
    return result;
}

/// Sets a timer while a world lives.
static void set_world_timer(struct timer *timer, int flags, const struct itimerspec *setting) {
    const struct itimerspec off = {0};
    unlist_deadline(&timer->deadline);
    timer->is_deferred = false;
    // Takes readiness back, as the kernel does.
    set_kernel_timer(descriptor_of(timer), 0, &off, NULL);
    timer->interval = nanoseconds_of(&setting->it_interval);
    if (is_zero(&setting->it_value)) { return; }
    bool is_absolute = flags & TFD_TIMER_ABSTIME;
    uint64_t time =
        is_absolute ? world_time(timer->clock, &setting->it_value) : deadline_after(nanoseconds_of(&setting->it_value));
    if (time != PROCESS_TIME_NEVER) {
        list_deadline(&timer->deadline, time);
        return;
    }
    timer->is_deferred = true;
    timer->deferred = kernel_setting(timer, flags, setting);
    if (!is_absolute) {
        struct timespec now = {0};
        NEXT(clock_gettime)(timer->clock, &now);
        uint64_t sum = nanoseconds_of(&now) + nanoseconds_of(&setting->it_value);
        timer->deferred.it_value = timespec_of(sum < INT64_MAX ? sum : INT64_MAX);
    }
}

INTERPOSED int timerfd_settime(int descriptor, int flags, const struct itimerspec *setting, struct itimerspec *old) {
    lock_world();
    struct timer *timer = timer_of(descriptor);
    int result = 0;
    if (!timer) {
        result = NEXT(timerfd_settime)(descriptor, flags, setting, old);
    } else if (is_living()) {
        if (old) { *old = remaining(timer); }
        set_world_timer(timer, flags, setting);
    } else {
        struct itimerspec converted = kernel_setting(timer, flags, setting);
        result = NEXT(timerfd_settime)(descriptor, flags, &converted, old);
    }
    unlock_world();
    return result;
}

INTERPOSED int timerfd_gettime(int descriptor, struct itimerspec *setting) {
    lock_world();
    struct timer *timer = timer_of(descriptor);
    int result = 0;
    if (timer && is_living()) {
        *setting = remaining(timer);
    } else {
        result = NEXT(timerfd_gettime)(descriptor, setting);
    }
    unlock_world();
    return result;
}

INTERPOSED int close(int descriptor) {
    if (descriptor >= 0 && descriptor < LARGEST_DESCRIPTOR && timers[descriptor].is_timer) {
        lock_world();
        unlist_deadline(&timers[descriptor].deadline);
        timers[descriptor].is_timer = false;
        timers[descriptor].is_deferred = false;
        unlock_world();
    }
    return NEXT(close)(descriptor);
}

#endif
