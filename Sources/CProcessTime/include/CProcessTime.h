// The Swift interface of the process's time: begin, advance, rest, end.
//
// While no world in process time exists, everything that this target overrides calls the C library.

#ifndef C_PROCESS_TIME_H
#define C_PROCESS_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__linux__)

/// No deadline.
#define PROCESS_TIME_NEVER UINT64_MAX

/// The maximum duration of a world, 30 days in nanoseconds. Deadlines from outside of a world are later.
#define PROCESS_TIME_LONGEST (UINT64_C(30) * 86400 * 1000000000)

/// Why the clocks of this process cannot be controlled.
enum process_time_obstacle {
    PROCESS_TIME_NO_OBSTACLE,
    /// The C library is not glibc.
    PROCESS_TIME_OTHER_C_LIBRARY,
    /// The address, memory or thread sanitizer overrides the same functions.
    PROCESS_TIME_SANITIZER,
    /// The program links the C library or libdispatch statically.
    PROCESS_TIME_STATIC_LIBRARIES,
};
enum process_time_obstacle process_time_obstacle(void);

/// Whether the process was started for an exit test of Swift Testing.
bool process_time_is_exit_test(void);

/// Takes control of the clocks and seeds random numbers; returns false if another world controls them.
bool process_time_begin(uint64_t seed);

/// Makes clocks and random numbers real again, and ends waits for instants of the world.
void process_time_end(void);

/// Nanoseconds since the world began.
uint64_t process_time_now(void);

/// Nanoseconds from the start of the world to the first deadline of the process, or PROCESS_TIME_NEVER.
uint64_t process_time_next_deadline(void);

/// Advances the clocks, never back, and ends the first wait or timer that is due: one per call.
void process_time_advance(uint64_t nanoseconds);

/// Waits, in real time, until every thread but the caller's sleeps. Returns whether that happened within the limit.
bool process_time_rest(uint64_t limit_nanoseconds);

/// Installs a function to call during checks for sleeping threads, for tests; NULL removes it. It gets 0 when the
/// waiting threads are known, then the identifier of each thread that the kernel was asked about.
void process_time_observe_looks(void (*observer)(int identifier));

/// Writes a line for each awake thread, or for all threads except the calling one, followed by its innermost functions.
/// SIGPROF interrupts the threads for that. Returns the number of these threads.
size_t process_time_describe_threads(bool all, char *text, size_t capacity);

/// Writes the identifiers of the threads of libdispatch's pool that wait for work, as known without the kernel; for
/// tests. Returns their number, which may be more than `capacity`.
size_t process_time_idle_threads(int *identifiers, size_t capacity);

/// The state of the process when the next step is requested.
enum process_time_wait {
    /// At rest: a thread waits until a time, or for a run loop.
    PROCESS_TIME_HAS_LIMIT,
    /// At rest: a thread waits without a limit.
    PROCESS_TIME_HAS_NO_LIMIT,
    /// A thread waits, and the process did not come to rest within the limit of real time.
    PROCESS_TIME_IS_AWAKE,
    /// Nobody has advanced the world for that time, and every thread sleeps.
    PROCESS_TIME_IS_IDLE,
};

/// Advances the world; returns whether there was anything to do. If it returns false, nothing can end the wait, and it
/// is not called again for it.
typedef bool (*process_time_step)(void *context, enum process_time_wait wait);

/// Marks the calling thread's work from here on as code under test, until it is called with NULL.
///
/// While that code waits for a semaphore, a condition, a queue, a thread or an instant, and every other thread is at
/// rest, a separate thread calls `step` repeatedly. The code continues only between two of these calls. `rest_limit` is
/// in nanoseconds of real time.
void process_time_serve(process_time_step step, void *context, uint64_t rest_limit);

/// The same for the calling task, or for its thread outside of tasks, whenever it does not advance the world.
void process_time_serve_test(process_time_step step, void *context, uint64_t rest_limit);

/// The test's task is about to sleep and then has no thread: the world advances until the task calls it again.
void process_time_test_sleeps(void);

/// The world is about to advance, or to check for rest.
void process_time_is_called(void);

/// Sets the stream from which the calling thread draws random octets, zero at first, and returns the previous one. Each
/// depends only on the seed and its identifier.
uint64_t process_time_set_random_stream(uint64_t identifier);

/// Sets the order of the calling thread's deadlines among those of the same instant, zero at first, and returns the
/// previous one. Requests from before the last advance come first.
uint64_t process_time_set_place(uint64_t place);

/// Nanoseconds of the real monotonic clock, also while a world exists.
uint64_t process_time_real_nanoseconds(void);

#endif
#endif
