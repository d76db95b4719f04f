// The three programs in one file: nine tenths of each are the Swift runtime and the libraries that all have. The name that
// it is started by chooses; Packaging/build gives it three, as hard links.

#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

// What the package manager calls the main functions of executable targets.
int BlueEarCommand_main(int count, char **arguments);
int CoreBluetoothCommand_main(int count, char **arguments);
int eightball_main(int count, char **arguments);

int main(int count, char **arguments) {
    if (strcmp(program_invocation_short_name, "eightball") == 0) return eightball_main(count, arguments);
    if (strcmp(program_invocation_short_name, "blueear") == 0) return BlueEarCommand_main(count, arguments);
    return CoreBluetoothCommand_main(count, arguments);
}
