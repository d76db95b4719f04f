// Sleeps, and waits for conditions, semaphores and futexes with a limit.

#include "waits.h"

#if PROCESS_TIME_IS_SUPPORTED

#include "CDispatchWork.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>

static struct waiter *first_waiter;
static atomic_int semaphore_waiters;
atomic_int process_time_real_waits;

// MARK: Waiters

static void wake(struct waiter *waiter) {
    if (waiter->wake) {
        waiter->wake(waiter);
    } else {
        wake_on(&waiter->state);
    }
}

static void reach_waiter(struct deadline *deadline) {
    struct waiter *waiter = (struct waiter *)deadline;
    atomic_store(&waiter->state, DUE);
    wake(waiter);
}

bool enter_wait(struct waiter *waiter, uint64_t deadline) {
    lock_world();
    bool enters = is_living() && deadline > process_time_now();
    if (enters) {
        waiter->deadline = (struct deadline){.reach = reach_waiter};
        atomic_store(&waiter->state, WAITING);
        waiter->previous = NULL;
        waiter->next = first_waiter;
        if (first_waiter) { first_waiter->previous = waiter; }
        first_waiter = waiter;
        list_deadline(&waiter->deadline, deadline);
    }
    unlock_world();
    return enters;
}

bool leave_wait(struct waiter *waiter) {
    lock_world();
    unlist_deadline(&waiter->deadline);
    if (waiter->previous) { waiter->previous->next = waiter->next; } else { first_waiter = waiter->next; }
    if (waiter->next) { waiter->next->previous = waiter->previous; }
    bool is_due = atomic_load(&waiter->state) == DUE;
    unlock_world();
    return is_due;
}

bool sleep_on_state(struct waiter *waiter) {
    wait_on(&waiter->state, WAITING);
    int woken = WOKEN;
    atomic_compare_exchange_strong(&waiter->state, &woken, WAITING);
    return woken == DUE;
}

void wake_first_waiter(const void *object) {
    lock_world();
    // The list starts with the latest.
    struct waiter *first = NULL;
    for (struct waiter *waiter = first_waiter; waiter; waiter = waiter->next) {
        if (waiter->object == object && !waiter->wake && atomic_load(&waiter->state) == WAITING) { first = waiter; }
    }
    int waiting = WAITING;
    if (first && atomic_compare_exchange_strong(&first->state, &waiting, WOKEN)) { wake(first); }
    unlock_world();
}

bool wake_again(int attempt) {
    bool has_woken = false;
    lock_world();
    for (struct waiter *waiter = first_waiter; waiter; waiter = waiter->next) {
        int waiting = WAITING;
        if (waiter->looks_again) {
            if (attempt > 0 || !atomic_compare_exchange_strong(&waiter->state, &waiting, WOKEN)) { continue; }
        } else if (attempt > 2 || atomic_load(&waiter->state) != DUE) {
            // Three times are enough: a due waiter that remains waits for something else, such as a condition's mutex.
            continue;
        }
        wake(waiter);
        has_woken = true;
    }
    unlock_world();
    return has_woken;
}

// MARK: Sleeps

static void sleep_until(uint64_t deadline) {
    struct waiter waiter = {0};
    if (!enter_wait(&waiter, deadline)) { return; }
    begin_wait(true);
    while (!sleep_on_state(&waiter)) {}
    end_wait();
    leave_wait(&waiter);
}

INTERPOSED_FIRST int nanosleep(const struct timespec *duration, struct timespec *left) {
    if (!is_living()) {
        dispatch_work_sleeps(__builtin_return_address(0));
        return NEXT(nanosleep)(duration, left);
    }
    sleep_until(deadline_after(nanoseconds_of(duration)));
    return 0;
}

INTERPOSED_FIRST int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    bool is_absolute = flags & TIMER_ABSTIME;
    if (is_living() && is_held(clock)) {
        sleep_until(is_absolute ? world_time(clock, time) : deadline_after(nanoseconds_of(time)));
        return 0;
    }
    if (!is_living()) { dispatch_work_sleeps(__builtin_return_address(0)); }
    struct timespec converted = is_absolute ? kernel_time(clock, time) : *time;
    return NEXT(clock_nanosleep)(clock, flags, &converted, left);
}

/// A sleep of libdispatch while another thread has to continue: real time, and the thread counts as awake.
static bool is_wait_for_thread(const void *caller) { return is_in_dispatch(caller); }

INTERPOSED_FIRST int usleep(useconds_t microseconds) {
    if (!is_living()) {
        dispatch_work_sleeps(__builtin_return_address(0));
        return NEXT(usleep)(microseconds);
    }
    if (is_wait_for_thread(__builtin_return_address(0))) {
        atomic_fetch_add(&process_time_real_waits, 1);
        int result = NEXT(usleep)(microseconds);
        atomic_fetch_sub(&process_time_real_waits, 1);
        return result;
    }
    sleep_until(deadline_after((uint64_t)microseconds * 1000));
    return 0;
}

INTERPOSED_FIRST unsigned sleep(unsigned seconds) {
    if (!is_living()) {
        dispatch_work_sleeps(__builtin_return_address(0));
        return NEXT(sleep)(seconds);
    }
    sleep_until(deadline_after((uint64_t)seconds * NANOSECONDS));
    return 0;
}

// MARK: Conditions

static void wake_condition(struct waiter *waiter) { pthread_cond_broadcast(waiter->object); }

