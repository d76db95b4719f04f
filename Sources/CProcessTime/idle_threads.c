// The threads of libdispatch's pool that have nothing to do. Each waits here, in place of libdispatch's semaphore, on a
// word of its own: so it is known of each whether it waits, without asking the kernel, and who gives work to the pool
// knows whom it wakes.
//
// What makes a world go on is that all threads rest. Of a thread in the list that is believed, and it holds: from where
// it enters the list to where it is taken out it does nothing but sleep on its word, and who takes it out has counted a
// start before it can go on. The list, the count and who is in it change under one lock, so that a look at the list
// falls before a start or after it; one that falls before sees another count at its end, and looks again. A word that
// changes for nothing, a signal, a thread that is woken for nothing, one that comes or leaves: after each of these
// a thread is in the list, asleep or about to be, or it is not, and then the kernel is asked. The count of those that
// wait only says when a look is worth while; a wrong one costs time.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <limits.h>
#include <linux/futex.h>

long dispatch_semaphore_wait(void *semaphore, uint64_t timeout);
long dispatch_semaphore_signal(void *semaphore);

struct idle_thread {
    int identifier;
    /// 1 from the moment at which it is given work.
    atomic_int is_given;
    void *semaphore;
    struct idle_thread *next;
};

static __thread struct idle_thread own;

/// Those that wait, the latest first: it is given to first.
static struct idle_thread *first_idle;
static atomic_int idle_count;
/// For how many somebody waits; more than there are where nobody does.
static atomic_int awaited_count = INT_MAX;
static atomic_uint start_count;

// MARK: The lock

enum { FREE, TAKEN, WANTED };

static atomic_int lock_word;

/// Who waits for the lock sleeps, so that a thread which has it and has lost its processor gets on; but it counts as
/// awake meanwhile, for it may be about to give work, and who has the lock may do nothing more than wake it.
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
    // A thread of libdispatch that has nothing to do ends after five seconds; that is no deadline of the process.
    bool is_idle = timeout != DISPATCH_FOREVER && is_living() && is_in_dispatch(__builtin_return_address(0));
    if (!is_idle) { return NEXT(dispatch_semaphore_wait)(semaphore, timeout); }
    share_processor();
    if (own.identifier == 0) { own.identifier = (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0); }
    lock_idle();
    // What was given while nobody waited here.
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

/// Takes a thread that waits for a semaphore from the list; from here on it counts as awake.
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

// MARK: Who waits

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
