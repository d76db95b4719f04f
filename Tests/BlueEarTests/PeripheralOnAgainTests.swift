// An adapter that is reported on once more, without having been off: the old service and advertisement may still be
// there.

import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("An adapter of the messenger that is on once more")
struct PeripheralOnAgainTests {
    private let testbed = Testbed()

    @Test("A peripheral publishes its service anew and is heard, with one service")
    func again() throws {
        let speaker = self.testbed.speaker()
        #expect(self.testbed.run { speaker.calls.contains("didStartAdvertising") })
        let manager = try #require(speaker.manager.peripheralManager)
        speaker.manager.peripheralManagerDidUpdateState(manager)
        self.testbed.run(.seconds(1))
        #expect(speaker.calls == ["didStartConfiguration", "didStartAdvertising", "didStartAdvertising"])
        #expect(speaker.errors.isEmpty && manager.isAdvertising)
        let listener = self.testbed.listener { $0.stays = true }
        #expect(self.testbed.run { listener.sent.count == 1 })
        #expect(listener.manager.discoveredPeripheral?.services?.count == 1)
        #expect(speaker.received.map(\.message) == [["Yo": "Lo"]])
    }
}
