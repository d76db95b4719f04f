// The recipe "#if os(iOS)" of the page "Porting an app".

import CoreBluetooth
#if canImport(UIKit)
import UIKit
#endif

func deviceName() -> String {
    #if canImport(UIKit)
    return UIDevice.current.name
    #else
    return ProcessInfo.processInfo.hostName
    #endif
}

func followConnections(of service: CBUUID, with central: CBCentralManager) {
    #if !os(macOS)
    central.registerForConnectionEvents(options: [.serviceUUIDs: [service]])
    #endif
}
