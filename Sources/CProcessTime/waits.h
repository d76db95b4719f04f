// A wait with a limit while a world exists: the real wait has no limit, and the world ends it at its deadline.

#ifndef C_PROCESS_TIME_WAITS_H
#define C_PROCESS_TIME_WAITS_H

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

enum { WAITING, DUE, WOKEN };

struct waiter {
    struct deadline deadline;
    atomic_int state;
    /// Ends the real wait; `NULL` if the thread sleeps on `state`.
    void (*wake)(struct waiter *);
    /// The object of the wait: a condition, a futex, an event descriptor, a semaphore.
    void *object;
    int descriptor;
    /// Whether it checks its object itself whenever everything is at rest.
    bool looks_again;
    struct waiter *next, *previous;
};

/// Adds a waiter of this thread; returns false if the limit has passed or the world has ended.
bool enter_wait(struct waiter *, uint64_t deadline);
/// Removes it; returns whether its limit has passed.
bool leave_wait(struct waiter *);
/// Sleeps on the waiter's state until it is due or woken; returns whether it is due.
bool sleep_on_state(struct waiter *);
/// Wakes the first waiter for an object that sleeps on its state.
void wake_first_waiter(const void *object);

#endif
#endif
