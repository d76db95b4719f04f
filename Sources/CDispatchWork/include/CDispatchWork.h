// What a program hands to dispatch queues, seen on the way: Swift cannot define a function of another library. The
// functions here stand in front of libdispatch's where a program is linked with it dynamically; a definition in the
// program comes first then. They are weak, so that a program that is linked with libdispatch statically keeps that
// library's own, and nothing is seen. Swift's tasks, actors and main actor arrive at the same functions. On other systems
// than Linux nothing is seen, either.

#ifndef C_DISPATCH_WORK_H
#define C_DISPATCH_WORK_H

#include <stdbool.h>
#include <stdint.h>

/// A function that runs with what it was handed over with.
typedef void (*dispatch_work_function)(void *_Nullable);

/// Until when work is set aside.
enum dispatch_work_delay {
    /// Until a group is empty.
    DISPATCH_WORK_GROUP,
    /// Until a time that has come.
    DISPATCH_WORK_DUE,
    /// Until a time, by `dispatch_after`.
    DISPATCH_WORK_AFTER,
    /// Until a task of Swift's has slept.
    DISPATCH_WORK_SLEEP,
    /// Until a timer of libdispatch fires, each time.
    DISPATCH_WORK_SOURCE,
};

/// What sees the work.
struct dispatch_work_observer {
    /// Work is handed to a queue. Returns whether the observer takes it; it then hands it on itself, with
    /// `dispatch_work_hand_over`, once and in order. `is_waiting` is true where the caller waits for its end.
    bool (*_Nonnull hands_over)(void *_Nonnull queue, bool is_barrier, bool is_waiting,
                                dispatch_work_function _Nonnull function, void *_Nullable argument);
    /// Work is set aside for later: what it belongs to, retained; null for nothing.
    void *_Nullable (*_Nonnull sets_aside)(enum dispatch_work_delay delay);
    /// Work that was set aside is due; what it belongs to is released. It is run at once, or on a queue where one is
    /// given.
    void (*_Nonnull runs)(void *_Nonnull owner, enum dispatch_work_delay delay, void *_Nullable queue,
                          dispatch_work_function _Nonnull function, void *_Nullable argument);
    /// The present thread is about to arm a timer. Returns whether the observer takes that; it then calls the function,
    /// once.
    bool (*_Nonnull arms)(dispatch_work_function _Nonnull function, void *_Nullable argument);
    /// A handler of a timer on the main queue is due there, as work of what `sets_aside` gave for that timer.
    void (*_Nonnull handles)(void *_Nonnull owner, void *_Nonnull queue, dispatch_work_function _Nonnull function,
                             void *_Nullable argument);
    /// What `sets_aside` gave is released.
    void (*_Nonnull releases)(void *_Nonnull owner);
    /// A timer is about to be added to a mode of a run loop: the main one, or that of the present thread, which nobody
    /// runs. Returns whether it is to be the main one.
    bool (*_Nonnull adds_timer)(void *_Nonnull timer, void *_Nonnull mode, bool is_main);
    /// A timer of a run loop fires: calls the function as work of what the timer belongs to.
    void (*_Nonnull fires_timer)(void *_Nonnull timer, dispatch_work_function _Nonnull function,
                                 void *_Nullable argument);
    /// The present thread is about to sleep, by a function of the C library.
    void (*_Nonnull sleeps)(void);
};

/// Starts to observe; once in a process.
void dispatch_work_observe(struct dispatch_work_observer observer);

/// Whether anything is observed from now on; at first nothing is.
void dispatch_work_set_observing(bool is_observing);

/// Has the deadlines of `dispatch_after` adjusted, each a `dispatch_time_t`, whether anything is observed or not; and
/// the observer asked who arms those that are ahead.
void dispatch_work_adjust_deadlines(uint64_t (*_Nullable adjust)(uint64_t when),
                                    bool (*_Nullable is_ahead)(uint64_t when));

/// Whether the observer takes it that the present thread arms a timer.
bool dispatch_work_arms(dispatch_work_function _Nonnull function, void *_Nullable argument);

/// Tells the observer that the present thread is about to sleep, for functions that stand in front of those here.
/// `caller` is an address of the code that sleeps.
void dispatch_work_sleeps(const void *_Nonnull caller);

/// Hands work to a queue, past the observer.
void dispatch_work_hand_over(void *_Nonnull queue, bool is_barrier, dispatch_work_function _Nonnull function,
                             void *_Nullable argument);

/// Until the next call of `dispatch_work_asked_queue`, work that the present thread hands over is not done.
void dispatch_work_ask_queue(void);

/// The queue to which the present thread has handed work since; null where that cannot be seen.
void *_Nullable dispatch_work_asked_queue(void);

/// A serial queue with a name, which lives for ever.
void *_Nonnull dispatch_work_make_queue(const char *_Nonnull label);

/// What the present thread works for; null for nothing.
void *_Nullable dispatch_work_owner(void);

/// Sets what the present thread works for.
void dispatch_work_set_owner(void *_Nullable owner);

/// Whether a queue is the main queue, or hands its work on to it.
bool dispatch_work_ends_on_main_queue(void *_Nonnull queue);

/// Whether a queue is one on which Swift runs tasks that belong to no other executor.
bool dispatch_work_is_task_queue(void *_Nonnull queue);

/// The name of a queue.
const char *_Nonnull dispatch_work_label(void *_Nonnull queue);

/// The number of the task of a job of Swift's, which no other task of the process has; zero where a function is not one
/// that runs jobs.
uint64_t dispatch_work_task_number(dispatch_work_function _Nonnull function, void *_Nullable argument);

/// The number of the present task; zero outside of tasks.
uint64_t dispatch_work_current_task_number(void);

/// The present thread's number in the system.
int32_t dispatch_work_thread(void);

/// The main queue.
void *_Nonnull dispatch_work_main_queue(void);

/// Keeps a timer of a run loop, and no longer.
void dispatch_work_retain_timer(void *_Nonnull timer);
void dispatch_work_release_timer(void *_Nonnull timer);

/// Whether a timer of a run loop may still fire.
bool dispatch_work_timer_is_valid(void *_Nonnull timer);

/// When a timer of a run loop fires next, in seconds since the beginning of 2001.
double dispatch_work_timer_date(void *_Nonnull timer);

/// Whether another thread runs the main run loop.
bool dispatch_work_main_run_loop_is_served(void);

/// Lets a mode of the main run loop do once what is due.
void dispatch_work_serve_main_run_loop(void *_Nonnull mode);

/// Writes the name of the function at an address as a person reads it.
void dispatch_work_describe_function(void *_Nonnull address, char *_Nonnull text, int capacity);

/// Writes the name of the function of the program that has called a library's, which has led here; an empty text where
/// there is none.
void dispatch_work_describe_caller(char *_Nonnull text, int capacity);

/// Writes the functions that another thread is in, a line for each, innermost first; it is interrupted by SIGPROF.
void dispatch_work_describe_thread(int32_t identifier, char *_Nonnull text, int capacity);

/// Whether the present thread serves the main queue, or is the main thread that is to serve it.
bool dispatch_work_is_on_main_queue(void);

#endif
