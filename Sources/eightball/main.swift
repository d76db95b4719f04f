// The Magic 8-Ball on the command line.

import CommandLineTool

Ending.run(EightBallCommand.self)
