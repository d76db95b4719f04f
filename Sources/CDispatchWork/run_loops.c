// Timers of run loops: each belongs to the work that created it, and those of the main run loop fire even if nobody
// runs it, as in a test on the main thread. Foundation's own calls come here, too. The types are those of
// CoreFoundation, for which programs on Linux have no headers.

#if defined(__linux__)

#define _GNU_SOURCE
#include "internal.h"

typedef void (*timer_function)(void *timer, void *info);

/// The callback of a timer: Foundation has one function for all its timers.
static _Atomic(timer_function) fires;

struct fired {
    void *timer, *info;
};

static void fire(void *argument) {
    struct fired *fired = argument;
    atomic_load(&fires)(fired->timer, fired->info);
}

static void fire_as_work(void *timer, void *info) {
    struct fired fired = {timer, info};
    if (dispatch_work_observes()) { return dispatch_work_observer.fires_timer(timer, fire, &fired); }
    fire(&fired);
}

REPLACING void *CFRunLoopTimerCreate(
    void *allocator, double date, double interval, unsigned long flags, long order, timer_function function,
    void *context
) {
    timer_function expected = NULL;
    bool is_known = atomic_compare_exchange_strong(&fires, &expected, function) || expected == function;
    ORIGINAL("CFRunLoopTimerCreate")
    return ((void *(*)(void *, double, double, unsigned long, long, timer_function, void *))original)(
        allocator, date, interval, flags, order, is_known ? fire_as_work : function, context
    );
}

// MARK: CoreFoundation

/// A function of CoreFoundation, which exists if there is a run loop.
#define CORE_FOUNDATION(name) ((__typeof__(&name))({ \
    static _Atomic(void *) found; \
    void *function = atomic_load_explicit(&found, memory_order_acquire); \
    if (!function) { \
        function = dlsym(RTLD_DEFAULT, #name); \
        atomic_store_explicit(&found, function, memory_order_release); \
    } \
    function; \
}))

void *CFRunLoopGetMain(void);
void *CFRunLoopGetCurrent(void);
void *CFRunLoopCopyCurrentMode(void *run_loop);
int CFRunLoopRunSpecific(void *run_loop, void *mode, double seconds, unsigned char returns_after_source);
unsigned char CFRunLoopTimerIsValid(void *timer);
double CFRunLoopTimerGetNextFireDate(void *timer);
void *CFRetain(void *object);
void CFRelease(void *object);

static bool is_served(void *run_loop) {
    void *mode = CORE_FOUNDATION(CFRunLoopCopyCurrentMode)(run_loop);
    if (mode) { CORE_FOUNDATION(CFRelease)(mode); }
    return mode;
}

void dispatch_work_retain_timer(void *timer) { CORE_FOUNDATION(CFRetain)(timer); }
void dispatch_work_release_timer(void *timer) { CORE_FOUNDATION(CFRelease)(timer); }
bool dispatch_work_timer_is_valid(void *timer) { return CORE_FOUNDATION(CFRunLoopTimerIsValid)(timer); }
double dispatch_work_timer_date(void *timer) { return CORE_FOUNDATION(CFRunLoopTimerGetNextFireDate)(timer); }

bool dispatch_work_main_run_loop_is_served(void) {
    void *main = CORE_FOUNDATION(CFRunLoopGetMain)();
    return is_served(main) && CORE_FOUNDATION(CFRunLoopGetCurrent)() != main;
}

void dispatch_work_serve_main_run_loop(void *mode) {
    CORE_FOUNDATION(CFRunLoopRunSpecific)(CORE_FOUNDATION(CFRunLoopGetMain)(), mode, 0, false);
}

// MARK: Adding

REPLACING void CFRunLoopAddTimer(void *run_loop, void *timer, void *mode) {
    if (dispatch_work_observes()) {
        void *main = CORE_FOUNDATION(CFRunLoopGetMain)();
        void **common = dlsym(RTLD_DEFAULT, "kCFRunLoopCommonModes");
        void **normal = dlsym(RTLD_DEFAULT, "kCFRunLoopDefaultMode");
        bool is_own = run_loop == CORE_FOUNDATION(CFRunLoopGetCurrent)() && !is_served(run_loop);
        if (common && normal && (run_loop == main || is_own)) {
            void *served = mode == *common ? *normal : mode;
            if (dispatch_work_observer.adds_timer(timer, served, run_loop == main)) { run_loop = main; }
        }
    }
    ORIGINAL("CFRunLoopAddTimer")
    ((void (*)(void *, void *, void *))original)(run_loop, timer, mode);
}

#endif
