// The course in the terminal.

import CommandLineTool

Ending.run(CourseTool.self)
