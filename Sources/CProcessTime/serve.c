// The world's own thread while it runs code under test, such as what waits on the main queue. Where that code waits,
// nobody would move the world on: a thread of its own does, as long as the wait lasts.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <pthread.h>

struct service {
    bool (*step)(void *context, bool is_at_rest);
    void *context;
    uint64_t rest_limit;
};

/// `IS_ALONE` is `RUNS` with the thread that moves the world on asleep until the other one waits again.
enum { RUNS, IS_ALONE, WAITS, IS_MOVED };

static __thread struct service own;
/// How many waits of this thread are within each other: a wait may be made of others.
static __thread int depth;

/// What the thread that waits has asked for. Only one thread at a time is the world's.
static struct service current;
static atomic_int state;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;
static atomic_int mover;

int idle_world_thread(void) { return atomic_load(&state) == IS_ALONE ? atomic_load(&mover) : 0; }

static void wait_for_wait(void) {
    for (;;) {
        int runs = RUNS;
        if (!atomic_compare_exchange_strong(&state, &runs, IS_ALONE) && runs == WAITS) { return; }
        wait_on(&state, IS_ALONE);
    }
}

static void move_world(void) {
    for (;;) {
        wait_for_wait();
        bool is_at_rest = process_time_rest(current.rest_limit);
        int waits = WAITS;
        // From here on the thread that waits stays where it is, even if it has been woken.
        if (!atomic_compare_exchange_strong(&state, &waits, IS_MOVED)) { continue; }
        bool has_moved = current.step(current.context, is_at_rest);
        atomic_store(&state, has_moved ? WAITS : RUNS);
        wake_on(&state);
    }
}

static void *run_thread(void *unused) {
    pthread_setname_np(pthread_self(), "world");
    atomic_store(&mover, (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0));
    move_world();
    return unused;
}

static void start_thread(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_thread, NULL) == 0) { pthread_detach(thread); }
}

void process_time_serve(bool (*step)(void *, bool), void *context, uint64_t rest_limit) {
    own = (struct service){.step = step, .context = context, .rest_limit = rest_limit};
    if (step) { pthread_once(&thread_once, start_thread); }
}

void begin_wait(void) {
    if (!own.step || !is_living() || depth++ > 0) { return; }
    current = own;
    // Before the thread can go on that moves the world on.
    count_start();
    atomic_store(&state, WAITS);
    wake_on(&state);
}

void end_wait(void) {
    if (depth == 0 || --depth > 0) { return; }
    for (;;) {
        int value = WAITS;
        if (atomic_compare_exchange_strong(&state, &value, RUNS) || value != IS_MOVED) { return; }
        wait_on(&state, IS_MOVED);
    }
}

#endif
