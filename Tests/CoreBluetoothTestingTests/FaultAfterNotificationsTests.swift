// When a fault behind a number of notifications happens, where several of them are sent at once.

import CoreBluetooth
import Foundation
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Faults behind notifications")
struct FaultAfterNotificationsTests {
    @Test(
        "Of indications that wait for each other the link is lost behind the one that was named",
        arguments: [1, 2, 3]
    )
    func indications(number: Int) throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .indicate])])
        script.faults = [.disconnect(.afterNotification(number))]
        let (world, device, phone) = try Explorer.meet(script, seed: 71, setUp: { _ in })
        let player: ScriptPlayer = device.player
        #expect(phone.isConnected && player.links.count == 1)
        for value in 1...4 as ClosedRange<UInt8> { #expect(device.notify(Data([value]), for: "FFF1") == 1) }
        try world.run(until: player.links.isEmpty)
        world.advance(by: .seconds(1))
        // Where one is confirmed, the next is on its way already.
        #expect(phone.notified.count == number + 1)
        #expect(player.updatesOnLink.isEmpty)
    }
}
