// The HCI octet for a power, and 127 for "not available".

import Testing

@testable import BluetoothTypes

@Suite("The power of signals")
struct SignalPowerTests {
    @Test("127 is no power; every other octet is one (Vol 4, Part E, 7.5.4 and 7.8.53)")
    func octets() {
        for octet in Int8.min...Int8.max {
            #expect(RSSI(octet: octet) == (octet == 127 ? nil : RSSI(rawValue: octet)))
            #expect(TransmitPower(octet: octet)?.dBm == (octet == 127 ? nil : Int(octet)))
        }
        #expect(RSSI.octet(nil) == 127 && RSSI.octet(-45) == -45)
    }

    @Test("a power is shown with its unit, and the stronger one is greater")
    func text() {
        #expect("\(RSSI(dBm: -45))" == "-45 dBm" && "\(4 as TransmitPower)" == "4 dBm")
        #expect(RSSI(dBm: -46) < -45 && !(RSSI(dBm: -45) < -45))
    }
}
