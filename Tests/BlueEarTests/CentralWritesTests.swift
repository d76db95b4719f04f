// What a central makes of the responses to its writes, of writes that cannot be made, and of what is on its way when
// the services change or a link is another one's; and which peripheral it takes of those that come back with its state.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("Writes of a central")
struct CentralWritesTests {
    /// A delegate that notes with whom the state came back.
    private final class RestoredEar: CentralRole.BlueEar, MessageObserver {
        var restored: [[UUID]] = []

        func didStartConfiguration() {}
        func didStartScanningPeripherals() {}
        func didConnectPeripheral(name: String?) {}
        func didDisconnectPeripheral(name: String?) {}
        func didSendData() {}
        func didReceiveData() {}
        func didFailConnection() {}
        func didRestoreState(peers: [UUID]) { restored.append(peers) }
    }

    private static let short = ["k": "v"]
    /// Has two pieces of 512 octets at most.
    private static let long = ["k": String(repeating: "x", count: 600)]

    /// A message of which so many pieces were written.
    private func outgoing(_ message: [String: String], pieces: Int) throws -> OutgoingMessage {
        var outgoing = OutgoingMessage(message, try PropertyListMessage.encode(message))
        for _ in 0..<pieces {
            let piece = outgoing.pieces.next(limit: 512)
            outgoing.pieces.advance(past: piece)
        }
        return outgoing
    }

    // MARK: Responses

    @Test("A refused message is written once more where all its pieces were, and only the error of a lost piece came")
    func refusals() throws {
        typealias Row = (message: [String: String], pieces: Int, isCareful: Bool, mayRepeat: Bool)
        let rows: [Row] = [
            (Self.long, 2, false, true), (Self.long, 2, true, false), (Self.long, 1, false, false),
            (Self.long, 1, true, false), (Self.short, 1, false, false), (Self.short, 1, true, false),
        ]
        for row in rows {
            for code in [CBATTError.Code.unlikelyError, .invalidPdu, .insufficientResources] {
                let scene = try CentralScene(in: "idle")
                let manager = scene.manager
                var message = try self.outgoing(row.message, pieces: row.pieces)
                message.isCareful = row.isCareful
                manager.waiting = [message]
                manager.awaitsConfirmation = true
                manager.didWrite(CBATTError(code))
                let isRepeated = row.mayRepeat && code == .unlikelyError
                let words: Comment = "\(row.pieces) \(row.isCareful) \(code)"
                #expect(!manager.awaitsConfirmation && manager.timer == nil, words)
                #expect(manager.waiting.map(\.isCareful) == (isRepeated ? [true] : []), words)
                #expect(manager.waiting.map(\.pieces.pieceCount) == (isRepeated ? [0] : []), words)
                #expect(scene.listener.errors == (isRepeated ? [] : [.refused(code)]), words)
                #expect(scene.listener.sent.isEmpty, words)
            }
        }
    }

    @Test("A message is delivered when its last piece is confirmed, and not before")
    func confirmations() throws {
        for (message, pieces, isDelivered) in [
            (Self.long, 1, false), (Self.long, 2, true), (Self.short, 1, true),
        ] {
            let scene = try CentralScene(in: "idle")
            let manager = scene.manager
            manager.waiting = [try self.outgoing(message, pieces: pieces), try self.outgoing(Self.short, pieces: 0)]
            manager.awaitsConfirmation = true
            manager.didWrite(nil)
            #expect(!manager.awaitsConfirmation && scene.listener.errors.isEmpty)
            #expect(scene.listener.sent == (isDelivered ? [message] : []))
            #expect(manager.waiting.map(\.pieces.pieceCount) == (isDelivered ? [0] : [pieces, 0]))
        }
    }

    @Test("A response that nothing waits for is of no concern")
    func unawaited() throws {
        let errors: [(any Error)?] = [nil, CBATTError(.unlikelyError), CBATTError(.invalidPdu), CBError(.unknown)]
        for error in errors {
            for pieces in [1, 2] {
                let scene = try CentralScene(in: "idle")
                let manager = scene.manager
                manager.waiting = [try self.outgoing(Self.long, pieces: pieces)]
                manager.didWrite(error)
                #expect(manager.waiting.map(\.pieces.pieceCount) == [pieces])
                #expect(manager.waiting.map(\.isCareful) == [false] && manager.timer == nil)
                #expect(scene.listener.errors.isEmpty && scene.listener.sent.isEmpty)
            }
        }
    }

    @Test("A response counts while this peripheral is talked with")
    func responsesByStage() throws {
        let other = try CentralScene()
        for name in CentralScene.names + ["another"] {
            let scene = try CentralScene(in: name == "another" ? "talking" : name)
            let manager = scene.manager
            if name == "another" { manager.stage = scene.make("talking", with: other.peripheral) }
            manager.waiting = [try self.outgoing(Self.short, pieces: 1)]
            manager.awaitsConfirmation = true
            manager.peripheral(scene.peripheral, didWriteValueFor: scene.characteristic, error: nil)
            #expect(scene.listener.sent == (name == "talking" ? [Self.short] : []), "\(name)")
            #expect(manager.waiting.isEmpty == (name == "talking"), "\(name)")
            #expect(manager.awaitsConfirmation == (name != "talking"), "\(name)")
        }
    }

    // MARK: Writes

