// A timer of the kernel's while a world lives: it is not armed, and when the world's time reaches its deadline it is
// armed for the moment, so that it expires.

#ifndef C_PROCESS_TIME_TIMERS_H
#define C_PROCESS_TIME_TIMERS_H

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

struct timer {
    struct deadline deadline;
    clockid_t clock;
    /// Nanoseconds between two expirations, 0 for one alone.
    uint64_t interval;
    /// The setting that lies outside of the world, to be armed after it.
    struct itimerspec deferred;
    bool is_deferred;
    /// Sets the kernel's timer, and asks it; as timer_settime and timer_gettime do.
    int (*set)(const struct timer *, int flags, const struct itimerspec *, struct itimerspec *old);
    int (*get)(const struct timer *, struct itimerspec *);
    /// Whether it has expired and nobody has taken notice, where that can be known.
    bool (*is_ready)(const struct timer *);
};

// The lock is held for all of these; setting and remaining time are those of a world that lives.

void make_timer(struct timer *, clockid_t);
/// Disarms a timer at the beginning of a world; false where there is no such timer any more.
bool hold_timer(struct timer *);
/// Arms it after the end.
void release_timer(struct timer *);
void set_world_timer(struct timer *, int flags, const struct itimerspec *);
struct itimerspec remaining_time(const struct timer *);
/// The kernel's setting for one that the process gives.
struct itimerspec kernel_setting(const struct timer *, int flags, const struct itimerspec *);

/// The same for all timers of timer_create.
void hold_interval_timers(void);
void release_interval_timers(void);

#endif
#endif
