// Durations of packets (Vol 6, Part B, 2.1, 2.2 and 4.5.10).

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothAir

@Suite("Air time")
struct AirTimeTests {
    private static let phys = [PHY.le1M, .le2M, .leCoded]

    @Test("takes the time of its octets and of its overhead", arguments: phys)
    func microseconds(phy: PHY) {
        for payload in 0...255 {
            let time = AirTime.microseconds(phy, payload: payload)
            let octets = Int64(payload)
            let expected: Int64 =
                switch phy {
                case .le2M: 44 + 4 * octets
                case .leCoded: 720 + 64 * octets
                default: 80 + 8 * octets
                }
            #expect(time == expected, "\(payload)")
        }
        #expect(AirTime.interFrameSpace == 150)
        #expect(AirTime.integrityCode == 4)
    }

    @Test("the data that fits into a time takes that time with its integrity code, and one octet more does not")
    func octets() {
        for phy in Self.phys {
            for octets in 27...251 {
                let time = Int(AirTime.microseconds(phy, payload: octets + AirTime.integrityCode))
                #expect(AirTime.octets(phy, within: time) == octets, "\(phy) \(octets)")
                #expect(AirTime.octets(phy, within: time - 1) == octets - 1, "\(phy) \(octets)")
            }
        }
    }
}
