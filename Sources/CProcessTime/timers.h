// A kernel timer while a world exists: it is not armed, and when the world's time reaches its deadline it is armed to
// expire immediately.

#ifndef C_PROCESS_TIME_TIMERS_H
#define C_PROCESS_TIME_TIMERS_H

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

struct timer {
    struct deadline deadline;
    clockid_t clock;
    /// Nanoseconds between two expirations, 0 for a single one.
    uint64_t interval;
    /// The setting from outside of the world, to be armed after it.
    struct itimerspec deferred;
    bool is_deferred;
    /// Sets the kernel's timer, and asks it; as timer_settime and timer_gettime do.
    int (*set)(const struct timer *, int flags, const struct itimerspec *, struct itimerspec *old);
    int (*get)(const struct timer *, struct itimerspec *);
    /// Whether it has expired without having been read, if that is known.
    bool (*is_ready)(const struct timer *);
};

// The lock is held for all of these; setting and remaining time are in the world's time.

void make_timer(struct timer *, clockid_t);
/// Disarms a timer at the start of a world; returns false if the timer no longer exists.
bool hold_timer(struct timer *);
/// Arms it after the end.
void release_timer(struct timer *);
void set_world_timer(struct timer *, int flags, const struct itimerspec *);
struct itimerspec remaining_time(const struct timer *);
/// The kernel's setting for one of the process.
struct itimerspec kernel_setting(const struct timer *, int flags, const struct itimerspec *);

/// The same for all timers of timer_create.
void hold_interval_timers(void);
void release_interval_timers(void);

#endif
#endif
