// The idle threads of libdispatch's pool. Each waits here, instead of on libdispatch's semaphore, on its own futex
// word: so it is known without the kernel whether it waits, and which thread is woken for new work.
//
// A world continues when all threads rest. Threads in the list are assumed to rest, which is correct: while a thread is
// in the list it only sleeps on its word, and removing it counts a start before it can continue. The list and the count
// change under one lock, so a look at the list is before or after a start; if it was before, the count has changed at
// the end of the look, which is repeated. After spurious changes, signals, wake-ups, and starts and ends of threads, a
// thread is either in the list, asleep or about to sleep, or it is not, and the kernel is asked. The number of waiting
// threads only says when a look is worthwhile; a wrong number costs time.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <limits.h>
#include <linux/futex.h>

long dispatch_semaphore_wait(void *semaphore, uint64_t timeout);
long dispatch_semaphore_signal(void *semaphore);

struct idle_thread {
    int identifier;
    /// 1 once it was given work.
    atomic_int is_given;
    void *semaphore;
    struct idle_thread *next;
};

static __thread struct idle_thread own;

/// Waiting threads, the latest first, which gets the next work.
static struct idle_thread *first_idle;
static atomic_int idle_count;
/// The number for which a thread waits; more than exist if none does.
static atomic_int awaited_count = INT_MAX;
static atomic_uint start_count;

// MARK: The lock

enum { FREE, TAKEN, WANTED };

static atomic_int lock_word;

/// A thread that waits for the lock sleeps, so that the owner can continue if it has lost its processor; but it counts
/// as awake meanwhile, since it may be about to give work, and the owner of the lock may do no more than wake it.
static void lock_idle(void) {
    int expected = FREE;
    if (atomic_compare_exchange_strong(&lock_word, &expected, TAKEN)) { return; }
    atomic_fetch_add(&process_time_real_waits, 1);
    while (atomic_exchange(&lock_word, WANTED) != FREE) { wait_on(&lock_word, WANTED); }
    atomic_fetch_sub(&process_time_real_waits, 1);
}

static void unlock_idle(void) {
    if (atomic_exchange(&lock_word, FREE) == WANTED) { wake_on(&lock_word); }
}

// MARK: Waiting and giving

void count_start(void) { atomic_fetch_add(&start_count, 1); }

INTERPOSED long dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    // An idle thread of libdispatch ends after five seconds; that is not a deadline of the process.
    bool is_idle = timeout != DISPATCH_FOREVER && is_living() && is_in_dispatch(__builtin_return_address(0));
    if (!is_idle) { return NEXT(dispatch_semaphore_wait)(semaphore, timeout); }
    share_processor();
    if (own.identifier == 0) { own.identifier = (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0); }
    lock_idle();
    // Work that was given while no thread waited here.
    bool has = NEXT(dispatch_semaphore_wait)(semaphore, 0) == 0;
    if (!has) {
        own.semaphore = semaphore;
        own.next = first_idle;
        atomic_store(&own.is_given, 0);
        first_idle = &own;
        atomic_fetch_add(&idle_count, 1);
    }
    unlock_idle();
    if (has) { return 0; }
    if (atomic_load(&idle_count) >= atomic_load(&awaited_count)) { wake_on(&idle_count); }
    while (!atomic_load(&own.is_given)) { wait_on(&own.is_given, 0); }
    return 0;
}

/// Removes a thread that waits for a semaphore from the list; it counts as awake from now on.
static struct idle_thread *take_thread(void *semaphore) {
    for (struct idle_thread **place = &first_idle; *place; place = &(*place)->next) {
        struct idle_thread *thread = *place;
        if (thread->semaphore != semaphore) { continue; }
        *place = thread->next;
        atomic_fetch_sub(&idle_count, 1);
        count_start();
        return thread;
    }
    return NULL;
}

INTERPOSED long dispatch_semaphore_signal(void *semaphore) {
    lock_idle();
    struct idle_thread *thread = take_thread(semaphore);
    long result = thread ? 1 : NEXT(dispatch_semaphore_signal)(semaphore);
    unlock_idle();
    if (thread) {
        atomic_store(&thread->is_given, 1);
        wake_on(&thread->is_given);
    }
    return result;
}

// MARK: Waiting threads

int count_idle_threads(void) { return atomic_load(&idle_count); }

void wait_for_idle_threads(int awaited, uint64_t nanoseconds) {
    struct timespec limit = timespec_of(nanoseconds);
    atomic_store(&awaited_count, awaited);
    int count = atomic_load(&idle_count);
    if (count < awaited) {
        kernel_call(SYS_futex, (long)&idle_count, FUTEX_WAIT_PRIVATE, count, (long)&limit, 0, 0);
    }
    atomic_store(&awaited_count, INT_MAX);
}

unsigned count_starts(void) { return atomic_load(&start_count); }

void list_idle_threads(void (*add)(int identifier)) {
    lock_idle();
    for (struct idle_thread *thread = first_idle; thread; thread = thread->next) { add(thread->identifier); }
    unlock_idle();
}

size_t process_time_idle_threads(int *identifiers, size_t capacity) {
    size_t count = 0;
    lock_idle();
    for (struct idle_thread *thread = first_idle; thread; thread = thread->next) {
        if (count < capacity) { identifiers[count] = thread->identifier; }
        count += 1;
    }
    unlock_idle();
    return count;
}

bool waits_for_work(int identifier) {
    bool waits = false;
    lock_idle();
    for (struct idle_thread *thread = first_idle; thread; thread = thread->next) {
        if (thread->identifier == identifier) { waits = true; }
    }
    unlock_idle();
    return waits;
}

#endif
