// Declarations shared by the files of this target: the clocks of a world, the list of deadlines, and the C library's
// functions that are overridden here.

#ifndef C_PROCESS_TIME_INTERNAL_H
#define C_PROCESS_TIME_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "CProcessTime.h"

#include <features.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define PROCESS_TIME_HAS_SANITIZER 1
#endif

#if defined(__linux__) && defined(__GLIBC__) && !PROCESS_TIME_HAS_SANITIZER
#define PROCESS_TIME_IS_SUPPORTED 1

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// A definition that overrides a function of the C library or of libdispatch. Weak, so that a statically linked
/// program, which also has the library's definition, can be linked.
#define INTERPOSED __attribute__((weak, visibility("default")))

/// The same for a function that CDispatchWork also overrides; this definition comes first.
#define INTERPOSED_FIRST __attribute__((visibility("default")))

/// The library's function that a definition here overrides.
#define NEXT(name)                                                                                                     \
    ({                                                                                                                 \
        static _Atomic(__typeof__(&name)) next_##name;                                                                 \
        __typeof__(&name) found = atomic_load_explicit(&next_##name, memory_order_acquire);                            \
        if (!found) {                                                                                                  \
            found = (__typeof__(&name))process_time_next(#name);                                                       \
            atomic_store_explicit(&next_##name, found, memory_order_release);                                          \
        }                                                                                                              \
        found;                                                                                                         \
    })

void *process_time_next(const char *name);

#define NANOSECONDS UINT64_C(1000000000)

/// CLOCK_MONOTONIC at the start of a world: a day after the start of the computer.
#define MONOTONIC_ORIGIN (UINT64_C(86400) * NANOSECONDS)
/// CLOCK_REALTIME at the start of a world: 2025-01-01 00:00:00 UTC.
#define REALTIME_ORIGIN (UINT64_C(1735689600) * NANOSECONDS)

// MARK: Clocks

/// Whether a world controls the clocks.
extern atomic_bool process_time_living;

static inline bool is_living(void) { return atomic_load_explicit(&process_time_living, memory_order_acquire); }

/// Whether a clock counts from the start of the computer.
bool is_monotonic(clockid_t clock);
/// Whether the world controls a clock; processor time stays real.
bool is_held(clockid_t clock);
/// The difference between the kernel's monotonic clocks and the process's, in nanoseconds.
int64_t monotonic_shift(void);
/// A value of a clock as time since the world began; PROCESS_TIME_NEVER if it is outside of a world.
uint64_t world_time(clockid_t clock, const struct timespec *time);
/// The clock of a value, for functions without a clock parameter: values of monotonic clocks are small.
clockid_t clock_of(const struct timespec *time);
/// The kernel's value for the process's.
struct timespec kernel_time(clockid_t clock, const struct timespec *time);
/// The time since the world began at which a duration from now has passed.
uint64_t deadline_after(uint64_t nanoseconds);
/// Nanoseconds of a duration, never more than PROCESS_TIME_NEVER - 1.
uint64_t nanoseconds_of(const struct timespec *duration);
struct timespec timespec_of(uint64_t nanoseconds);

// MARK: Deadlines

/// A deadline.
struct deadline {
    /// Nanoseconds since the world began.
    uint64_t time;
    /// The number of advances before it was listed, and the place of the thread that listed it.
    uint64_t advances, place;
    /// Ends the wait, or makes the timer ready; called with the lock held.
    void (*reach)(struct deadline *);
    struct deadline *next, *previous;
    bool is_listed;
};

/// One lock protects all shared state; nothing that can wait is called with it held.
void lock_world(void);
void unlock_world(void);

/// Adds a deadline after those of the same time that were listed before the last advance, or since then by threads that
/// do not come after this one. The lock is held.
void list_deadline(struct deadline *, uint64_t time);
/// Removes a deadline if it is in the list. The lock is held.
void unlist_deadline(struct deadline *);

/// Ends every wait after the end of the world; the lock is held.
void end_deadlines(void);

/// Disarms the timers of the process at the start of a world, and arms them after its end.
void hold_timers(void);
void release_timers(void);

#define DISPATCH_FOREVER UINT64_MAX

/// Starts or stops making deadlines of libdispatch different; the lock is held.
void separate_deadlines(bool begins);
/// The deadline that a timer of libdispatch gets for a requested one.
uint64_t deadline_of_timer(uint64_t start, uint64_t interval);

// MARK: Randomness

void seed_randomness(uint64_t seed);
/// Octets from the world's generator.
void fill_random(void *octets, size_t count);

// MARK: Threads

/// Wakes threads that may have missed a wake-up or have to check again themselves; returns whether there are any.
/// Called with every thread asleep, after `attempt` earlier calls.
bool wake_again(int attempt);
/// Starts a thread for work that waits for one; returns whether there was any. Called with every other thread asleep.
bool serve_waiting_work(void);
/// The file that libdispatch reads instead of the one which says that this thread runs.
const char *path_for_monitor(const char *path);
/// The identifier of a sleeping thread; 0 if there is none.
int sleeping_thread(void);
/// Threads that wait briefly in real time and continue by themselves.
extern atomic_int process_time_real_waits;
/// Whether code of libdispatch is at an address.
bool is_in_dispatch(const void *address);
/// The number of threads of libdispatch's pool that wait for work, known without the kernel.
int count_idle_threads(void);
/// Sleeps until a number of threads wait for work; may return early, and does after a time in nanoseconds.
void wait_for_idle_threads(int count, uint64_t nanoseconds);
/// Counts work given to such a thread or to the world's, and new threads. While it stays the same, waiting threads keep
/// waiting, and no thread is new.
unsigned count_starts(void);
/// Increments the count: before a waiting thread can continue, and after a thread was created, before its creator can
/// sleep.
void count_start(void);
/// Whether a thread waits for work.
bool waits_for_work(int identifier);
/// Calls a fast function for each thread that waits for work; other threads wait meanwhile.
void list_idle_threads(void (*add)(int identifier));

/// Moves the present thread to the shared processor, if there is one.
void share_processor(void);
/// The same for the thread that advances the world; starts sharing its processor if none is shared.
void begin_sharing_processor(void);
/// Stops sharing a processor.
void end_sharing_processor(void);

// MARK: The world's own thread

/// Called around a wait: if the world's own thread waits, another one advances the world meanwhile.
void begin_wait(bool has_limit);
void end_wait(void);
/// Whether the present thread is the test's, and not advancing the world.
bool is_test_thread(void);
/// The thread that advances the world, if it waits for such a wait; otherwise 0.
int idle_world_thread(void);

// MARK: The kernel

/// A system call; a negative result is the error, and errno does not change.
long kernel_call(long number, long a, long b, long c, long d, long e, long f);
/// Handles a futex wait with a limit, or a request for random octets; returns false for other system calls.
bool serve_call(long number, const long arguments[6], long *result);
/// Sleeps while a word has a value; may return early.
void wait_on(atomic_int *word, int value);
void wake_on(atomic_int *word);

#endif
#endif
