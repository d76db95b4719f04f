import Foundation
import Testbed
import Testing

@testable import BlueEar
@testable import CoreBluetooth

@Suite("The centrals of a peripheral")
struct ListeningCentralsTests {
    private let testbed = Testbed()
    private let message = ["a": "b"]

    /// A peripheral that sends nothing, so that messages stay in the queue.
    private func speaker(_ message: [String: String]? = nil) -> Speaker {
        let speaker = self.testbed.speaker(message)
        speaker.manager.isHandingOver = true
        return speaker
    }

    /// A central that has subscribed, with a number of waiting messages.
    private func listening(_ speaker: Speaker, waiting count: Int) throws -> ListeningCentral {
        let peer = speaker.manager.peer(for: .unlinked())
        peer.isSubscribed = true
        let data = try PropertyListMessage.encode(self.message)
        for _ in 0..<count { peer.waiting.append((message: self.message, pieces: MessagePieces(data))) }
        return peer
    }

    @Test("forgets the oldest central without a subscription beyond the limit")
    func silent() throws {
        let speaker = self.speaker()
        let manager: PeripheralRole.BluetoothManager = speaker.manager
        let subscribed = try self.listening(speaker, waiting: 0)
        let limit = ListeningCentral.maximumSilent
        let silent = (0..<limit).map { _ in manager.peer(for: .unlinked()) }
        #expect(manager.peers.count == limit + 1 && manager.peers.first === subscribed)
        let last = manager.peer(for: .unlinked())
        #expect(manager.peers.count == limit + 1 && manager.peers.first === subscribed)
        #expect(!manager.peers.contains { $0 === silent[0] } && manager.peers.contains { $0 === silent[1] })
        #expect(manager.peers.last === last)
    }

    @Test("refuses a message to a central that has not subscribed, or for which 64 wait")
    func sendingToOne() throws {
        let speaker = self.speaker()
        let manager: PeripheralRole.BluetoothManager = speaker.manager
        let limit = BlueEarService.maximumWaitingMessages
        let peer = try self.listening(speaker, waiting: limit - 1)
        let silent = manager.peer(for: .unlinked())
        for identifier in [UUID(), silent.identifier] {
            #expect(throws: BlueEarError.nobodyThere) { try manager.send(self.message, to: identifier) }
        }
        #expect(silent.waiting.isEmpty && peer.waiting.count == limit - 1)
        try manager.send(["last": "one"], to: peer.identifier)
        #expect(peer.waiting.count == limit && peer.waiting.last?.message == ["last": "one"])
        #expect(throws: BlueEarError.busy) { try manager.send(self.message, to: peer.identifier) }
        #expect(peer.waiting.count == limit && manager.lastMessage == nil && speaker.errors.isEmpty)
    }

    @Test("sends to all subscribers, and reports one for which 64 messages wait")
    func sendingToAll() throws {
        let speaker = self.speaker()
        let manager: PeripheralRole.BluetoothManager = speaker.manager
        let limit = BlueEarService.maximumWaitingMessages
        let peers = try [limit, 0, limit - 1].map { try self.listening(speaker, waiting: $0) }
        let silent = manager.peer(for: .unlinked())
        try manager.send(["to": "all"])
        #expect(speaker.errors == [.busy])
        #expect(peers.map(\.waiting.count) == [limit, 1, limit] && silent.waiting.isEmpty)
        let data = try PropertyListMessage.encode(["to": "all"])
        #expect(manager.lastMessage == data)
    }

    @Test("answers a write at once, and reports it afterwards")
    func receiving() throws {
        let whole = try PropertyListMessage.encode(self.message)
        let first = Data([0xBE, 0, 0, 0, 3, 0, 0, 0, 0, 1, 2])
        typealias Row = (values: [Data], answers: [CBATTError.Code], errors: [BlueEarError], count: Int)
        let rows: [Row] = [
            ([whole, whole], [.success, .success], [], 2),
            ([Data("x".utf8), whole], [.invalidPdu, .success], [.malformed], 1),
            ([first, Data([0xBF, 1, 9])], [.success, .unlikelyError], [.incomplete], 0),
            ([Data([0xBF, 1, 9]), Data([0xBF, 2, 9])], [.unlikelyError, .unlikelyError], [.incomplete], 0),
            ([Data([0xBE, 1])], [.unlikelyError], [.malformed], 0),
            (
                [Data([0xBE, 0, 0x10, 0, 1, 0, 0, 0, 0, 1]), Data([0xBF, 1, 1])],
                [.invalidAttributeValueLength, .unlikelyError], [.tooLong(1_048_577)], 0
            ),
            ([first, whole], [.success, .success], [.incomplete], 1),
            ([first, first], [.success, .success], [.incomplete], 0),
        ]
        for row in rows {
            let speaker = self.speaker()
            let central = CBCentral.unlinked()
            let words: Comment = "\(row.answers) \(row.errors)"
            var answers: [CBATTError.Code] = []
            for value in row.values {
                let before = (speaker.errors.count, speaker.received.count, speaker.calls.count)
                let (answer, report) = speaker.manager.receive(value, from: central)
                answers.append(answer)
                #expect(before == (speaker.errors.count, speaker.received.count, speaker.calls.count), words)
                report()
            }
            #expect(answers == row.answers && speaker.errors == row.errors, words)
            let received = Exchanged(message: self.message, peer: central.identifier)
            #expect(speaker.received == Array(repeating: received, count: row.count), words)
            #expect(speaker.calls.count { $0 == "didReceiveData" } == row.count, words)
        }
    }
}
