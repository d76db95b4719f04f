// The world's thread while it runs code under test, such as work of the main queue, and the test's thread while it does
// something else. If these wait, nobody would advance the world, so a separate thread does until the wait ends.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include "CDispatchWork.h"

#include <linux/futex.h>
#include <pthread.h>

struct service {
    process_time_step step;
    void *context;
    uint64_t rest_limit;
};

/// `IS_ALONE` is `RUNS`, with the thread that advances the world asleep until the other one waits again.
enum { RUNS, IS_ALONE, WAITS, IS_MOVED };

static __thread struct service own;
/// The number of nested waits of this thread: a wait may consist of others.
static __thread int depth;

/// The request of the test's task, or of its thread without a task.
static struct service test;
static uint64_t test_task;
static int test_thread;
/// Whether the test's task sleeps and has no thread.
static atomic_bool task_sleeps;

/// The request of the waiting thread. Only one thread at a time is the world's.
static struct service current;
static bool current_has_limit;
static atomic_int state;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;
static atomic_int mover;
/// The number of advances and of checks for rest.
static atomic_uint activity;

int idle_world_thread(void) { return atomic_load(&state) == IS_ALONE ? atomic_load(&mover) : 0; }

static int own_identifier(void) { return (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0); }

// MARK: The thread that advances the world

/// Reports if nobody has advanced the world for a long time and every thread sleeps.
static void watch(void) {
    static unsigned last_activity;
    static uint64_t since;
    uint64_t now = process_time_real_nanoseconds();
    unsigned count = atomic_load(&activity);
    if (!is_living() || !test.step || count != last_activity) {
        last_activity = count;
        since = now;
        return;
    }
    char text[1];
    if (now - since < test.rest_limit || process_time_describe_threads(false, text, sizeof text) > 0) { return; }
    test.step(test.context, PROCESS_TIME_IS_IDLE);
}

static void wait_for_wait(void) {
    for (;;) {
        int runs = RUNS;
        if (!atomic_compare_exchange_strong(&state, &runs, IS_ALONE) && runs == WAITS) { return; }
        const struct timespec second = {.tv_sec = 1};
        long result = kernel_call(SYS_futex, (long)&state, FUTEX_WAIT_PRIVATE, IS_ALONE, (long)&second, 0, 0);
        if (result == -ETIMEDOUT) { watch(); }
    }
}

static void move_world(void) {
    for (;;) {
        wait_for_wait();
        bool is_at_rest = process_time_rest(current.rest_limit);
        int waits = WAITS;
        // From here on the waiting thread stays in its wait, even if it was woken.
        if (!atomic_compare_exchange_strong(&state, &waits, IS_MOVED)) { continue; }
        enum process_time_wait wait = current_has_limit ? PROCESS_TIME_HAS_LIMIT : PROCESS_TIME_HAS_NO_LIMIT;
        bool has_moved = current.step(current.context, is_at_rest ? wait : PROCESS_TIME_IS_AWAKE);
        atomic_store(&state, has_moved ? WAITS : RUNS);
        wake_on(&state);
    }
}

static void *run_thread(void *unused) {
    pthread_setname_np(pthread_self(), "world");
    atomic_store(&mover, own_identifier());
    move_world();
    return unused;
}

static void start_thread(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_thread, NULL) == 0) { pthread_detach(thread); }
}

void process_time_serve(process_time_step step, void *context, uint64_t rest_limit) {
    own = (struct service){.step = step, .context = context, .rest_limit = rest_limit};
    if (step) { pthread_once(&thread_once, start_thread); }
}

// MARK: The test

void process_time_serve_test(process_time_step step, void *context, uint64_t rest_limit) {
    test_task = dispatch_work_current_task_number();
    test_thread = own_identifier();
    test = (struct service){.step = step, .context = context, .rest_limit = rest_limit};
    if (step) { pthread_once(&thread_once, start_thread); }
}

bool is_test_thread(void) {
    if (!test.step) { return false; }
    return test_task ? dispatch_work_current_task_number() == test_task : own_identifier() == test_thread;
}

/// From here on the world's thread advances it.
static void begin(struct service service, bool has_limit) {
    current = service;
    current_has_limit = has_limit;
    // Before the thread that advances the world can continue.
    count_start();
    atomic_store(&state, WAITS);
    wake_on(&state);
}

static void end(void) {
    for (;;) {
        int value = WAITS;
        if (atomic_compare_exchange_strong(&state, &value, RUNS) || value != IS_MOVED) { return; }
        wait_on(&state, IS_MOVED);
    }
}

void process_time_test_sleeps(void) {
    if (!test.step || atomic_exchange(&task_sleeps, true)) { return; }
    begin(test, true);
}

void process_time_is_called(void) {
    atomic_fetch_add_explicit(&activity, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&task_sleeps, memory_order_relaxed)) { return; }
    if (own_identifier() == atomic_load(&mover)) { return; }
    if (atomic_exchange(&task_sleeps, false)) { end(); }
}

// MARK: Waits

void begin_wait(bool has_limit) {
    if (!is_living() || !(own.step || is_test_thread()) || depth++ > 0) { return; }
    begin(own.step ? own : test, has_limit);
}

void end_wait(void) {
    if (depth == 0 || --depth > 0) { return; }
    end();
}

#endif
