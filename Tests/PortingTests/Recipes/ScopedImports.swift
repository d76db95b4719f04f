// The recipe "import CoreBluetooth.CBUUID" of the page "Porting an app".

import class CoreBluetooth.CBUUID

func isHeartRate(_ uuid: CBUUID) -> Bool { uuid == CBUUID(string: "180D") }
