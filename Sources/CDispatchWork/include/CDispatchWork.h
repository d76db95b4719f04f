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

/// What sees the work.
struct dispatch_work_observer {
    /// Work is handed to a queue. Returns whether the observer takes it; it then hands it on itself, with
    /// `dispatch_work_hand_over`, once and in order. `is_waiting` is true where the caller waits for its end.
    bool (*_Nonnull hands_over)(void *_Nonnull queue, bool is_barrier, bool is_waiting,
                                dispatch_work_function _Nonnull function, void *_Nullable argument);
    /// Work is set aside for later, until a time has come or a group is empty: what it belongs to, retained; null for
    /// nothing.
    void *_Nullable (*_Nonnull sets_aside)(bool is_timer);
    /// Work that was set aside runs now; what it belongs to is released.
    void (*_Nonnull runs)(void *_Nonnull owner, bool is_timer, dispatch_work_function _Nonnull function,
                          void *_Nullable argument);
    /// The present thread is about to arm a timer. Returns whether the observer takes that; it then calls the function,
    /// once.
    bool (*_Nonnull arms)(dispatch_work_function _Nonnull function, void *_Nullable argument);
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

/// Whether the present thread serves the main queue, or is the main thread that is to serve it.
bool dispatch_work_is_on_main_queue(void);

#endif
