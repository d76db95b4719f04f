// The width of a character on a terminal, since Swift's Glibc module lacks it.

#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdint.h>

/// The number of columns of a Unicode scalar, by `wcwidth` in a locale with all of Unicode, whatever the user's locale;
/// -1 if it is not printable.
int terminal_columns(uint32_t scalar);

#endif
