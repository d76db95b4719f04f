// What Swift calls of the process's time: begin, advance, rest, end.
//
// While no world of process time lives, everything that this target defines passes through to the C library.

#ifndef C_PROCESS_TIME_H
#define C_PROCESS_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__linux__)

/// No deadline.
#define PROCESS_TIME_NEVER UINT64_MAX

/// How long a world lasts at most, in nanoseconds: 30 days. Deadlines from outside of a world lie behind it.
#define PROCESS_TIME_LONGEST (UINT64_C(30) * 86400 * 1000000000)

/// Why the clocks of this process cannot be held.
enum process_time_obstacle {
    PROCESS_TIME_NO_OBSTACLE,
    /// The C library is another than glibc.
    PROCESS_TIME_OTHER_C_LIBRARY,
    /// The address, memory or thread sanitizer has definitions of its own of what this target defines.
    PROCESS_TIME_SANITIZER,
    /// The C library's or libdispatch's definitions are in the program.
    PROCESS_TIME_STATIC_LIBRARIES,
};
enum process_time_obstacle process_time_obstacle(void);

/// Whether the process was started for an exit test of Swift Testing.
bool process_time_is_exit_test(void);

/// Holds the clocks and seeds randomness; false where another world holds them.
bool process_time_begin(uint64_t seed);

/// Makes clocks and randomness real again. What waits for an instant of the world has waited long enough.
void process_time_end(void);

/// Nanoseconds since the world began.
uint64_t process_time_now(void);

/// Nanoseconds from the beginning of the world to the first deadline of the process, or PROCESS_TIME_NEVER.
uint64_t process_time_next_deadline(void);

/// Moves the clocks on, never back, and ends the first wait or timer that is due: one for each call.
void process_time_advance(uint64_t nanoseconds);

/// Waits, in real time, until every thread but the caller's sleeps. Returns whether that came within the limit.
bool process_time_rest(uint64_t limit_nanoseconds);

/// Has a function called while it is found out whether all threads sleep, for tests; no longer with NULL. It gets 0 as
/// soon as it is known who waits for work, then the identifier of each thread that the kernel was asked about.
void process_time_observe_looks(void (*observer)(int identifier));

/// Writes which threads are awake, or which there are at all beside the calling one, and where: a line for each, then
/// its innermost functions. Threads are interrupted for that, by SIGPROF. Returns the number of these threads.
size_t process_time_describe_threads(bool all, char *text, size_t capacity);

/// Writes the identifiers of the threads of libdispatch's pool that wait for work, as is known of them without the
/// kernel; for tests. Returns how many there are, which may be more than `capacity`.
size_t process_time_idle_threads(int *identifiers, size_t capacity);

/// How the process is when it is asked what happens next.
enum process_time_wait {
    /// At rest: a thread waits until a time, or for a run loop.
    PROCESS_TIME_HAS_LIMIT,
    /// At rest: a thread waits without a limit.
    PROCESS_TIME_HAS_NO_LIMIT,
    /// A thread waits, and the process did not come to rest within the limit of real time.
    PROCESS_TIME_IS_AWAKE,
    /// Nobody has moved the world on for that time, and every thread sleeps.
    PROCESS_TIME_IS_IDLE,
};

/// Moves the world on; returns whether there was anything to do. Where it returns false nothing ever ends the wait, and
/// it is not called again for it.
typedef bool (*process_time_step)(void *context, enum process_time_wait wait);

/// Marks what the calling thread does from here on as code under test, until it is called with NULL.
///
/// While that code waits for a semaphore, a condition, a queue, a thread or an instant, and every other thread is at
/// rest, `step` is called again and again on a thread of its own. The code goes on only between two of these calls.
/// `rest_limit` is in nanoseconds of real time.
void process_time_serve(process_time_step step, void *context, uint64_t rest_limit);

/// The same for the task that calls, or for its thread outside of tasks, whenever it does something else than to move
/// the world on.
void process_time_serve_test(process_time_step step, void *context, uint64_t rest_limit);

/// The test's task is about to sleep, and has no thread then: the world is moved on until it calls the world again.
void process_time_test_sleeps(void);

/// The world is about to be moved on, or asked whether it is at rest.
void process_time_is_called(void);

/// Sets the stream from which the calling thread draws random octets, zero at first, and returns the one before. Each
/// follows from the seed and its identifier alone.
uint64_t process_time_set_random_stream(uint64_t identifier);

/// Sets the place of what the calling thread waits for among what others wait for until the same instant, zero at first,
/// and returns the one before. What was asked for before time was moved on last comes before.
uint64_t process_time_set_place(uint64_t place);

/// Nanoseconds of the real monotonic clock, also while a world lives.
uint64_t process_time_real_nanoseconds(void);

#endif
#endif
