// What Swift's view of the C library lacks: how much of the heap is in use.

#include <stddef.h>

/// How many octets are allocated and were not freed.
size_t allocated_octets(void);
