// The octets of the tables, taken in by the compiler.

#include "CAssignedNumbers.h"

// The directive is C23's; compilers have it in earlier languages, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t names[] = {
#embed "names.txt"
};

static const uint8_t companies[] = {
#embed "companies.txt"
};

static const uint8_t appearances[] = {
#embed "appearances.txt"
};

static const uint8_t units[] = {
#embed "units.txt"
};

static const uint8_t formats[] = {
#embed "formats.txt"
};

struct assigned_numbers assigned_names(void) { return (struct assigned_numbers){names, sizeof names}; }

struct assigned_numbers assigned_companies(void) { return (struct assigned_numbers){companies, sizeof companies}; }

struct assigned_numbers assigned_appearances(void) { return (struct assigned_numbers){appearances, sizeof appearances}; }

struct assigned_numbers assigned_units(void) { return (struct assigned_numbers){units, sizeof units}; }

struct assigned_numbers assigned_formats(void) { return (struct assigned_numbers){formats, sizeof formats}; }
