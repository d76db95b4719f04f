// A world of Bluetooth devices in one process and in virtual time.

import CoreBluetooth
