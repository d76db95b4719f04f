// The files of the course's code, as they stand in Lessons/Code and are compiled there, built into the program that shows
// them: a program does not know its sources.

#ifndef C_LESSON_CODE_H
#define C_LESSON_CODE_H

#include <stddef.h>
#include <stdint.h>

/// A file of code.
struct lesson_file {
    const char *_Nonnull name;
    /// Its text, in UTF-8.
    const uint8_t *_Nonnull octets;
    size_t count;
};

/// The file with a number; null behind the last one.
const struct lesson_file *_Nullable lesson_file(size_t number);

#endif
