// A wait with a limit, while a world lives: the wait itself has none, and the world ends it when its time has come.

#ifndef C_PROCESS_TIME_WAITS_H
#define C_PROCESS_TIME_WAITS_H

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

enum { WAITING, DUE, WOKEN };

struct waiter {
    struct deadline deadline;
    atomic_int state;
    /// Ends the real wait; `NULL` where the thread sleeps on `state`.
    void (*wake)(struct waiter *);
    /// What is waited for: a condition, a futex, an event descriptor, a semaphore.
    void *object;
    int descriptor;
    /// Looks for itself, whenever everything has come to rest, whether it has what it waits for.
    bool looks_again;
    struct waiter *next, *previous;
};

/// Adds a waiter of this thread; false where the limit has passed, or the world has ended.
bool enter_wait(struct waiter *, uint64_t deadline);
/// Removes it; whether its limit has passed.
bool leave_wait(struct waiter *);
/// Sleeps on the waiter's state until it is due or woken; whether it is due.
bool sleep_on_state(struct waiter *);
/// Wakes the first waiter for an object that sleeps on its state.
void wake_first_waiter(const void *object);

#endif
#endif
