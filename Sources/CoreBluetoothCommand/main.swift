// The program corebluetooth.

import CoreBluetooth