static int wait_for_condition(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline) {
    struct waiter waiter = {.object = condition, .wake = wake_condition};
    bool has_limit = deadline != PROCESS_TIME_NEVER;
    if (has_limit && !enter_wait(&waiter, deadline)) { return ETIMEDOUT; }
    begin_wait(has_limit);
    int result = NEXT(pthread_cond_wait)(condition, mutex);
    end_wait();
    bool is_due = has_limit && leave_wait(&waiter);
    return result == 0 && is_due ? ETIMEDOUT : result;
}

INTERPOSED int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex) {
    return wait_for_condition(condition, mutex, PROCESS_TIME_NEVER);
}

// A condition that was created with another clock uses that clock's values.

INTERPOSED int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict time
) {
    clockid_t clock = clock_of(time);
    if (is_living()) { return wait_for_condition(condition, mutex, world_time(clock, time)); }
    struct timespec converted = kernel_time(clock, time);
    return NEXT(pthread_cond_timedwait)(condition, mutex, &converted);
}

INTERPOSED int pthread_cond_clockwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
    const struct timespec *restrict time
) {
    if (is_living()) { return wait_for_condition(condition, mutex, world_time(clock, time)); }
    struct timespec converted = kernel_time(clock, time);
    return NEXT(pthread_cond_clockwait)(condition, mutex, clock, &converted);
}

// MARK: Semaphores

static int wait_for_semaphore(sem_t *semaphore, uint64_t deadline) {
    if (deadline == PROCESS_TIME_NEVER) {
        begin_wait(false);
        int result = NEXT(sem_wait)(semaphore);
        end_wait();
        return result;
    }
    if (sem_trywait(semaphore) == 0) { return 0; }
    struct waiter waiter = {.object = semaphore};
    bool enters = enter_wait(&waiter, deadline);
    bool is_due = !enters;
    bool has = false;
    if (enters) {
        atomic_fetch_add(&semaphore_waiters, 1);
        begin_wait(true);
        // Tries again when it is due, since a wake-up may have come at the same time.
        for (;;) {
            has = sem_trywait(semaphore) == 0;
            if (has || is_due) { break; }
            is_due = sleep_on_state(&waiter);
        }
        end_wait();
        atomic_fetch_sub(&semaphore_waiters, 1);
        leave_wait(&waiter);
    }
    if (has) { return 0; }
    errno = ETIMEDOUT;
    return -1;
}

INTERPOSED int sem_wait(sem_t *semaphore) { return wait_for_semaphore(semaphore, PROCESS_TIME_NEVER); }

INTERPOSED int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time) {
    if (!is_living()) { return NEXT(sem_timedwait)(semaphore, time); }
    return wait_for_semaphore(semaphore, world_time(CLOCK_REALTIME, time));
}

INTERPOSED int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict time) {
    if (is_living()) { return wait_for_semaphore(semaphore, world_time(clock, time)); }
    struct timespec converted = kernel_time(clock, time);
    return NEXT(sem_clockwait)(semaphore, clock, &converted);
}

INTERPOSED int sem_post(sem_t *semaphore) {
    int result = NEXT(sem_post)(semaphore);
    if (atomic_load(&semaphore_waiters) > 0) { wake_first_waiter(semaphore); }
    return result;
}

// MARK: Threads

INTERPOSED int pthread_join(pthread_t thread, void **result) {
    begin_wait(false);
    int error = NEXT(pthread_join)(thread, result);
    end_wait();
    return error;
}

// MARK: Futexes

static void wake_futex(struct waiter *waiter) {
    // Other waiters at the same address check its value again, as after any wake-up.
    kernel_call(SYS_futex, (long)waiter->object, FUTEX_WAKE | waiter->descriptor, INT_MAX, 0, 0, 0);
}

static bool serve_futex(const long arguments[6], long *result) {
    int operation = (int)arguments[1];
    int command = operation & FUTEX_CMD_MASK;
    const struct timespec *time = (const struct timespec *)arguments[3];
    if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) { return false; }
    if (!time) {
        begin_wait(false);
        *result = kernel_call(SYS_futex, arguments[0], operation, arguments[2], 0, arguments[4], arguments[5]);
        end_wait();
        return true;
    }
    clockid_t clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    bool is_absolute = command == FUTEX_WAIT_BITSET;
    long object = arguments[0];
    if (!is_living()) {
        struct timespec converted = is_absolute ? kernel_time(clock, time) : *time;
        *result = kernel_call(SYS_futex, object, operation, arguments[2], (long)&converted, arguments[4], arguments[5]);
        return true;
    }
    uint64_t deadline = is_absolute ? world_time(clock, time) : deadline_after(nanoseconds_of(time));
    struct waiter waiter = {.object = (void *)object, .wake = wake_futex, .descriptor = operation & FUTEX_PRIVATE_FLAG};
    bool has_limit = deadline != PROCESS_TIME_NEVER;
    if (has_limit && !enter_wait(&waiter, deadline)) {
        *result = -ETIMEDOUT;
        return true;
    }
    begin_wait(has_limit);
    *result = kernel_call(
        SYS_futex, object, operation & ~FUTEX_CLOCK_REALTIME, arguments[2], 0, arguments[4], arguments[5]
    );
    end_wait();
    if (has_limit && leave_wait(&waiter) && *result == 0) { *result = -ETIMEDOUT; }
    return true;
}

bool serve_call(long number, const long arguments[6], long *result) {
    switch (number) {
    case SYS_futex:
        return serve_futex(arguments, result);
    case SYS_getrandom:
        if (!is_living()) { return false; }
        fill_random((void *)arguments[0], (size_t)arguments[1]);
        *result = arguments[1];
        return true;
    default:
        return false;
    }
}

#endif
