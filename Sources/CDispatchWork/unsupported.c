// On systems other than Linux nothing is observed, and work has no owner.

#if !defined(__linux__)

#include "CDispatchWork.h"

#include <dispatch/dispatch.h>
#include <pthread.h>

void dispatch_work_observe(struct dispatch_work_observer observer) {}
void dispatch_work_adjust_deadlines(uint64_t (*adjust)(uint64_t when), bool (*is_ahead)(uint64_t when)) {}
void dispatch_work_sleeps(const void *caller) {}
bool dispatch_work_arms(dispatch_work_function function, void *argument) { return false; }
void dispatch_work_set_observing(bool is_observing) {}
void dispatch_work_ask_queue(void) {}
void *dispatch_work_asked_queue(void) { return NULL; }
void *dispatch_work_make_queue(const char *label) { return dispatch_queue_create(label, NULL); }
static _Thread_local void *owner;
void *dispatch_work_owner(void) { return owner; }
void dispatch_work_set_owner(void *new_owner) { owner = new_owner; }
bool dispatch_work_ends_on_main_queue(void *queue) { return queue == (void *)dispatch_get_main_queue(); }
bool dispatch_work_is_task_queue(void *queue) { return false; }
const char *dispatch_work_label(void *queue) { return dispatch_queue_get_label((dispatch_queue_t)queue); }
uint64_t dispatch_work_task_number(dispatch_work_function function, void *argument) { return 0; }
uint64_t dispatch_work_current_task_number(void) { return 0; }
int32_t dispatch_work_thread(void) { return (int32_t)pthread_mach_thread_np(pthread_self()); }
bool dispatch_work_is_on_main_queue(void) { return pthread_main_np() != 0; }
void dispatch_work_hand_over(void *queue, bool is_barrier, dispatch_work_function function, void *argument) {
    if (is_barrier) {
        dispatch_barrier_async_f((dispatch_queue_t)queue, argument, function);
    } else {
        dispatch_async_f((dispatch_queue_t)queue, argument, function);
    }
}

void *dispatch_work_main_queue(void) { return (void *)dispatch_get_main_queue(); }
void dispatch_work_retain_timer(void *timer) {}
void dispatch_work_release_timer(void *timer) {}
bool dispatch_work_timer_is_valid(void *timer) { return false; }
double dispatch_work_timer_date(void *timer) { return 0; }
bool dispatch_work_main_run_loop_is_served(void) { return true; }
void dispatch_work_serve_main_run_loop(void *mode) {}
void dispatch_work_describe_function(void *address, char *text, int capacity) { text[0] = 0; }
void dispatch_work_describe_caller(char *text, int capacity) { text[0] = 0; }
void dispatch_work_describe_thread(int32_t identifier, char *text, int capacity) { text[0] = 0; }

#endif
