import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar
@testable import CoreBluetooth

@Suite("The peripheral role")
struct PeripheralRoleTests {
    /// A delegate that records the restored peers, and the peers that messages can be exchanged with.
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

    /// A peripheral that advertises, its manager, and Core Bluetooth's.
    private func heard() throws -> (Speaker, PeripheralRole.BluetoothManager, CBPeripheralManager) {
        let speaker = self.testbed.speaker()
        #expect(self.testbed.run { speaker.calls.contains("didStartAdvertising") })
        return (speaker, speaker.manager, try #require(speaker.manager.peripheralManager))
    }

    @Test("uses a restored service only if it is the messenger's")
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

    @Test("keeps restored subscribers without repeating the first message")
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

    @Test("advertises a restored service without publishing it again", arguments: [true, false])
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
        names = []
        manager.peripheralManagerDidUpdateState(peripheral)
        self.testbed.run(.seconds(1))
        #expect(names == ["peripheralManagerDidUpdateState", "didAdd service"] + started)
        speaker.onCall = nil
    }

    @Test("sends a message from inside a callback after the current one")
    func handingOver() throws {
        let speaker = self.testbed.speaker(nil)
        let listeners = (0..<2).map { _ in self.testbed.listener(nil) { $0.stays = true } }
        #expect(self.testbed.run { listeners.allSatisfy { $0.begun == 1 } && speaker.begun.count == 2 })
        var isSent = false
        speaker.onCall = { name in
            guard name == "didSendData", !isSent else { return }
            isSent = true
            try? speaker.manager.send(["number": "2"])
        }
        try speaker.manager.send(["number": "1"])
        #expect(self.testbed.run { speaker.sent.count == 4 })
        speaker.onCall = nil
        #expect(speaker.sent.compactMap { $0.message["number"] } == ["1", "1", "2", "2"])
        #expect(self.testbed.run { listeners.allSatisfy { $0.received == [["number": "1"], ["number": "2"]] } })
    }

    @Test("keeps messages while there is no adapter")
    func withoutAdapter() throws {
        let speaker = self.testbed.speaker(nil)
        let manager: PeripheralRole.BluetoothManager = speaker.manager
        #expect(manager.peripheralManager?.state != .poweredOn)
        let peer = manager.peer(for: .unlinked())
        peer.isSubscribed = true
        try manager.send(["a": "b"], to: peer.identifier)
        if let peripheral = manager.peripheralManager {
            manager.peripheralManagerIsReady(toUpdateSubscribers: peripheral)
        }
        #expect(peer.waiting.map(\.message) == [["a": "b"]] && !manager.isHandingOver)
    }

    @Test("reports a service or an advertisement that the system refuses")
    func refusals() throws {
        let (speaker, manager, peripheral) = try self.heard()
        let service = try #require(manager.service)
        let calls = speaker.calls
        let broken = CBError(.connectionTimeout)
        manager.peripheralManager(peripheral, didAdd: service, error: broken)
        manager.peripheralManagerDidStartAdvertising(peripheral, error: CBATTError(.insufficientAuthorization))
        self.testbed.run(.seconds(1))
        #expect(speaker.calls == calls)
        #expect(speaker.errors == [.bluetooth(broken.localizedDescription), .refused(.insufficientAuthorization)])
    }
}
