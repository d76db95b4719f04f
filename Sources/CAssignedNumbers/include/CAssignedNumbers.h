// The tables of assigned numbers that stand beside this folder, as text: a number in hexadecimal, a space, and what it
// stands for, a line each. The C compiler takes them in as they are; a literal of Swift with thousands of rows takes it
// many seconds.

#ifndef ASSIGNED_NUMBERS_H
#define ASSIGNED_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/// A table, in UTF-8.
struct assigned_numbers {
    const uint8_t *_Nonnull octets;
    size_t count;
};

/// The names of UUIDs.
struct assigned_numbers assigned_names(void);

/// The names of companies.
struct assigned_numbers assigned_companies(void);

/// What devices are, by the value of Appearance.
struct assigned_numbers assigned_appearances(void);

/// The symbols of units.
struct assigned_numbers assigned_units(void);

/// How the values of characteristics are written.
struct assigned_numbers assigned_formats(void);

#endif
