// Timers of libdispatch on the main queue: they become due on a queue of this target, and their handlers are handed to
// the main queue. The thread that lets time pass may be on the main queue, so that libdispatch cannot run them there.

#if defined(__linux__)

#define _GNU_SOURCE
#include "internal.h"

#include <pthread.h>

extern const char _dispatch_source_type_timer;

void dispatch_set_context(void *object, void *context);
void *dispatch_get_context(void *object);
void dispatch_set_finalizer_f(void *object, dispatch_work_function finalizer);
void dispatch_source_set_event_handler_f(void *source, dispatch_work_function handler);
void dispatch_source_set_cancel_handler_f(void *source, dispatch_work_function handler);

/// The handlers of such a timer.
struct main_timer {
    struct main_timer *next;
    void *source, *queue, *owner;
    /// Blocks, or null.
    _Atomic(void *) event, cancel;
};

static struct main_timer *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct main_timer *timer_of(void *source) {
    if (!first) { return NULL; }
    pthread_mutex_lock(&lock);
    struct main_timer *timer = first;
    while (timer && timer->source != source) { timer = timer->next; }
    pthread_mutex_unlock(&lock);
    return timer;
}

static void set_block(_Atomic(void *) *place, void *block) {
    void *old = atomic_exchange(place, block ? _Block_copy(block) : NULL);
    if (old) { _Block_release(old); }
}

static void finalize(void *context) {
    struct main_timer *timer = context;
    pthread_mutex_lock(&lock);
    struct main_timer **place = &first;
    while (*place && *place != timer) { place = &(*place)->next; }
    if (*place) { *place = timer->next; }
    pthread_mutex_unlock(&lock);
    set_block(&timer->event, NULL);
    set_block(&timer->cancel, NULL);
    dispatch_work_observer.releases(timer->owner);
    dispatch_release(timer->queue);
    free(timer);
}

static void run_block(void *block) {
    ((struct block *)block)->invoke(block);
    _Block_release(block);
}

static void run(struct main_timer *timer, _Atomic(void *) *place) {
    void *block = atomic_load(place);
    if (!block) { return; }
    dispatch_work_observer.handles(timer->owner, timer->queue, run_block, _Block_copy(block));
}

static void run_event(void *context) { run(context, &((struct main_timer *)context)->event); }

/// Like libdispatch, releases the handlers of a cancelled source, which often retain the source itself.
static void run_cancel(void *context) {
    struct main_timer *timer = context;
    run(timer, &timer->cancel);
    set_block(&timer->event, NULL);
    set_block(&timer->cancel, NULL);
}

static void *original_create(const void *type, uintptr_t handle, unsigned long mask, void *queue) {
    ORIGINAL("dispatch_source_create")
    return ((void *(*)(const void *, uintptr_t, unsigned long, void *))original)(type, handle, mask, queue);
}

REPLACING void *dispatch_source_create(const void *type, uintptr_t handle, unsigned long mask, void *queue) {
    bool is_timer = type == &_dispatch_source_type_timer && dispatch_work_observes();
    void *owner = is_timer ? dispatch_work_observer.sets_aside(DISPATCH_WORK_SOURCE) : NULL;
    if (owner && !(queue && dispatch_work_ends_on_main_queue(queue))) {
        dispatch_work_observer.releases(owner);
        owner = NULL;
    }
    struct main_timer *timer = owner ? malloc(sizeof *timer) : NULL;
    if (!timer) { return original_create(type, handle, mask, queue); }
    void *source = original_create(type, handle, mask, dispatch_work_due_queue());
    *timer = (struct main_timer){.source = source, .queue = queue, .owner = owner};
    dispatch_retain(queue);
    dispatch_set_context(source, timer);
    dispatch_set_finalizer_f(source, finalize);
    dispatch_source_set_cancel_handler_f(source, run_cancel);
    pthread_mutex_lock(&lock);
    timer->next = first;
    first = timer;
    pthread_mutex_unlock(&lock);
    return source;
}

REPLACING void dispatch_source_set_event_handler(void *source, void *block) {
    struct main_timer *timer = timer_of(source);
    if (timer) {
        set_block(&timer->event, block);
        return dispatch_source_set_event_handler_f(source, run_event);
    }
    ORIGINAL("dispatch_source_set_event_handler")
    ((void (*)(void *, void *))original)(source, block);
}

REPLACING void dispatch_source_set_cancel_handler(void *source, void *block) {
    struct main_timer *timer = timer_of(source);
    if (timer) { return set_block(&timer->cancel, block); }
    ORIGINAL("dispatch_source_set_cancel_handler")
    ((void (*)(void *, void *))original)(source, block);
}

#endif
