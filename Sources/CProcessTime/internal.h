// What the files of this target share: the clocks of a world, the list of deadlines, the functions of the C library
// that lie behind the definitions here.

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

/// A definition of a function of the C library or of libdispatch, in place of the library's. Weak, so that a program
/// that is linked statically, and has the library's definition too, can be linked.
#define INTERPOSED __attribute__((weak, visibility("default")))

/// The same for a function that CDispatchWork also stands before, and which comes before that one's.
#define INTERPOSED_FIRST __attribute__((visibility("default")))

/// The function of the library that a definition here stands before.
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

/// CLOCK_MONOTONIC at the beginning of a world: a day after the computer was started.
#define MONOTONIC_ORIGIN (UINT64_C(86400) * NANOSECONDS)
/// CLOCK_REALTIME at the beginning of a world: 2025-01-01 00:00:00 UTC.
#define REALTIME_ORIGIN (UINT64_C(1735689600) * NANOSECONDS)

// MARK: Clocks

/// Whether a world holds the clocks.
extern atomic_bool process_time_living;

static inline bool is_living(void) { return atomic_load_explicit(&process_time_living, memory_order_acquire); }

/// Whether a clock counts from the start of the computer.
bool is_monotonic(clockid_t clock);
/// Whether the world holds a clock; processor time stays real.
bool is_held(clockid_t clock);
/// What lies between the kernel's monotonic clocks and the process's, in nanoseconds.
int64_t monotonic_shift(void);
/// A value of a clock of the world as time since the world began; PROCESS_TIME_NEVER for what lies outside of a world.
uint64_t world_time(clockid_t clock, const struct timespec *time);
/// The clock that a value belongs to, for functions that do not say: values of monotonic clocks are small.
clockid_t clock_of(const struct timespec *time);
/// The kernel's value for the process's.
struct timespec kernel_time(clockid_t clock, const struct timespec *time);
/// Time since the world began after which a duration from now has passed.
uint64_t deadline_after(uint64_t nanoseconds);
/// Nanoseconds of a duration, never more than PROCESS_TIME_NEVER - 1.
uint64_t nanoseconds_of(const struct timespec *duration);
struct timespec timespec_of(uint64_t nanoseconds);

// MARK: Deadlines

/// What ends at a deadline.
struct deadline {
    /// Nanoseconds since the world began.
    uint64_t time;
    /// How often time was moved on until it was listed, and the place of the thread that has listed it.
    uint64_t advances, place;
    /// Ends the wait, or makes the timer ready; called with the lock held.
    void (*reach)(struct deadline *);
    struct deadline *next, *previous;
    bool is_listed;
};

/// Everything that the files share is changed under one lock; nothing that can wait is called with it held.
void lock_world(void);
void unlock_world(void);

/// Adds a deadline behind those of the same time that were listed before time was moved on last, and since then by
/// threads that do not come behind this one. The lock is held.
void list_deadline(struct deadline *, uint64_t time);
/// Removes a deadline, where it is still in the list. The lock is held.
void unlist_deadline(struct deadline *);

/// Ends every wait; the lock is held, the world is no longer living.
void end_deadlines(void);

/// Disarms the timers of the process at the beginning of a world, and arms them after its end.
void hold_timers(void);
void release_timers(void);

#define DISPATCH_FOREVER UINT64_MAX

/// Deadlines of libdispatch differ from now on, or no longer; the lock is held.
void separate_deadlines(bool begins);
/// The deadline that a timer of libdispatch gets for one that is asked for.
uint64_t deadline_of_timer(uint64_t start, uint64_t interval);

// MARK: Randomness

void seed_randomness(uint64_t seed);
/// Octets from the world's generator.
void fill_random(void *octets, size_t count);

// MARK: Threads

/// Wakes who may have missed its wake-up, and who has to look again by itself; whether there are any. Called with every
/// thread asleep, `attempt` times before.
bool wake_again(int attempt);
/// Gives a thread to work that waits for one; whether there was any. Called with every other thread asleep.
bool serve_waiting_work(void);
/// The file that libdispatch reads in place of the one that says that this thread runs.
const char *path_for_monitor(const char *path);
/// The identifier of a thread that sleeps; 0 where there is none.
int sleeping_thread(void);
/// Threads that wait for a moment in real time, and go on by themselves.
extern atomic_int process_time_real_waits;
/// Whether code of libdispatch is at an address.
bool is_in_dispatch(const void *address);
/// How many threads of libdispatch's pool wait for work, as is known without the kernel.
int count_idle_threads(void);
/// Sleeps until so many wait for work; may return early, and does after a time in nanoseconds.
void wait_for_idle_threads(int count, uint64_t nanoseconds);
/// How often such a thread was given work, or the world's, or a thread was made. As long as this stays the same, who
/// waits for work goes on waiting, and no thread is new.
unsigned count_starts(void);
/// Counts one: before who waits can go on, and after a thread was made, before the one that made it can sleep.
void count_start(void);
/// Whether a thread is one of those that wait for work.
bool waits_for_work(int identifier);
/// Calls a function for each thread that waits for work; nothing that takes long, for others wait meanwhile.
void list_idle_threads(void (*add)(int identifier));

/// Has the present thread run where the others do that share a processor, if they do.
void share_processor(void);
/// The same for the thread that moves the world on; where none share one, they begin, on its own.
void begin_sharing_processor(void);
/// From here on all run on any processor.
void end_sharing_processor(void);

// MARK: The world's own thread

/// Around a wait: where it is the world's own thread that waits, another one moves the world on meanwhile.
void begin_wait(bool has_limit);
void end_wait(void);
/// Whether the present thread is the test's, outside of what moves the world on.
bool is_test_thread(void);
/// The thread that moves the world on, where it waits for such a wait; 0 where it may do something.
int idle_world_thread(void);

// MARK: The kernel

/// A system call; a negative result is the error, and errno stays as it is.
long kernel_call(long number, long a, long b, long c, long d, long e, long f);
/// A system call that is a wait on a futex with a limit, or one for random octets; false for any other.
bool serve_call(long number, const long arguments[6], long *result);
/// Sleeps while a word has a value; may return early.
void wait_on(atomic_int *word, int value);
void wake_on(atomic_int *word);

#endif
#endif
