// Declarations shared by the files of this target.

#ifndef C_DISPATCH_WORK_INTERNAL_H
#define C_DISPATCH_WORK_INTERNAL_H

#include "CDispatchWork.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

/// A definition that overrides a library's.
#define REPLACING __attribute__((weak, visibility("default")))

/// The library's own function with a name.
#define ORIGINAL(name) \
    static _Atomic(void *) found; \
    void *original = atomic_load_explicit(&found, memory_order_acquire); \
    if (!original) { \
        original = dlsym(RTLD_NEXT, name); \
        atomic_store_explicit(&found, original, memory_order_release); \
    }

/// A block by its binary interface (Block_private.h).
struct block {
    void *isa;
    int32_t flags;
    int32_t reserved;
    void (*invoke)(void *);
    void *descriptor;
};

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

extern struct dispatch_work_observer dispatch_work_observer;
bool dispatch_work_observes(void);

/// The serial queue on which work for the main queue becomes due.
void *dispatch_work_due_queue(void);

extern void *malloc(size_t size);
extern void free(void *memory);
extern void dispatch_retain(void *object);
extern void dispatch_release(void *object);

#endif
