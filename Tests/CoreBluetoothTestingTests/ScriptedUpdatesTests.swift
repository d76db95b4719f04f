// The closure that gives the values a scripted device sends: it may look at its device, and change it.

import CoreBluetooth
import Foundation
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("The values that a scripted peripheral sends")
struct ScriptedUpdatesTests {
    /// A device, for a closure that is made before it.
    private final class Place {
        var device: ScriptedDevice?
        var seen: [Data?] = []
    }

    @Test("Who gives the values may ask for the present one, and switch the device off, which sends nothing more")
    func ownDevice() throws {
        let place = Place()
        let script = ScriptedPeripheral.thing([
            .init(
                "FFF1",
                properties: [.read, .notify],
                value: Data([1]),
                updates: .every(.seconds(1)) { number in
                    place.seen.append(place.device?.value(of: CBUUID(string: "FFF1")))
                    if number == 2 { place.device?.isPowered = false }
                    return Data([UInt8(10 + number)])
                }
            )
        ])
        let (world, device, phone) = try Explorer.meet(script, seed: 43, setUp: { $0.subscribes = false })
        place.device = device
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.setNotifyValue(true, for: characteristic)
        world.advance(by: .seconds(10))
        #expect(place.seen == [Data([1]), Data([10]), Data([11])])
        #expect(device.value(of: CBUUID(string: "FFF1")) == Data([11]))
    }
}
