// The deadlines of the process in the world's time: sleeps, limits of waits, timers; ordered by time, and at the same
// time in the order of the requests. Threads make requests between two advances in an order that no seed determines, so
// these are ordered by the places that the world has assigned to the threads. Each call of advance ends one of them, so
// that several owners act one after the other at the same instant.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <limits.h>
#include <linux/futex.h>

void process_time_advance_clock(uint64_t nanoseconds);

static struct deadline *first_deadline;

// MARK: The lock

// A separate lock: it is taken inside functions that the C library's locks may call under a sanitizer.
static atomic_int lock_word;

void lock_world(void) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&lock_word, &expected, 1)) { return; }
    while (atomic_exchange(&lock_word, 2) != 0) { wait_on(&lock_word, 2); }
}

void unlock_world(void) {
    if (atomic_exchange(&lock_word, 0) == 2) { wake_on(&lock_word); }
}

void wait_on(atomic_int *word, int value) {
    kernel_call(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value, 0, 0, 0);
}

void wake_on(atomic_int *word) { kernel_call(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0); }

// MARK: The list

/// The number of advances.
static uint64_t advance_count;
/// The place of this thread's waits among those of others.
static __thread uint64_t own_place;

uint64_t process_time_set_place(uint64_t place) {
    uint64_t previous = own_place;
    own_place = place;
    return previous;
}

static bool is_before(const struct deadline *first, const struct deadline *second) {
    if (first->time != second->time) { return first->time < second->time; }
    if (first->advances != second->advances) { return first->advances < second->advances; }
    return first->place < second->place;
}

void list_deadline(struct deadline *deadline, uint64_t time) {
    unlist_deadline(deadline);
    deadline->time = time;
    deadline->advances = advance_count;
    deadline->place = own_place;
    if (time == PROCESS_TIME_NEVER) { return; }
    struct deadline *previous = NULL;
    struct deadline *next = first_deadline;
    while (next && !is_before(deadline, next)) {
        previous = next;
        next = next->next;
    }
    deadline->previous = previous;
    deadline->next = next;
    if (previous) { previous->next = deadline; } else { first_deadline = deadline; }
    if (next) { next->previous = deadline; }
    deadline->is_listed = true;
}

void unlist_deadline(struct deadline *deadline) {
    if (!deadline->is_listed) { return; }
    if (deadline->previous) { deadline->previous->next = deadline->next; } else { first_deadline = deadline->next; }
    if (deadline->next) { deadline->next->previous = deadline->previous; }
    deadline->next = deadline->previous = NULL;
    deadline->is_listed = false;
}

static void reach_first(void) {
    struct deadline *deadline = first_deadline;
    unlist_deadline(deadline);
    deadline->reach(deadline);
}

void end_deadlines(void) {
    while (first_deadline) { reach_first(); }
}

// MARK: Interface for the world

uint64_t process_time_next_deadline(void) {
    lock_world();
    uint64_t time = first_deadline ? first_deadline->time : PROCESS_TIME_NEVER;
    unlock_world();
    return time;
}

void process_time_advance(uint64_t nanoseconds) {
    lock_world();
    if (is_living()) {
        advance_count += 1;
        process_time_advance_clock(nanoseconds);
        if (first_deadline && first_deadline->time <= process_time_now()) { reach_first(); }
    }
    unlock_world();
}

#endif
