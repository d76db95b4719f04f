// What a peripheral makes of its state that comes back, of an adapter that is there then or not, and of space in
// the transmit queue.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("The state of a peripheral that comes back")
struct PeripheralStatesTests {
    /// A delegate that notes with whom the state came back, and with whom messages can be exchanged.
    private final class RestoredEar: PeripheralRole.BlueEar, MessageObserver {
        var restored: [[UUID]] = []
        var begun: [UUID] = []

        func didStartConfiguration() {}
        func didStartAdvertising() {}
        func didSendData() {}
        func didReceiveData() {}
        func didRestoreState(peers: [UUID]) { restored.append(peers) }
        func didBegin(with peer: UUID) { begun.append(peer) }
    }

    private let testbed = Testbed()

    /// A peripheral that is heard, its manager, and Core Bluetooth's.
    private func heard() throws -> (Speaker, PeripheralRole.BluetoothManager, CBPeripheralManager) {
        let speaker = self.testbed.speaker()
        #expect(self.testbed.run { speaker.calls.contains("didStartAdvertising") })
        return (speaker, speaker.manager, try #require(speaker.manager.peripheralManager))
    }

    @Test("A service that comes back is used where it is the messenger's; else it is as if there was none")
    func foreignServices() throws {
        let (speaker, manager, peripheral) = try self.heard()
        func service(_ uuid: String, _ characteristic: String) -> CBMutableService {
            let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: characteristic),
                    properties: .notify,
                    value: nil,
                    permissions: .readable
                )
            ]
            return service
        }
        let foreign = service("180D", BlueEarService.characteristicUUID)
        let half = service(BlueEarService.serviceUUID, "2A00")
        let whole = service(BlueEarService.serviceUUID, BlueEarService.characteristicUUID)
        let key = CBPeripheralManagerRestoredStateServicesKey
        let own = manager.service
        for (services, isTaken) in [
            (nil, false), ([], false), ([foreign], false), ([half], false), ([foreign, whole], true),
        ] as [([CBMutableService]?, Bool)] {
            let ear = RestoredEar()
            manager.bluetoothMessaging = ear
            let dict: [String: Any] = services.map { [key: $0] } ?? [:]
            manager.peripheralManager(peripheral, willRestoreState: dict)
            #expect(ear.restored == [[]] && ear.begun.isEmpty)
            #expect(manager.isRestored == isTaken && manager.service === (isTaken ? whole : own))
            if isTaken { #expect(manager.characterisctic === whole.characteristics?.first) }
        }
        withExtendedLifetime(speaker) {}
    }

    @Test("Who listened before the app ended does so afterwards, and is not told the first message again")
    func subscribers() throws {
        let (speaker, manager, peripheral) = try self.heard()
        let listener = self.testbed.listener(nil) { $0.stays = true }
        #expect(self.testbed.run { listener.received.count == 1 })
        let identifier = try #require(speaker.begun.first)
        let service = try #require(manager.service)
        manager.peers = []
        let ear = RestoredEar()
        manager.bluetoothMessaging = ear
        let dict = [CBPeripheralManagerRestoredStateServicesKey: [service]]
        manager.peripheralManager(peripheral, willRestoreState: dict)
        #expect(ear.restored == [[identifier]] && ear.begun == [identifier])
        #expect(manager.listeners == [identifier] && manager.peers.map(\.waiting.count) == [0])
        self.testbed.run(.seconds(1))
        #expect(listener.received.count == 1)
        try manager.send(["still": "there"], to: identifier)
        #expect(self.testbed.run { listener.received.last == ["still": "there"] })
        withExtendedLifetime(speaker) {}
    }

    @Test("A service that came back is not published again, but advertised where it is not", arguments: [true, false])
    func adapterThatIsThere(isAdvertising: Bool) throws {
        let (speaker, manager, peripheral) = try self.heard()
        if !isAdvertising { peripheral.stopAdvertising() }
        self.testbed.run(.seconds(1))
        #expect(peripheral.isAdvertising == isAdvertising)
        var names: [String] = []
        speaker.onCall = { names.append($0) }
        manager.isRestored = true
        manager.peripheralManagerDidUpdateState(peripheral)
        #expect(!manager.isRestored)
        self.testbed.run(.seconds(1))
        let started = ["peripheralManagerDidStartAdvertising", "didStartAdvertising"]
        #expect(names == ["peripheralManagerDidUpdateState"] + (isAdvertising ? [] : started))
        // The next time it is published as ever.
        names = []
        manager.peripheralManagerDidUpdateState(peripheral)
        self.testbed.run(.seconds(1))
        #expect(names == ["peripheralManagerDidUpdateState", "didAdd service"] + started)
        speaker.onCall = nil
    }

    @Test("What waits is handed over when the state is back, and when the transmit queue has space")
    func handingOver() throws {
        let (speaker, manager, peripheral) = try self.heard()
        let listener = self.testbed.listener(nil) { $0.stays = true }
        #expect(self.testbed.run { listener.received.count == 1 })
        for way in ["state", "space"] {
            manager.isHandingOver = true
            try manager.send(["by": way])
            manager.isHandingOver = false
            #expect(manager.peers.map(\.waiting.count) == [1])
            if way == "state" {
                manager.isRestored = true
                manager.peripheralManagerDidUpdateState(peripheral)
            } else {
                manager.peripheralManagerIsReady(toUpdateSubscribers: peripheral)
            }
            #expect(manager.peers.map(\.waiting.count) == [0] && !manager.isHandingOver)
            #expect(self.testbed.run { listener.received.last == ["by": way] })
        }
        #expect(speaker.sent.map(\.message).suffix(2) == [["by": "state"], ["by": "space"]])
        // Without the adapter nothing is, and all who listened are gone.
        manager.isHandingOver = true
        try manager.send(["too": "late"])
        manager.isHandingOver = false
        manager.isRestored = true
        speaker.adapter.setPowered(false)
        #expect(self.testbed.run { speaker.ended.count == 1 })
        self.testbed.run(.seconds(1))
        #expect(!manager.isRestored && manager.peers.isEmpty && listener.received.last == ["by": "space"])
    }
}
