// Replacements for the functions of libdispatch that take work, each of which calls libdispatch's own. Blocks are used
// through their binary interface only (Block_private.h: isa, flags, reserved, invoke): the compiler's support for them
// is off by default.

#if defined(__linux__)

#define _GNU_SOURCE
#include "internal.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The data of dispatch_block_create after a block.
struct dispatch_block {
    struct block block;
    unsigned long magic;
    unsigned long flags;
};
static const unsigned long dispatch_block_magic = 0xD159B10C;
static const unsigned long dispatch_block_barrier = 0x1;

extern char _dispatch_main_q;
extern const char *dispatch_queue_get_label(void *queue);
void *dispatch_queue_create(const char *label, void *attributes);
extern void dispatch_group_enter(void *group);
extern void dispatch_group_leave(void *group);
extern void *swift_task_getCurrent(void);
extern uint64_t swift_task_getJobTaskId(void *job);

struct dispatch_work_observer dispatch_work_observer;
#define observer dispatch_work_observer
static _Atomic bool is_observing;
static _Thread_local void *owner;
static _Thread_local bool is_asking;
static _Thread_local void *asked_queue;

void dispatch_work_observe(struct dispatch_work_observer new_observer) { observer = new_observer; }

void dispatch_work_set_observing(bool value) { atomic_store(&is_observing, value); }

void *dispatch_work_owner(void) { return owner; }

void dispatch_work_set_owner(void *new_owner) { owner = new_owner; }

void dispatch_work_ask_queue(void) {
    is_asking = true;
    asked_queue = NULL;
}

void *dispatch_work_asked_queue(void) {
    is_asking = false;
    return asked_queue;
}

void *dispatch_work_make_queue(const char *label) { return dispatch_queue_create(label, NULL); }

static const char *label_of(void *queue) {
    const char *label = dispatch_queue_get_label(queue);
    return label ? label : "";
}

const char *dispatch_work_label(void *queue) { return label_of(queue); }

bool dispatch_work_is_task_queue(void *queue) {
    return strcmp(dispatch_work_label(queue), "Swift global concurrent queue") == 0;
}

static void run_block(void *argument);
static void run_group_work(void *argument);

/// Whether a function belongs to Swift's runtime; results are cached.
static bool runs_jobs(dispatch_work_function function) {
    if (function == run_block || function == run_group_work) { return false; }
    static _Atomic(dispatch_work_function) known[4];
    for (int index = 0; index < 4; index++) {
        dispatch_work_function other = atomic_load(&known[index]);
        if (other == function) { return true; }
        if (other) { continue; }
        Dl_info found;
        Dl_info runtime;
        if (!dladdr((void *)function, &found) || !dladdr((void *)swift_task_getJobTaskId, &runtime)) { return false; }
        if (found.dli_fbase != runtime.dli_fbase) { return false; }
        atomic_store(&known[index], function);
        return true;
    }
    return false;
}

uint64_t dispatch_work_task_number(dispatch_work_function function, void *argument) {
    return argument && runs_jobs(function) ? swift_task_getJobTaskId(argument) : 0;
}

uint64_t dispatch_work_current_task_number(void) {
    void *task = swift_task_getCurrent();
    return task ? swift_task_getJobTaskId(task) : 0;
}

int32_t dispatch_work_thread(void) { return (int32_t)syscall(SYS_gettid); }

bool dispatch_work_is_on_main_queue(void) {
    // After dispatch_main() any thread may serve the main queue; before that, only the main thread does.
    return strcmp(label_of(NULL), label_of(&_dispatch_main_q)) == 0;
}

bool dispatch_work_observes(void) { return atomic_load_explicit(&is_observing, memory_order_acquire); }
#define observes dispatch_work_observes

void *dispatch_work_main_queue(void) { return &_dispatch_main_q; }

// MARK: Queues that target the main queue

/// These queues, since libdispatch does not reveal a queue's target. Queues beyond the limit are unknown.
static _Atomic(void *) ending_on_main[256];
enum { place_count = sizeof ending_on_main / sizeof ending_on_main[0] };

