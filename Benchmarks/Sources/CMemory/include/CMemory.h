// The used size of the heap, which Swift's view of the C library lacks.

#include <stddef.h>

/// The number of octets that are allocated and were not freed.
size_t allocated_octets(void);
