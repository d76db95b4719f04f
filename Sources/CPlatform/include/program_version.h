// The version that the programs report. A build from a clone has that of the file VERSION, without git. It has its own
// section of fixed length: Packaging/build writes the commit into it after linking, so that a new version needs no
// compilation.

#ifndef PROGRAM_VERSION_H
#define PROGRAM_VERSION_H

/// The size of the section, including the zero at the end of the text.
#define PROGRAM_VERSION_LENGTH 64

/// The version, with the line break of the file.
const char *_Nonnull program_version(void);

#endif
