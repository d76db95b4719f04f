// Bluetooth on the command line.

import CommandLineTool

Ending.run(CoreBluetoothTool.self)
