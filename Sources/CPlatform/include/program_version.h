// The version that the programs report. A build from a clone has that of the file VERSION, and needs no git for it. It is
// kept in a section of its own, of a fixed length: Packaging/build writes the commit into it after linking, so that a
// version costs no compilation.

#ifndef PROGRAM_VERSION_H
#define PROGRAM_VERSION_H

/// The octets of the section, with the zero at the end of the text.
#define PROGRAM_VERSION_LENGTH 64

/// The version, with the line's end that the file has.
const char *_Nonnull program_version(void);

#endif
