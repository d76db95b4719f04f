// What waits at a peripheral whose adapter is not there: Core Bluetooth is not asked to send it, which would be a
// misuse that it logs.

import Foundation
import Testbed
import Testing

@testable import BlueEar
@testable import CoreBluetooth

@Suite("Messages that wait without an adapter")
struct HandingOverWithoutAdapterTests {
    private let testbed = Testbed()

    /// What was logged.
    private final class Log: @unchecked Sendable {
        // Unchecked: the listener is that of the test's thread alone.

        var lines: [String] = []
    }

    @Test("Nothing is handed over before the adapter is there, and what waits stays")
    func unknown() throws {
        let speaker = self.testbed.speaker(nil)
        let manager: PeripheralRole.BluetoothManager = speaker.manager
        #expect(manager.peripheralManager?.state != .poweredOn)
        let peer = manager.peer(for: CBCentral(identifier: UUID(), lock: ObjectLock()))
        peer.isSubscribed = true
        let log = Log()
        let listener: @Sendable (String) -> Void = { log.lines.append($0) }
        try LogLines.$listener.withValue(listener) {
            try manager.send(["a": "b"], to: peer.identifier)
            if let peripheral = manager.peripheralManager {
                manager.peripheralManagerIsReady(toUpdateSubscribers: peripheral)
            }
        }
        #expect(log.lines.isEmpty)
        #expect(peer.waiting.map(\.message) == [["a": "b"]] && !manager.isHandingOver)
    }
}
