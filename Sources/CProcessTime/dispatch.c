// libdispatch: deadlines of its timers are made to differ, so that they fire one after the other, and its idle threads
// wait without a limit.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: Where libdispatch is

static struct {
    uintptr_t first, last;
} code;
static _Atomic int code_is_known;

static int find_code(struct dl_phdr_info *object, size_t size, void *address) {
    for (int index = 0; index < object->dlpi_phnum; index += 1) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[index];
        uintptr_t first = object->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) { continue; }
        if ((uintptr_t)address < first || (uintptr_t)address >= first + header->p_memsz) { continue; }
        code.first = first;
        code.last = first + header->p_memsz;
        return 1;
    }
    return 0;
}

bool is_in_dispatch(const void *address) {
    if (!atomic_load_explicit(&code_is_known, memory_order_acquire)) {
        // Nobody defines this one but libdispatch.
        void *function = dlsym(RTLD_DEFAULT, "dispatch_queue_create");
        if (function) { dl_iterate_phdr(find_code, function); }
        atomic_store_explicit(&code_is_known, 1, memory_order_release);
    }
    return (uintptr_t)address >= code.first && (uintptr_t)address < code.last;
}

bool process_time_is_available(void) {
    static const char marker;
    Dl_info own, used;
    void *clock = dlsym(RTLD_DEFAULT, "clock_gettime");
    void *queue = dlsym(RTLD_DEFAULT, "dispatch_queue_create");
    if (!clock || !queue || !dladdr(&marker, &own) || !dladdr(clock, &used) || own.dli_fbase != used.dli_fbase) {
        return false;
    }
    // Where libdispatch is in the program itself, its calls cannot be told from the program's.
    return dladdr(queue, &used) && own.dli_fbase != used.dli_fbase;
}

// MARK: Deadlines

typedef uint64_t dispatch_time_t;
typedef void (*function_t)(void *);

#define NOW UINT64_C(0)
#define FOREVER UINT64_MAX

dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta);
void dispatch_after(dispatch_time_t when, void *queue, void *block);
void dispatch_after_f(dispatch_time_t when, void *queue, void *context, function_t work);
void dispatch_source_set_timer(void *source, dispatch_time_t start, uint64_t interval, uint64_t leeway);
long dispatch_semaphore_wait(void *semaphore, dispatch_time_t timeout);

/// The source with which libdispatch looks after its threads, and what it does.
static void *monitor_source;
static _Atomic(function_t) monitor;

/// Deadlines given in this world that have not passed; a ring of the latest where there are very many.
#define KEPT 4096
static dispatch_time_t given[KEPT];
static int given_count;

/// A deadline that no other timer has, a few nanoseconds later where another has it.
static dispatch_time_t unique(dispatch_time_t when) {
    if (when == FOREVER || !is_living()) { return when; }
    // From now on, as an instant.
    if (when == NOW) { when = dispatch_time(NOW, 0); }
    dispatch_time_t now = MONOTONIC_ORIGIN + process_time_now();
    lock_world();
    int kept = 0;
    for (int index = 0; index < given_count; index += 1) {
        // Values with the upper bits set are of other clocks, and stay until there are too many.
        if (given[index] >= now) { given[kept++] = given[index]; }
    }
    given_count = kept;
    for (int index = 0; index < given_count;) {
        if (given[index] == when) {
            when += when >> 63 ? -UINT64_C(1) : 1;
            index = 0;
        } else {
            index += 1;
        }
    }
    if (given_count == KEPT) {
        memmove(given, given + 1, sizeof given - sizeof *given);
        given_count -= 1;
    }
    given[given_count++] = when;
    unlock_world();
    return when;
}

void forget_deadlines(void) { given_count = 0; }

INTERPOSED void dispatch_after(dispatch_time_t when, void *queue, void *block) {
    NEXT(dispatch_after)(unique(when), queue, block);
}

INTERPOSED void dispatch_after_f(dispatch_time_t when, void *queue, void *context, function_t work) {
    NEXT(dispatch_after_f)(unique(when), queue, context, work);
}

INTERPOSED void dispatch_source_set_timer(void *source, dispatch_time_t start, uint64_t interval, uint64_t leeway) {
    if (!is_in_dispatch(__builtin_return_address(0))) {
        start = unique(start);
    } else if (interval == NANOSECONDS) {
        monitor_source = source;
        // Behind the end of the world.
        if (is_living()) { start = MONOTONIC_ORIGIN + PROCESS_TIME_LONGEST + NANOSECONDS; }
    }
    NEXT(dispatch_source_set_timer)(source, start, interval, leeway);
}

// MARK: The thread pool

// Once a second libdispatch looks whether work waits while its threads sleep inside of theirs, and gives it a thread.
// A world does so whenever everything is at rest: then no work waits for a thread, and quiet seconds cost nothing.

/// Whether this thread runs the check, and whether it has found work.
static __thread bool asks_monitor, has_waiting_work;

void dispatch_source_set_event_handler_f(void *source, function_t handler);

INTERPOSED void dispatch_source_set_event_handler_f(void *source, function_t handler) {
    if (source && source == monitor_source && is_in_dispatch(__builtin_return_address(0))) {
        atomic_store(&monitor, handler);
    }
    NEXT(dispatch_source_set_event_handler_f)(source, handler);
}

const char *path_for_monitor(const char *path) {
    if (!asks_monitor || !path || strncmp(path, "/proc/", 6) != 0) { return path; }
    // Only where work waits it asks which threads run. The one that asks is the world's, which waits as well.
    has_waiting_work = true;
    static __thread char other[64];
    if (atoi(path + 6) != (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0)) { return path; }
    int sleeping = sleeping_thread();
    if (sleeping == 0) { return path; }
    snprintf(other, sizeof other, "/proc/self/task/%d/stat", sleeping);
    return other;
}

bool serve_waiting_work(void) {
    function_t handler = atomic_load(&monitor);
    if (!handler) { return false; }
    has_waiting_work = false;
    asks_monitor = true;
    handler(NULL);
    asks_monitor = false;
    return has_waiting_work;
}

// MARK: Idle threads

INTERPOSED long dispatch_semaphore_wait(void *semaphore, dispatch_time_t timeout) {
    // A thread of libdispatch that has nothing to do ends after five seconds; that is no deadline of the process.
    bool is_idle = timeout != FOREVER && is_living() && is_in_dispatch(__builtin_return_address(0));
    return NEXT(dispatch_semaphore_wait)(semaphore, is_idle ? FOREVER : timeout);
}

#endif
