// The three programs in one file, because nine tenths of each are the Swift runtime and shared libraries. The name by
// which it is started selects the program; Packaging/build gives it three names, as hard links.

#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

// The package manager's names of the main functions of executable targets.
int BlueEarCommand_main(int count, char **arguments);
int CoreBluetoothCommand_main(int count, char **arguments);
int eightball_main(int count, char **arguments);

int main(int count, char **arguments) {
    if (strcmp(program_invocation_short_name, "eightball") == 0) return eightball_main(count, arguments);
    if (strcmp(program_invocation_short_name, "blueear") == 0) return BlueEarCommand_main(count, arguments);
    return CoreBluetoothCommand_main(count, arguments);
}
