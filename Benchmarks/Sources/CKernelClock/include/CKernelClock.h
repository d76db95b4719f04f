// The computer's own clock: a program whose clocks are a world's cannot measure with them.

#include <stdint.h>

/// Nanoseconds since the computer was started.
uint64_t kernel_nanoseconds(void);
