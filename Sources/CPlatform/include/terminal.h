// The width of a character on a terminal, which Swift's view of the C library leaves out.

#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdint.h>

/// How many columns a Unicode scalar takes, by `wcwidth` in a locale that knows all of Unicode, whatever the user's is; -1
/// for one that is not printable.
int terminal_columns(uint32_t scalar);

#endif
