// The messenger on the command line.

import CommandLineTool

Ending.run(Messenger.self)
