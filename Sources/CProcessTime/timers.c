// Kernel timers, including timer descriptors: libdispatch has one for each of its clocks, a run loop one for each mode,
// an event loop of NIO one.

#include "timers.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <poll.h>
#include <sys/timerfd.h>

// MARK: A timer

static bool is_zero(const struct timespec *time) { return time->tv_sec == 0 && time->tv_nsec == 0; }

/// Makes a timer expire.
static void expire(const struct timer *timer) {
    const struct itimerspec soonest = {.it_value = {.tv_nsec = 1}};
    if (timer->set(timer, 0, &soonest, NULL) != 0) { return; }
    // The kernel's timer expires in an interrupt. Checks for rest must not come before it.
    while (!timer->is_ready(timer)) {
        struct itimerspec left = {0};
        if (timer->get(timer, &left) != 0 || is_zero(&left.it_value)) { return; }
    }
}

static void reach_timer(struct deadline *deadline) {
    struct timer *timer = (struct timer *)deadline;
    // After the end of the world the timer continues by itself.
    if (!is_living()) {
        struct itimerspec setting = {.it_value = {.tv_nsec = 1}, .it_interval = timespec_of(timer->interval)};
        timer->set(timer, 0, &setting, NULL);
        return;
    }
    expire(timer);
    if (timer->interval) { list_deadline(deadline, deadline->time + timer->interval); }
}

void make_timer(struct timer *timer, clockid_t clock) {
    timer->deadline = (struct deadline){.reach = reach_timer};
    timer->clock = clock;
    timer->interval = 0;
    timer->is_deferred = false;
}

bool hold_timer(struct timer *timer) {
    bool is_ready = timer->is_ready(timer);
    struct itimerspec old = {0};
    const struct itimerspec off = {0};
    if (timer->set(timer, 0, &off, &old) != 0) { return false; }
    timer->is_deferred = is_ready || !is_zero(&old.it_value);
    if (!timer->is_deferred) { return true; }
    // Stored as an instant, since the remaining time does not include the world's time.
    struct timespec now = {0};
    NEXT(clock_gettime)(timer->clock, &now);
    uint64_t left = is_ready ? 0 : nanoseconds_of(&old.it_value);
    timer->deferred.it_value = timespec_of(nanoseconds_of(&now) + left);
    timer->deferred.it_interval = old.it_interval;
    return true;
}

void release_timer(struct timer *timer) {
    if (!timer->is_deferred) { return; }
    timer->is_deferred = false;
    timer->set(timer, TIMER_ABSTIME, &timer->deferred, NULL);
}

struct itimerspec kernel_setting(const struct timer *timer, int flags, const struct itimerspec *setting) {
    struct itimerspec result = *setting;
    if ((flags & TIMER_ABSTIME) && !is_zero(&setting->it_value)) {
        result.it_value = kernel_time(timer->clock, &setting->it_value);
        // Zero would disarm it.
        if (is_zero(&result.it_value)) { result.it_value.tv_nsec = 1; }
    }
    return result;
}

struct itimerspec remaining_time(const struct timer *timer) {
    struct itimerspec result = {.it_interval = timespec_of(timer->interval)};
    if (timer->deadline.is_listed) {
        uint64_t now = process_time_now();
        uint64_t time = timer->deadline.time;
        result.it_value = timespec_of(time > now ? time - now : 1);
    }
    return result;
}

void set_world_timer(struct timer *timer, int flags, const struct itimerspec *setting) {
    const struct itimerspec off = {0};
    unlist_deadline(&timer->deadline);
    timer->is_deferred = false;
    // Clears readiness, as the kernel does.
    timer->set(timer, 0, &off, NULL);
    timer->interval = nanoseconds_of(&setting->it_interval);
    if (is_zero(&setting->it_value)) { return; }
    bool is_absolute = flags & TIMER_ABSTIME;
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

// MARK: Descriptors

#define LARGEST_DESCRIPTOR 65536

static struct descriptor_timer {
    struct timer timer;
    bool is_timer;
} timers[LARGEST_DESCRIPTOR];
/// Descriptors up to this one may be timers.
static int last_descriptor = -1;

static int descriptor_of(const struct timer *timer) { return (int)((const struct descriptor_timer *)timer - timers); }

/// The timer of a descriptor that timerfd_create gave; the lock is held.
static struct timer *timer_of(int descriptor) {
    if (descriptor < 0 || descriptor >= LARGEST_DESCRIPTOR || !timers[descriptor].is_timer) { return NULL; }
    return &timers[descriptor].timer;
}

static int set_descriptor(
    const struct timer *timer, int flags, const struct itimerspec *setting, struct itimerspec *old
) {
    _Static_assert(TFD_TIMER_ABSTIME == TIMER_ABSTIME, "the flag of both kinds of timers");
    return (int)kernel_call(SYS_timerfd_settime, descriptor_of(timer), flags, (long)setting, (long)old, 0, 0);
}

static int get_descriptor(const struct timer *timer, struct itimerspec *setting) {
    return (int)kernel_call(SYS_timerfd_gettime, descriptor_of(timer), (long)setting, 0, 0, 0, 0);
}

static bool is_descriptor_ready(const struct timer *timer) {
    struct pollfd ready = {.fd = descriptor_of(timer), .events = POLLIN};
    const struct timespec none = {0};
    return kernel_call(SYS_ppoll, (long)&ready, 1, (long)&none, 0, 0, 0) != 0;
}

void hold_timers(void) {
    for (int descriptor = 0; descriptor <= last_descriptor; descriptor += 1) {
        struct timer *timer = timer_of(descriptor);
        if (timer && !hold_timer(timer)) { timers[descriptor].is_timer = false; }
    }
    hold_interval_timers();
}

void release_timers(void) {
    for (int descriptor = 0; descriptor <= last_descriptor; descriptor += 1) {
        struct timer *timer = timer_of(descriptor);
        if (timer) { release_timer(timer); }
    }
    release_interval_timers();
}

INTERPOSED int timerfd_create(clockid_t clock, int flags) {
    int descriptor = NEXT(timerfd_create)(clock, flags);
    if (descriptor < 0 || descriptor >= LARGEST_DESCRIPTOR || !is_held(clock)) { return descriptor; }
    lock_world();
    struct timer *timer = &timers[descriptor].timer;
    unlist_deadline(&timer->deadline);
    make_timer(timer, clock);
    timer->set = set_descriptor;
    timer->get = get_descriptor;
    timer->is_ready = is_descriptor_ready;
    timers[descriptor].is_timer = true;
    if (descriptor > last_descriptor) { last_descriptor = descriptor; }
    unlock_world();
    return descriptor;
}

INTERPOSED int timerfd_settime(int descriptor, int flags, const struct itimerspec *setting, struct itimerspec *old) {
    lock_world();
    struct timer *timer = timer_of(descriptor);
    int result = 0;
    if (!timer) {
        result = NEXT(timerfd_settime)(descriptor, flags, setting, old);
    } else if (is_living()) {
        if (old) { *old = remaining_time(timer); }
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
        *setting = remaining_time(timer);
    } else {
        result = NEXT(timerfd_gettime)(descriptor, setting);
    }
    unlock_world();
    return result;
}

INTERPOSED int close(int descriptor) {
    if (descriptor >= 0 && descriptor < LARGEST_DESCRIPTOR && timers[descriptor].is_timer) {
        lock_world();
        unlist_deadline(&timers[descriptor].timer.deadline);
        timers[descriptor].is_timer = false;
        timers[descriptor].timer.is_deferred = false;
        unlock_world();
    }
    return NEXT(close)(descriptor);
}

#endif
