// The messenger of two devices, on Core Bluetooth alone.

import CoreBluetooth
