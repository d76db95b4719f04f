// The threads of libdispatch's pool that have nothing to do. Each waits here, in place of libdispatch's semaphore, on a
// word of its own: so it is known of each whether it waits, without asking the kernel, and who gives work to the pool
// knows whom it wakes. Such a thread does nothing until it is given to; whoever gives takes it from the list first, so
// that it counts as awake from before it can go on.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>

long dispatch_semaphore_wait(void *semaphore, uint64_t timeout);
long dispatch_semaphore_signal(void *semaphore);

/// How long a thread looks whether it is given to before it sleeps, in nanoseconds of real time.
#define LOOKING_TIME 50000

enum { LOOKS, SLEEPS, GIVEN };

struct idle_thread {
    int identifier;
    atomic_int state;
    void *semaphore;
    struct idle_thread *next;
};

static __thread struct idle_thread own;

/// Those that wait, the latest first: it is given to first.
static struct idle_thread *first_idle;
/// What looking has been good for: more by two for each time at which it was, less by one for each other.
static atomic_int credit;
#define LARGEST_CREDIT 32
/// One that looks, so that no others take the processors from the work.
static _Atomic(struct idle_thread *) looking;
static atomic_int lock_word, idle_count;
/// For how many somebody waits; more than there are where nobody does.
static atomic_int awaited_count = INT_MAX;
static atomic_uint start_count;

/// Who waits for the lock stays awake, for the kernel too: who gives work is not to be taken for one that sleeps.
static void lock_idle(void) {
    for (unsigned count = 1; atomic_exchange(&lock_word, 1) != 0; count += 1) {
        spin();
        if (count % 64 == 0) { kernel_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0); }
    }
}

static void unlock_idle(void) { atomic_store(&lock_word, 0); }

// MARK: Who looks

void spin(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

bool has_processors(void) {
    static atomic_int known;
    int count = atomic_load_explicit(&known, memory_order_relaxed);
    if (count == 0) {
        cpu_set_t set;
        count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
        atomic_store_explicit(&known, count, memory_order_relaxed);
    }
    return count > 1;
}

/// Looks for a moment whether it is given to, as long as no other thread does.
static bool look(void) {
    atomic_store(&looking, &own);
    uint64_t end = process_time_real_nanoseconds() + LOOKING_TIME;
    for (unsigned count = 1; atomic_load(&own.state) == LOOKS; count += 1) {
        spin();
        if (atomic_load(&looking) != &own) { return false; }
        if (count % 32 == 0 && process_time_real_nanoseconds() > end) { return false; }
    }
    return true;
}

/// Whether looking is of use: where it rarely is, such as on a loaded machine, it is tried from time to time alone.
static bool may_look(void) {
    static atomic_uint count;
    if (!has_processors()) { return false; }
    return atomic_load(&credit) > 0 || atomic_fetch_add(&count, 1) % 64 == 0;
}

static void wait_until_given(void) {
    int looks = LOOKS;
    if (may_look()) {
        int value = atomic_load(&credit);
        if (look()) {
            atomic_store(&credit, value < LARGEST_CREDIT ? value + 2 : value);
            return;
        }
        atomic_store(&credit, value > 0 ? value - 1 : 0);
    }
    if (!atomic_compare_exchange_strong(&own.state, &looks, SLEEPS)) { return; }
    while (atomic_load(&own.state) == SLEEPS) { wait_on(&own.state, SLEEPS); }
}

// MARK: Waiting and giving

void count_start(void) { atomic_fetch_add(&start_count, 1); }

INTERPOSED long dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    // A thread of libdispatch that has nothing to do ends after five seconds; that is no deadline of the process.
    bool is_idle = timeout != DISPATCH_FOREVER && is_living() && is_in_dispatch(__builtin_return_address(0));
    if (!is_idle) { return NEXT(dispatch_semaphore_wait)(semaphore, timeout); }
    if (own.identifier == 0) { own.identifier = (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0); }
    lock_idle();
    // What was given while nobody waited here.
    bool has = NEXT(dispatch_semaphore_wait)(semaphore, 0) == 0;
    if (!has) {
        own.semaphore = semaphore;
        own.next = first_idle;
        atomic_store(&own.state, LOOKS);
        first_idle = &own;
        atomic_fetch_add(&idle_count, 1);
    }
    unlock_idle();
    if (has) { return 0; }
    if (atomic_load(&idle_count) >= atomic_load(&awaited_count)) { wake_on(&idle_count); }
    wait_until_given();
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
    if (thread && atomic_exchange(&thread->state, GIVEN) == SLEEPS) { wake_on(&thread->state); }
    return result;
}

INTERPOSED int pthread_create(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*function)(void *),
    void *restrict argument
) {
    int result = NEXT(pthread_create)(thread, attributes, function, argument);
    // Before the present thread can sleep; who looked for threads until then looks again.
    count_start();
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
