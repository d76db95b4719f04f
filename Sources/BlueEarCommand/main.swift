// The messenger on the command line.

import CommandLineTool

Ending.run(MessengerCommand.self)