bool dispatch_work_ends_on_main_queue(void *queue) {
    if (queue == &_dispatch_main_q) { return true; }
    for (int index = 0; index < place_count; index++) {
        if (atomic_load_explicit(&ending_on_main[index], memory_order_relaxed) == queue) { return true; }
    }
    return false;
}

/// Notes the target of a queue; none for a new queue.
static void set_target(void *queue, void *target) {
    bool ends_on_main = target && dispatch_work_ends_on_main_queue(target);
    bool is_known = queue != &_dispatch_main_q && dispatch_work_ends_on_main_queue(queue);
    if (!queue || ends_on_main == is_known) { return; }
    for (int index = 0; index < place_count; index++) {
        void *expected = ends_on_main ? NULL : queue;
        void *desired = ends_on_main ? queue : NULL;
        if (atomic_compare_exchange_strong(&ending_on_main[index], &expected, desired)) { return; }
    }
}

REPLACING void *dispatch_queue_create(const char *label, void *attributes) {
    ORIGINAL("dispatch_queue_create")
    void *queue = ((void *(*)(const char *, void *))original)(label, attributes);
    set_target(queue, NULL);
    return queue;
}

REPLACING void *dispatch_queue_create_with_target(const char *label, void *attributes, void *target) {
    ORIGINAL("dispatch_queue_create_with_target")
    void *queue = ((void *(*)(const char *, void *, void *))original)(label, attributes, target);
    set_target(queue, target);
    return queue;
}

REPLACING void dispatch_set_target_queue(void *object, void *target) {
    ORIGINAL("dispatch_set_target_queue")
    set_target(object, target);
    ((void (*)(void *, void *))original)(object, target);
}

// MARK: Blocks

static void run_block(void *argument) {
    struct block *block = argument;
    block->invoke(block);
    _Block_release(block);
}

/// Whether a block was created with the flag DISPATCH_BLOCK_BARRIER.
static bool is_barrier(const void *argument) {
    const struct dispatch_block *made = argument;
    // The flag of a block with a destructor for its captures, as these have.
    const int32_t has_copy_dispose = 1 << 25;
    if (!(made->block.flags & has_copy_dispose)) { return false; }
    return made->magic == dispatch_block_magic && (made->flags & dispatch_block_barrier);
}

// MARK: Work for now

static void original_async_f(void *queue, void *argument, dispatch_work_function function) {
    ORIGINAL("dispatch_async_f")
    ((void (*)(void *, void *, dispatch_work_function))original)(queue, argument, function);
}

static void original_barrier_async_f(void *queue, void *argument, dispatch_work_function function) {
    ORIGINAL("dispatch_barrier_async_f")
    ((void (*)(void *, void *, dispatch_work_function))original)(queue, argument, function);
}

void dispatch_work_hand_over(void *queue, bool barrier, dispatch_work_function function, void *argument) {
    if (barrier) {
        original_barrier_async_f(queue, argument, function);
    } else {
        original_async_f(queue, argument, function);
    }
}

/// Whether the observer has taken a block.
static bool takes_block(void *queue, bool barrier, bool is_waiting, void *block) {
    if (!observes()) { return false; }
    void *copy = _Block_copy(block);
    if (observer.hands_over(queue, barrier || is_barrier(copy), is_waiting, run_block, copy)) { return true; }
    _Block_release(copy);
    return false;
}

REPLACING void dispatch_async(void *queue, void *block) {
    if (is_asking) {
        asked_queue = queue;
        return;
    }
    if (takes_block(queue, false, false, block)) { return; }
    ORIGINAL("dispatch_async")
    ((void (*)(void *, void *))original)(queue, block);
}

REPLACING void dispatch_barrier_async(void *queue, void *block) {
    if (takes_block(queue, true, false, block)) { return; }
    ORIGINAL("dispatch_barrier_async")
    ((void (*)(void *, void *))original)(queue, block);
}

