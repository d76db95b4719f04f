// Waits for locks with a limit. The C library has no list of threads that wait for a lock, so such a waiter tries again
// whenever everything is at rest.

#include "waits.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <pthread.h>

/// A lock and the requested mode.
struct wanted {
    int (*try_lock)(void *);
    int (*lock)(void *);
    void *object;
};

static int wait_for_lock(struct wanted wanted, uint64_t deadline) {
    if (deadline == PROCESS_TIME_NEVER) { return wanted.lock(wanted.object); }
    int result = wanted.try_lock(wanted.object);
    struct waiter waiter = {.looks_again = true};
    if (result != EBUSY) { return result; }
    if (!enter_wait(&waiter, deadline)) { return ETIMEDOUT; }
    bool is_due = false;
    begin_wait(true);
    while (result == EBUSY && !is_due) {
        is_due = sleep_on_state(&waiter);
        result = wanted.try_lock(wanted.object);
    }
    end_wait();
    leave_wait(&waiter);
    return result == EBUSY ? ETIMEDOUT : result;
}

// MARK: Mutexes

static int try_mutex(void *mutex) { return pthread_mutex_trylock(mutex); }
static int lock_mutex(void *mutex) { return pthread_mutex_lock(mutex); }

static int wait_for_mutex(pthread_mutex_t *mutex, uint64_t deadline) {
    return wait_for_lock((struct wanted){try_mutex, lock_mutex, mutex}, deadline);
}

INTERPOSED int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict time) {
    if (!is_living()) { return NEXT(pthread_mutex_timedlock)(mutex, time); }
    return wait_for_mutex(mutex, world_time(CLOCK_REALTIME, time));
}

INTERPOSED int pthread_mutex_clocklock(
    pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict time
) {
    if (is_living()) { return wait_for_mutex(mutex, world_time(clock, time)); }
    struct timespec converted = kernel_time(clock, time);
    return NEXT(pthread_mutex_clocklock)(mutex, clock, &converted);
}

// MARK: Read-write locks

static int try_reading(void *lock) { return pthread_rwlock_tryrdlock(lock); }
static int lock_reading(void *lock) { return pthread_rwlock_rdlock(lock); }
static int try_writing(void *lock) { return pthread_rwlock_trywrlock(lock); }
static int lock_writing(void *lock) { return pthread_rwlock_wrlock(lock); }

static int wait_for_reading(pthread_rwlock_t *lock, uint64_t deadline) {
    return wait_for_lock((struct wanted){try_reading, lock_reading, lock}, deadline);
}

static int wait_for_writing(pthread_rwlock_t *lock, uint64_t deadline) {
    return wait_for_lock((struct wanted){try_writing, lock_writing, lock}, deadline);
}

INTERPOSED int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict time) {
    if (!is_living()) { return NEXT(pthread_rwlock_timedrdlock)(lock, time); }
    return wait_for_reading(lock, world_time(CLOCK_REALTIME, time));
}

INTERPOSED int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict time) {
    if (!is_living()) { return NEXT(pthread_rwlock_timedwrlock)(lock, time); }
    return wait_for_writing(lock, world_time(CLOCK_REALTIME, time));
}

INTERPOSED int pthread_rwlock_clockrdlock(
    pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict time
) {
    if (is_living()) { return wait_for_reading(lock, world_time(clock, time)); }
    struct timespec converted = kernel_time(clock, time);
    return NEXT(pthread_rwlock_clockrdlock)(lock, clock, &converted);
}

INTERPOSED int pthread_rwlock_clockwrlock(
    pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict time
) {
    if (is_living()) { return wait_for_writing(lock, world_time(clock, time)); }
    struct timespec converted = kernel_time(clock, time);
    return NEXT(pthread_rwlock_clockwrlock)(lock, clock, &converted);
}

#endif