    @Test("What waits is written when the transmit queue has space, while there is a talk")
    func space() throws {
        for name in ["talking", "exploring", "idle"] {
            let scene = try CentralScene(in: name)
            let manager = scene.manager
            manager.waiting = [try self.outgoing(Self.short, pieces: 0)]
            manager.peripheralIsReady(toSendWriteWithoutResponse: scene.peripheral)
            let isWritten = name == "talking"
            #expect(scene.listener.calls == (isWritten ? ["didSendData"] : []), "\(name)")
            #expect(manager.awaitsConfirmation == isWritten && manager.waiting.count == 1)
            scene.testbed.run(.seconds(1))
            #expect(scene.speaker.received.map(\.message) == (isWritten ? [Self.short] : []))
            #expect(scene.listener.sent == (isWritten ? [Self.short] : []))
        }
    }

    @Test("Where the characteristic cannot be written every message that waits is reported, and none is kept")
    func unwritable() throws {
        let scene = try CentralScene()
        let uuid = CBUUID(string: BlueEarService.characteristicUUID)
        let mute = CBMutableCharacteristic(type: uuid, properties: .notify, value: nil, permissions: .readable)
        scene.manager.waiting = [
            try self.outgoing(Self.short, pieces: 0), try self.outgoing(Self.long, pieces: 0),
        ]
        scene.manager.stage = .talking(scene.peripheral, mute)
        scene.manager.write()
        #expect(scene.listener.errors == [.notAnEar, .notAnEar] && scene.manager.waiting.isEmpty)
        #expect(scene.listener.calls.isEmpty && scene.listener.sent.isEmpty && !scene.manager.awaitsConfirmation)
    }

    @Test("With services that change what is under way begins anew, or is gone, both ways", arguments: [true, false])
    func progress(keepsWaiting: Bool) throws {
        let scene = try CentralScene()
        let manager = scene.manager
        manager.keepsWaiting = keepsWaiting
        var message = try self.outgoing(Self.long, pieces: 2)
        message.isCareful = true
        manager.waiting = [message, try self.outgoing(Self.short, pieces: 0)]
        manager.awaitsConfirmation = true
        _ = manager.assembler.receive(Data([0xBE, 0, 0, 0, 3, 0, 0, 0, 0, 1, 2]))
        #expect(manager.assembler.isCollecting)
        let service = try #require(scene.peripheral.services?.first)
        manager.peripheral(scene.peripheral, didModifyServices: [service])
        #expect(scene.listener.errors == [.incomplete] && scene.listener.ended == 1)
        #expect(!manager.assembler.isCollecting && !manager.awaitsConfirmation)
        #expect(manager.waiting.map(\.pieces.pieceCount) == (keepsWaiting ? [0, 0] : []))
        manager.forgetProgress()
        #expect(scene.listener.errors == [.incomplete])
    }

    @Test("Who begins anew does not leave before a message came on the new link, whatever came on an earlier one")
    func leavingOnTheSecondLink() throws {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let listener = testbed.listener { $0.stays = true }
        #expect(testbed.run { listener.sent == [["Yo": "Lo"]] })
        listener.manager.leaveWhenDone()
        #expect(testbed.run { listener.isFinished })
        speaker.manager.message = nil
        listener.isFinished = false
        listener.scan()
        #expect(testbed.run { listener.begun == 2 })
        listener.manager.leaveWhenDone()
        testbed.run(.seconds(5))
        #expect(!listener.isFinished && listener.ended == 1)
        try speaker.manager.send(["now": "go"])
        #expect(testbed.run { listener.isFinished })
        #expect(listener.received.last == ["now": "go"] && listener.sent.count == 2 && listener.ended == 2)
    }

    // MARK: Peripherals

    @Test("A peripheral is spoken of by the name that it advertised, and any other by its own")
    func names() throws {
        let scene = try CentralScene()
        let manager = scene.manager
        let own = scene.peripheral.name ?? ""
        #expect(own != "Advertised")
        manager.advertisedName = "Advertised"
        #expect(manager.name(of: scene.peripheral) == "Advertised")
        manager.advertisedName = nil
        #expect(manager.name(of: scene.peripheral) == own)
        manager.advertisedName = "Advertised"
        manager.discoveredPeripheral = nil
        #expect(manager.name(of: scene.peripheral) == own)
    }

    @Test("A link to another peripheral than the one that is talked with is closed, and nothing is reported")
    func strayLink() throws {
        let scene = try CentralScene()
        let other = try CentralScene()
        scene.manager.discoveredPeripheral = other.peripheral
        scene.manager.stage = scene.make("talking", with: other.peripheral)
        scene.manager.centralManager(scene.central, didConnect: scene.peripheral)
        scene.testbed.run(.seconds(1))
        #expect(scene.peripheral.state == .disconnected && scene.stage == "talking")
        #expect(scene.listener.calls.isEmpty && scene.listener.ended == 0)
    }

    @Test("Of the peripherals that come back with the state the first is the one to talk with, and all are reported")
    func restored() throws {
        let scene = try CentralScene()
        let other = try CentralScene()
        let manager = scene.manager
        let key = CBCentralManagerRestoredStatePeripheralsKey
        let states: [(dict: [String: Any], peripherals: [CBPeripheral])] = [
            ([:], []), ([key: [CBPeripheral]()], []), ([key: [scene.peripheral]], [scene.peripheral]),
            ([key: [other.peripheral, scene.peripheral]], [other.peripheral, scene.peripheral]),
        ]
        for (dict, peripherals) in states {
            let ear = RestoredEar()
            manager.blueEar = ear
            manager.discoveredPeripheral = nil
            manager.remembered = nil
            peripherals.first?.delegate = nil
            manager.centralManager(scene.central, willRestoreState: dict)
            #expect(ear.restored == [peripherals.map(\.identifier)])
            #expect(manager.discoveredPeripheral === peripherals.first)
            #expect(manager.remembered === peripherals.first)
            if let first = peripherals.first { #expect(first.delegate === manager) }
        }
    }
}