REPLACING void dispatch_async_f(void *queue, void *argument, dispatch_work_function function) {
    if (observes() && observer.hands_over(queue, false, false, function, argument)) { return; }
    original_async_f(queue, argument, function);
}

REPLACING void dispatch_barrier_async_f(void *queue, void *argument, dispatch_work_function function) {
    if (observes() && observer.hands_over(queue, true, false, function, argument)) { return; }
    original_barrier_async_f(queue, argument, function);
}

REPLACING void dispatch_sync(void *queue, void *block) {
    // Otherwise the caller runs the work itself, and nothing is handed over.
    if (queue == &_dispatch_main_q && takes_block(queue, false, true, block)) { return; }
    ORIGINAL("dispatch_sync")
    ((void (*)(void *, void *))original)(queue, block);
}

// MARK: Work of a group

struct group_work {
    void *group;
    dispatch_work_function function;
    void *argument;
};

static void run_group_work(void *argument) {
    struct group_work *work = argument;
    work->function(work->argument);
    dispatch_group_leave(work->group);
    dispatch_release(work->group);
    free(work);
}

static bool takes_group_work(void *group, void *queue, bool barrier, dispatch_work_function function, void *argument) {
    struct group_work *work = malloc(sizeof *work);
    if (!work) { return false; }
    *work = (struct group_work){group, function, argument};
    dispatch_retain(group);
    dispatch_group_enter(group);
    if (observer.hands_over(queue, barrier, false, run_group_work, work)) { return true; }
    dispatch_group_leave(group);
    dispatch_release(group);
    free(work);
    return false;
}

REPLACING void dispatch_group_async(void *group, void *queue, void *block) {
    if (observes()) {
        void *copy = _Block_copy(block);
        if (takes_group_work(group, queue, is_barrier(copy), run_block, copy)) { return; }
        _Block_release(copy);
    }
    ORIGINAL("dispatch_group_async")
    ((void (*)(void *, void *, void *))original)(group, queue, block);
}

REPLACING void dispatch_group_async_f(void *group, void *queue, void *argument, dispatch_work_function function) {
    if (observes() && takes_group_work(group, queue, false, function, argument)) { return; }
    ORIGINAL("dispatch_group_async_f")
    ((void (*)(void *, void *, void *, dispatch_work_function))original)(group, queue, argument, function);
}

// MARK: Work for later

struct later_work {
    void *owner;
    enum dispatch_work_delay delay;
    /// Its queue; null if libdispatch runs it there.
    void *queue;
    dispatch_work_function function;
    void *argument;
};

static void run_later_work(void *argument) {
    struct later_work *work = argument;
    observer.runs(work->owner, work->delay, work->queue, work->function, work->argument);
    if (work->queue) { dispatch_release(work->queue); }
    free(work);
}

/// Where work for the main queue becomes due: the thread that lets time pass may be on the main queue, so that
/// libdispatch cannot run it there.
void *dispatch_work_due_queue(void) {
    static _Atomic(void *) queue;
    void *known = atomic_load(&queue);
    if (known) { return known; }
    void *made = dispatch_work_make_queue("due on the main queue");
    if (atomic_compare_exchange_strong(&queue, &known, made)) { return made; }
    dispatch_release(made);
    return known;
}

/// The queue on which deferred work becomes due.
static void *due_queue(struct later_work *work, void *queue) {
    if (!dispatch_work_ends_on_main_queue(queue)) { return queue; }
    dispatch_retain(queue);
    work->queue = queue;
    return dispatch_work_due_queue();
}

/// Work that retains its owner; null without an owner.
static struct later_work *set_aside(enum dispatch_work_delay delay, dispatch_work_function function, void *argument) {
    if (!observes()) { return NULL; }
    void *work_owner = observer.sets_aside(delay);
    if (!work_owner) { return NULL; }
    struct later_work *work = malloc(sizeof *work);
    if (!work) { return NULL; }
    *work = (struct later_work){work_owner, delay, NULL, function, argument};
    return work;
}

