// Observes the work that a program hands to dispatch queues, in C, since Swift cannot override a function of another
// library. The functions here override libdispatch's if a program links it dynamically, because the program's
// definitions come first. They are weak, so that a program that links libdispatch statically keeps that library's own,
// and nothing is observed. Swift's tasks, actors and main actor use the same functions. On systems other than Linux
// nothing is observed, either.

#ifndef C_DISPATCH_WORK_H
#define C_DISPATCH_WORK_H

#include <stdbool.h>
#include <stdint.h>

/// The function of handed over work, called with its argument.
typedef void (*dispatch_work_function)(void *_Nullable);

/// The delay of deferred work.
enum dispatch_work_delay {
    /// Until a group is empty.
    DISPATCH_WORK_GROUP,
    /// Until a time that has passed.
    DISPATCH_WORK_DUE,
    /// Until a time, by `dispatch_after`.
    DISPATCH_WORK_AFTER,
    /// Until a Swift task has slept.
    DISPATCH_WORK_SLEEP,
    /// Until a timer of libdispatch fires, each time.
    DISPATCH_WORK_SOURCE,
};

/// The observer of work.
struct dispatch_work_observer {
    /// Work is handed to a queue. Returns whether the observer takes it; it must then hand it on itself, with
    /// `dispatch_work_hand_over`, once and in order. `is_waiting` is true if the caller waits for its end.
    bool (*_Nonnull hands_over)(void *_Nonnull queue, bool is_barrier, bool is_waiting,
                                dispatch_work_function _Nonnull function, void *_Nullable argument);
    /// Work is deferred: returns its retained owner; null for none.
    void *_Nullable (*_Nonnull sets_aside)(enum dispatch_work_delay delay);
    /// Deferred work is due; releases its owner. Runs the work immediately, or on the queue if there is one.
    void (*_Nonnull runs)(void *_Nonnull owner, enum dispatch_work_delay delay, void *_Nullable queue,
                          dispatch_work_function _Nonnull function, void *_Nullable argument);
    /// The present thread is about to arm a timer. Returns whether the observer takes over; it must then call the
    /// function once.
    bool (*_Nonnull arms)(dispatch_work_function _Nonnull function, void *_Nullable argument);
    /// A handler of a timer on the main queue is due there, as work of the owner that `sets_aside` returned for that
    /// timer.
    void (*_Nonnull handles)(void *_Nonnull owner, void *_Nonnull queue, dispatch_work_function _Nonnull function,
                             void *_Nullable argument);
    /// Releases an owner that `sets_aside` returned.
    void (*_Nonnull releases)(void *_Nonnull owner);
    /// A timer is about to be added to a mode of a run loop: the main one, or that of the present thread, which nobody
    /// runs. Returns whether to use the main one.
    bool (*_Nonnull adds_timer)(void *_Nonnull timer, void *_Nonnull mode, bool is_main);
    /// A timer of a run loop fires: calls the function as work of the timer's owner.
    void (*_Nonnull fires_timer)(void *_Nonnull timer, dispatch_work_function _Nonnull function,
                                 void *_Nullable argument);
    /// The present thread is about to sleep with a function of the C library.
    void (*_Nonnull sleeps)(void);
};

/// Installs the observer; once per process.
void dispatch_work_observe(struct dispatch_work_observer observer);

/// Switches observation on or off; off at first.
void dispatch_work_set_observing(bool is_observing);

/// Installs a function that adjusts the deadlines of `dispatch_after`, each a `dispatch_time_t`, even without
/// observation; the observer is then asked who arms those in the future.
void dispatch_work_adjust_deadlines(uint64_t (*_Nullable adjust)(uint64_t when),
                                    bool (*_Nullable is_ahead)(uint64_t when));

/// Whether the observer takes over arming a timer of the present thread.
bool dispatch_work_arms(dispatch_work_function _Nonnull function, void *_Nullable argument);

/// Tells the observer that the present thread is about to sleep, for functions that override those here. `caller` is an
/// address in the sleeping code.
void dispatch_work_sleeps(const void *_Nonnull caller);

/// Hands work to a queue without the observer.
void dispatch_work_hand_over(void *_Nonnull queue, bool is_barrier, dispatch_work_function _Nonnull function,
                             void *_Nullable argument);

/// Discards work that the present thread hands over, until the next call of `dispatch_work_asked_queue`.
void dispatch_work_ask_queue(void);

/// The queue to which the present thread has handed work since; null if that cannot be observed.
void *_Nullable dispatch_work_asked_queue(void);

/// Creates a serial queue with a name, which is never released.
void *_Nonnull dispatch_work_make_queue(const char *_Nonnull label);

/// The owner of the present thread's work; null for none.
void *_Nullable dispatch_work_owner(void);

/// Sets the owner of the present thread's work.
void dispatch_work_set_owner(void *_Nullable owner);

/// Whether a queue is the main queue or targets it.
bool dispatch_work_ends_on_main_queue(void *_Nonnull queue);

/// Whether Swift runs tasks without a custom executor on a queue.
bool dispatch_work_is_task_queue(void *_Nonnull queue);

/// The name of a queue.
const char *_Nonnull dispatch_work_label(void *_Nonnull queue);

/// The number of a Swift job's task, which is unique in the process; zero if the function does not run jobs.
uint64_t dispatch_work_task_number(dispatch_work_function _Nonnull function, void *_Nullable argument);

/// The number of the present task; zero outside of tasks.
uint64_t dispatch_work_current_task_number(void);

/// The present thread's number in the system.
int32_t dispatch_work_thread(void);

/// The main queue.
void *_Nonnull dispatch_work_main_queue(void);

/// Retains and releases a timer of a run loop.
void dispatch_work_retain_timer(void *_Nonnull timer);
void dispatch_work_release_timer(void *_Nonnull timer);

/// Whether a timer of a run loop may still fire.
bool dispatch_work_timer_is_valid(void *_Nonnull timer);

/// When a timer of a run loop fires next, in seconds since the start of 2001.
double dispatch_work_timer_date(void *_Nonnull timer);

/// Whether another thread runs the main run loop.
bool dispatch_work_main_run_loop_is_served(void);

/// Runs due work of a mode of the main run loop once.
void dispatch_work_serve_main_run_loop(void *_Nonnull mode);

/// Writes the demangled name of the function at an address.
void dispatch_work_describe_function(void *_Nonnull address, char *_Nonnull text, int capacity);

/// Writes the name of the program's function whose call of a library led here; an empty text if there is none.
void dispatch_work_describe_caller(char *_Nonnull text, int capacity);

/// Writes the functions on another thread's stack, one per line, innermost first; the thread is interrupted by SIGPROF.
void dispatch_work_describe_thread(int32_t identifier, char *_Nonnull text, int capacity);

/// Whether the present thread serves the main queue, or is the main thread that should serve it.
bool dispatch_work_is_on_main_queue(void);

#endif
