// The program blueear.

import BlueEar