static uint64_t (*adjust_deadline)(uint64_t when);
static bool (*is_deadline_ahead)(uint64_t when);

void dispatch_work_adjust_deadlines(uint64_t (*adjust)(uint64_t when), bool (*is_ahead)(uint64_t when)) {
    adjust_deadline = adjust;
    is_deadline_ahead = is_ahead;
}

bool dispatch_work_arms(dispatch_work_function function, void *argument) {
    return observes() && observer.arms(function, argument);
}

static void original_after_f(uint64_t when, void *queue, void *argument, dispatch_work_function function) {
    if (adjust_deadline) { when = adjust_deadline(when); }
    ORIGINAL("dispatch_after_f")
    ((void (*)(uint64_t, void *, void *, dispatch_work_function))original)(when, queue, argument, function);
}

struct after {
    uint64_t when;
    void *queue;
    struct later_work *work;
};

static void arm_after(void *argument) {
    struct after *after = argument;
    original_after_f(after->when, after->queue, after->work, run_later_work);
    dispatch_release(after->queue);
    free(after);
}

/// Deferred work until a time.
static void after_f(uint64_t when, void *queue, struct later_work *work) {
    queue = due_queue(work, queue);
    // Due work goes to its queue immediately, before work that is handed to it later.
    struct after *after = is_deadline_ahead && is_deadline_ahead(when) ? malloc(sizeof *after) : NULL;
    if (after) {
        *after = (struct after){when, queue, work};
        dispatch_retain(queue);
        if (dispatch_work_arms(arm_after, after)) { return; }
        dispatch_release(queue);
        free(after);
    }
    original_after_f(when, queue, work, run_later_work);
}

extern uint64_t dispatch_time(uint64_t when, int64_t nanoseconds);

/// Due work does not wait; times of day are those of `asyncAfter(wallDeadline:)`.
static enum dispatch_work_delay delay_until(uint64_t when, bool is_sleep) {
    bool is_due = !(when >> 63) && when <= dispatch_time(0, 0);
    if (is_due) { return DISPATCH_WORK_DUE; }
    return is_sleep ? DISPATCH_WORK_SLEEP : DISPATCH_WORK_AFTER;
}

REPLACING void dispatch_after_f(uint64_t when, void *queue, void *argument, dispatch_work_function function) {
    struct later_work *work = set_aside(delay_until(when, runs_jobs(function)), function, argument);
    if (work) { return after_f(when, queue, work); }
    original_after_f(when, queue, argument, function);
}

REPLACING void dispatch_after(uint64_t when, void *queue, void *block) {
    struct later_work *work = set_aside(delay_until(when, false), run_block, NULL);
    if (work) {
        work->argument = _Block_copy(block);
        return after_f(when, queue, work);
    }
    if (adjust_deadline) { when = adjust_deadline(when); }
    ORIGINAL("dispatch_after")
    ((void (*)(uint64_t, void *, void *))original)(when, queue, block);
}

static void original_group_notify_f(void *group, void *queue, void *argument, dispatch_work_function function) {
    ORIGINAL("dispatch_group_notify_f")
    ((void (*)(void *, void *, void *, dispatch_work_function))original)(group, queue, argument, function);
}

REPLACING void dispatch_group_notify_f(void *group, void *queue, void *argument, dispatch_work_function function) {
    struct later_work *work = set_aside(DISPATCH_WORK_GROUP, function, argument);
    if (work) { return original_group_notify_f(group, due_queue(work, queue), work, run_later_work); }
    original_group_notify_f(group, queue, argument, function);
}

REPLACING void dispatch_group_notify(void *group, void *queue, void *block) {
    struct later_work *work = set_aside(DISPATCH_WORK_GROUP, run_block, NULL);
    if (work) {
        work->argument = _Block_copy(block);
        return original_group_notify_f(group, due_queue(work, queue), work, run_later_work);
    }
    ORIGINAL("dispatch_group_notify")
    ((void (*)(void *, void *, void *))original)(group, queue, block);
}

#endif
