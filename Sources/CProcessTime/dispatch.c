// libdispatch: finds its code, and provides threads for waiting work.

#include "internal.h"

#if PROCESS_TIME_IS_SUPPORTED

#include "CDispatchWork.h"

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
        // Only libdispatch defines this one.
        void *function = dlsym(RTLD_DEFAULT, "dispatch_queue_get_label");
        if (function) { dl_iterate_phdr(find_code, function); }
        atomic_store_explicit(&code_is_known, 1, memory_order_release);
    }
    return (uintptr_t)address >= code.first && (uintptr_t)address < code.last;
}

enum process_time_obstacle process_time_obstacle(void) {
    static const char marker;
    Dl_info own, used;
    void *clock = dlsym(RTLD_DEFAULT, "clock_gettime");
    void *queue = dlsym(RTLD_DEFAULT, "dispatch_queue_get_label");
    if (!clock || !queue || !dladdr(&marker, &own) || !dladdr(clock, &used) || own.dli_fbase != used.dli_fbase) {
        return PROCESS_TIME_STATIC_LIBRARIES;
    }
    // If libdispatch is in the program itself, its calls cannot be distinguished from the program's.
    bool is_shared = dladdr(queue, &used) && own.dli_fbase != used.dli_fbase;
    return is_shared ? PROCESS_TIME_NO_OBSTACLE : PROCESS_TIME_STATIC_LIBRARIES;
}

// MARK: Timers

typedef void (*function_t)(void *);

void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway);

/// The source with which libdispatch monitors its threads, and its handler.
static void *monitor_source;
static _Atomic(function_t) monitor;

struct arming {
    void *source;
    uint64_t start, interval, leeway;
};

void dispatch_retain(void *object);
void dispatch_release(void *object);

static void arm_source(void *argument) {
    struct arming *arming = argument;
    uint64_t start = deadline_of_timer(arming->start, arming->interval);
    NEXT(dispatch_source_set_timer)(arming->source, start, arming->interval, arming->leeway);
    dispatch_release(arming->source);
    free(arming);
}

/// Whether a world arms a timer itself, together with others.
static bool is_taken(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    struct arming *arming = is_living() ? malloc(sizeof *arming) : NULL;
    if (!arming) { return false; }
    *arming = (struct arming){source, start, interval, leeway};
    dispatch_retain(source);
    if (dispatch_work_arms(arm_source, arming)) { return true; }
    dispatch_release(source);
    free(arming);
    return false;
}

INTERPOSED void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    if (!is_in_dispatch(__builtin_return_address(0))) {
        if (is_taken(source, start, interval, leeway)) { return; }
        start = deadline_of_timer(start, interval);
    } else if (interval == NANOSECONDS) {
        monitor_source = source;
        // After the end of the world.
        if (is_living()) { start = MONOTONIC_ORIGIN + PROCESS_TIME_LONGEST + NANOSECONDS; }
    }
    NEXT(dispatch_source_set_timer)(source, start, interval, leeway);
}

// MARK: The thread pool

// Once a second libdispatch checks whether work waits while its threads sleep, and starts a thread. A world does so
// whenever everything is at rest: then no work waits for a thread, and quiet seconds cost nothing.

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
    // It asks which threads run only if work waits. The asking thread is the world's, which waits as well; a thread
    // that waits for work may briefly poll for it.
    has_waiting_work = true;
    static __thread char other[64];
    int identifier = atoi(path + 6);
    bool waits = identifier == (int)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0) || waits_for_work(identifier);
    if (!waits) { return path; }
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

#endif
