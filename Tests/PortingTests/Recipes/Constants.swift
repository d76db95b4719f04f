// The code of the section "Swift 6" of the page "From your iOS app to Linux CI".

import CoreBluetooth

enum Profile {
    nonisolated(unsafe) static let heartRate = CBUUID(string: "180D")

    static var measurement: CBUUID { CBUUID(string: "2A37") }
}

@MainActor enum ScreenProfile {
    static let battery = CBUUID(string: "180F")
}
