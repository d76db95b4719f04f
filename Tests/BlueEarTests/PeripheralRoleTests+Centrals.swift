import Foundation
import Testbed
import Testing

@testable import BlueEar
@testable import CoreBluetooth

@Suite("The centrals of a peripheral")
struct ListeningCentralsTests {
    private let testbed = Testbed()
    private let message = ["a": "b"]

    /// A central that no link is to.
    private func central(_ identifier: UUID = UUID()) -> CBCentral {
        CBCentral(identifier: identifier, lock: ObjectLock())
    }

    /// A peripheral that sends nothing, so that messages stay in the queue.
    private func speaker(_ message: [String: String]? = nil) -> Speaker {
        let speaker = self.testbed.speaker(message)
        speaker.manager.isHandingOver = true
        return speaker
    }

    /// A central that listens, for which so many messages wait.
    private func listening(_ speaker: Speaker, waiting count: Int) throws -> ListeningCentral {
        let peer = speaker.manager.peer(for: self.central())
        peer.isSubscribed = true
        let data = try PropertyListMessage.encode(self.message)
        for _ in 0..<count { peer.waiting.append((message: self.message, pieces: MessagePieces(data))) }
        return peer
    }

    @Test("recognizes a central unless Core Bluetooth has made another object for it")
    func known() {
        let manager: PeripheralRole.BluetoothManager = self.speaker().manager
        let identifier = UUID()
        let (first, second) = (self.central(identifier), self.central(identifier))
        let peer = manager.peer(for: first)
        #expect(manager.peer(for: first) === peer && manager.peers.count == 1)
        let next = manager.peer(for: second)
        #expect(next !== peer && next.central === second && manager.peers.count == 1)
        next.isSubscribed = true
        #expect(manager.peer(for: first) === next && manager.peer(for: second) === next)
        #expect(manager.peers.count == 1 && manager.listeners == [identifier])
    }

    @Test("forgets the oldest central that does not listen beyond the limit")
    func silent() throws {
        let speaker = self.speaker()
        let manager: PeripheralRole.BluetoothManager = speaker.manager
        let subscribed = try self.listening(speaker, waiting: 0)
        let limit = ListeningCentral.maximumSilent
        let silent = (0..<limit).map { _ in manager.peer(for: self.central()) }
        #expect(manager.peers.count == limit + 1 && manager.peers.first === subscribed)
        let last = manager.peer(for: self.central())
        #expect(manager.peers.count == limit + 1 && manager.peers.first === subscribed)
        #expect(!manager.peers.contains { $0 === silent[0] } && manager.peers.contains { $0 === silent[1] })
        #expect(manager.peers.last === last)
    }

    @Test("refuses a message to a central that does not listen, or for which 64 wait")
    func sendingToOne() throws {
        let speaker = self.speaker()
        let manager: PeripheralRole.BluetoothManager = speaker.manager
        let limit = BlueEarService.maximumWaitingMessages
        let peer = try self.listening(speaker, waiting: limit - 1)
        let silent = manager.peer(for: self.central())
        for identifier in [UUID(), silent.identifier] {
            #expect(throws: BlueEarError.nobodyThere) { try manager.send(self.message, to: identifier) }
        }
        #expect(silent.waiting.isEmpty && peer.waiting.count == limit - 1)
        try manager.send(["last": "one"], to: peer.identifier)
        #expect(peer.waiting.count == limit && peer.waiting.last?.message == ["last": "one"])
        #expect(throws: BlueEarError.busy) { try manager.send(self.message, to: peer.identifier) }
        #expect(peer.waiting.count == limit && manager.lastMessage == nil && speaker.errors.isEmpty)
    }

    @Test("sends to all that listen, and reports one for which 64 messages wait")
    func sendingToAll() throws {
        let speaker = self.speaker()
        let manager: PeripheralRole.BluetoothManager = speaker.manager
        let limit = BlueEarService.maximumWaitingMessages
        let peers = try [limit, 0, limit - 1].map { try self.listening(speaker, waiting: $0) }
        let silent = manager.peer(for: self.central())
        try manager.send(["to": "all"])
        #expect(speaker.errors == [.busy])
        #expect(peers.map(\.waiting.count) == [limit, 1, limit] && silent.waiting.isEmpty)
        let data = try PropertyListMessage.encode(["to": "all"])
        #expect(manager.lastMessage == data)
    }

    @Test("reads a long message in pieces, again and again")
    func readingInPieces() {
        let peer = ListeningCentral(self.central())
        let short = Data(repeating: 0x62, count: 512)
        let (long, other) = (Data(repeating: 0x62, count: 600), Data(repeating: 0x63, count: 600))
        #expect(peer.readableValue(of: short, isBegin: false).isEmpty)
        for _ in 0..<2 { #expect(peer.readableValue(of: short, isBegin: true) == short) }
        var pieces = MessagePieces(long)
        let first = pieces.next(limit: 512)
        pieces.advance(past: first)
        let second = pieces.next(limit: 512)
        #expect(first.count == 512 && second.count == 99)
        for _ in 0..<2 {
            #expect(peer.readableValue(of: long, isBegin: true) == first)
            #expect(peer.readableValue(of: long, isBegin: false) == first)
            #expect(peer.readableValue(of: long, isBegin: true) == second)
            // The later parts of a long read go on with the value that it began with.
            #expect(peer.readableValue(of: other, isBegin: false) == second)
        }
        #expect(peer.readableValue(of: long, isBegin: true) == first)
        #expect(peer.readableValue(of: other, isBegin: true) == MessagePieces(other).next(limit: 512))
        #expect(peer.readableValue(of: long, isBegin: true) == first)
        #expect(ListeningCentral(self.central()).readableValue(of: long, isBegin: true) == first)
    }

    @Test("reads the last message to the central, to all, or the first message")
    func readableValue() throws {
        let manager: PeripheralRole.BluetoothManager = self.speaker().manager
        let central = self.central()
        func read() -> Data { manager.readableValue(for: central, isBegin: true) }
        #expect(read().isEmpty)
        manager.message = self.message
        let data = try PropertyListMessage.encode(self.message)
        #expect(read() == data)
        manager.lastMessage = Data("to all".utf8)
        #expect(read() == Data("to all".utf8))
        manager.peer(for: central).lastMessage = Data("to one".utf8)
        #expect(read() == Data("to one".utf8))
        #expect(manager.readableValue(for: self.central(), isBegin: true) == Data("to all".utf8))
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
            let central = self.central()
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
