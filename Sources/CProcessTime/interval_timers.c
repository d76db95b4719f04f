// The timers of timer_create, which send a signal, or call a function on a thread of the C library.

#include "timers.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <signal.h>
#include <stdlib.h>

static struct interval_timer {
    struct timer timer;
    timer_t identifier;
    struct interval_timer *next;
} *first_timer;

static struct interval_timer *timer_of(timer_t identifier) {
    struct interval_timer *timer = first_timer;
    while (timer && timer->identifier != identifier) { timer = timer->next; }
    return timer;
}

static int set_timer(const struct timer *timer, int flags, const struct itimerspec *setting, struct itimerspec *old) {
    return NEXT(timer_settime)(((const struct interval_timer *)timer)->identifier, flags, setting, old);
}

static int get_timer(const struct timer *timer, struct itimerspec *setting) {
    return NEXT(timer_gettime)(((const struct interval_timer *)timer)->identifier, setting);
}

/// Whether its signal is pending is unknown; an expired timer has no remaining time.
static bool is_timer_ready(const struct timer *timer) {
    (void)timer;
    return false;
}

void hold_interval_timers(void) {
    for (struct interval_timer *timer = first_timer; timer; timer = timer->next) { hold_timer(&timer->timer); }
}

void release_interval_timers(void) {
    for (struct interval_timer *timer = first_timer; timer; timer = timer->next) { release_timer(&timer->timer); }
}

INTERPOSED int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict identifier) {
    int result = NEXT(timer_create)(clock, event, identifier);
    struct interval_timer *timer = result == 0 && is_held(clock) ? malloc(sizeof *timer) : NULL;
    if (!timer) { return result; }
    *timer = (struct interval_timer){.identifier = *identifier};
    make_timer(&timer->timer, clock);
    timer->timer.set = set_timer;
    timer->timer.get = get_timer;
    timer->timer.is_ready = is_timer_ready;
    lock_world();
    timer->next = first_timer;
    first_timer = timer;
    unlock_world();
    return result;
}

INTERPOSED int timer_settime(
    timer_t identifier, int flags, const struct itimerspec *restrict setting, struct itimerspec *restrict old
) {
    lock_world();
    struct interval_timer *timer = timer_of(identifier);
    int result = 0;
    if (!timer) {
        result = NEXT(timer_settime)(identifier, flags, setting, old);
    } else if (is_living()) {
        if (old) { *old = remaining_time(&timer->timer); }
        set_world_timer(&timer->timer, flags, setting);
    } else {
        struct itimerspec converted = kernel_setting(&timer->timer, flags, setting);
        result = NEXT(timer_settime)(identifier, flags, &converted, old);
    }
    unlock_world();
    return result;
}

INTERPOSED int timer_gettime(timer_t identifier, struct itimerspec *setting) {
    lock_world();
    struct interval_timer *timer = timer_of(identifier);
    int result = 0;
    if (timer && is_living()) {
        *setting = remaining_time(&timer->timer);
    } else {
        result = NEXT(timer_gettime)(identifier, setting);
    }
    unlock_world();
    return result;
}

INTERPOSED int timer_delete(timer_t identifier) {
    lock_world();
    struct interval_timer **place = &first_timer;
    while (*place && (*place)->identifier != identifier) { place = &(*place)->next; }
    struct interval_timer *timer = *place;
    if (timer) {
        unlist_deadline(&timer->timer.deadline);
        *place = timer->next;
    }
    unlock_world();
    free(timer);
    return NEXT(timer_delete)(identifier);
}

#endif
