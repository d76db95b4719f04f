import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("With the article's apps")
struct ArticleTests {
    @Test("talks to the article's central, which subscribes or reads", arguments: [false, true])
    func articleCentral(reads: Bool) {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let central = ArticleCentral(on: testbed.adapter())
        central.reads = reads
        #expect(testbed.run { central.hasDisconnected })
        #expect(central.received == [["Hello": "Darkness"]])
        #expect(central.writes == [nil])
        #expect(speaker.received.map(\.message) == [["Yo": "Lo"]])
        #expect(speaker.errors.isEmpty)
    }

    @Test("talks to the article's peripheral")
    func articlePeripheral() {
        let testbed = Testbed()
        let peripheral = ArticlePeripheral(on: testbed.adapter())
        let listener = testbed.listener()
        #expect(testbed.run { listener.isFinished })
        #expect(listener.received == [["Hello": "Darkness"]])
        #expect(peripheral.received == [["Yo": "Lo"]])
        #expect(peripheral.misunderstood == 0)
        #expect(listener.errors.isEmpty)
    }

    @Test(
        "writes as the characteristic permits, and rejects one that cannot be written",
        arguments: [([.write], true), ([.writeWithoutResponse], true), ([], false)]
            as [(CBCharacteristicProperties, Bool)]
    )
    func properties(writing: CBCharacteristicProperties, isHeard: Bool) {
        let testbed = Testbed()
        let peripheral = ArticlePeripheral(on: testbed.adapter(), properties: writing.union([.read, .notify]))
        let listener = testbed.listener { $0.stays = true }
        #expect(testbed.run { !peripheral.received.isEmpty || !listener.errors.isEmpty })
        #expect(listener.received == [["Hello": "Darkness"]])
        #expect(peripheral.received == (isHeard ? [["Yo": "Lo"]] : []))
        #expect(listener.errors == (isHeard ? [] : [.notAnEar]))
    }

    @Test("sends one plain property list up to the longest value, and pieces beyond")
    func border() throws {
        for mtu in [100, 185, 517] {
            let testbed = Testbed()
            let peripheral = ArticlePeripheral(on: testbed.adapter(mtu: mtu))
            let listener = testbed.listener(nil) { $0.stays = true }
            #expect(testbed.run { listener.begun == 1 })
            var generator = SeededNumbers(UInt64(mtu))
            let border = min(mtu - 3, 512)
            let fits = message(of: border, &generator)
            #expect(try BlueEarService.length(of: fits) == border)
            try listener.manager.send(fits)
            #expect(testbed.run { peripheral.received == [fits] })
            try listener.manager.send(message(of: border + 1, &generator))
            #expect(testbed.run { peripheral.misunderstood == 2 })
            #expect(peripheral.received.count == 1)

            let other = Testbed()
            let speaker = other.speaker(fits, mtu: mtu)
            let central = ArticleCentral(on: other.adapter())
            central.leaves = false
            #expect(other.run { central.received == [fits] })
            try speaker.manager.send(message(of: border + 1, &generator))
            #expect(other.run { central.misunderstood == 2 })
        }
    }

    @Test("accepts a write without response")
    func writeWithoutResponse() {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let central = ArticleCentral(on: testbed.adapter())
        central.type = .withoutResponse
        #expect(testbed.run { speaker.received.map(\.message) == [["Yo": "Lo"]] })
    }

    @Test("refuses malformed lists from a central, and accepts the next one")
    func malformedUp() throws {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let central = ArticleCentral(on: testbed.adapter())
        central.leaves = false
        #expect(testbed.run { speaker.received.count == 1 })
        let lists: [Data] = [
            Data(), Data("bplist00".utf8), Data([0xBF, 1, 2]), Data([0xBE]), Data(repeating: 0xFF, count: 100),
            try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0),
            try PropertyListSerialization.data(fromPropertyList: ["a": "b"], format: .xml, options: 0),
        ]
        for list in lists {
            central.write(list)
            #expect(testbed.run { central.writes.count == speaker.errors.count + 1 })
        }
        #expect(speaker.errors.count == lists.count)
        #expect(central.writes.dropFirst().allSatisfy { $0 == .invalidPdu || $0 == .unlikelyError })
        #expect(speaker.received.count == 1)
        central.write(try PropertyListMessage.encode(["Still": "there"]))
        #expect(testbed.run { speaker.received.last?.message == ["Still": "there"] })
    }

    @Test(
        "refuses random values from a central, and accepts the next message",
        arguments: simulationSeeds(2)
    )
    func fuzzUp(seed: UInt64) throws {
        var generator = SeededNumbers(seed)
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let central = ArticleCentral(on: testbed.adapter())
        central.leaves = false
        #expect(testbed.run { central.writes.count == 1 })
        for count in 2...200 {
            central.write(broken(&generator))
            #expect(testbed.run { central.writes.count == count })
        }
        central.write(try PropertyListMessage.encode(["Still": "there"]))
        #expect(testbed.run { speaker.received.last?.message == ["Still": "there"] })
    }

    @Test(
        "reports random values from a peripheral, and answers as the article does",
        arguments: simulationSeeds(20)
    )
    func fuzzDown(seed: UInt64) {
        var generator = SeededNumbers(seed)
        let testbed = Testbed()
        let peripheral = ArticlePeripheral(on: testbed.adapter())
        var value = broken(&generator)
        // A first piece without another is a silent peripheral, see LostLinkTests.
        if value.first == 0xBE { value = Data("{a = b;}".utf8) }
        peripheral.hello = value
        let listener = testbed.listener()
        #expect(testbed.run { listener.isFinished })
        #expect(listener.received.count + listener.errors.count == 1)
        #expect(peripheral.received == [["Yo": "Lo"]])
    }

    /// A value that is a message, or was one before something happened to it.
    private func broken(_ generator: inout SeededNumbers) -> Data {
        var data = list(["Hello": "Darkness", "Wide": "é☂"])
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: 0..<data.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: data[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: data = Data(data.prefix(index + 1))
            case 2: data[0] = UInt8.random(in: 0xBD...0xC0, using: &generator)
            case 3: data[data.count - 1 - index % min(32, data.count)] = UInt8.random(in: 0...255, using: &generator)
            default: data.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            }
        }
        return data
    }

    @Test("repeats a message after a lost piece, with responses")
    func lostPieces() throws {
        let testbed = Testbed()
        let speaker = testbed.speaker(nil)
        let listener = testbed.listener(nil) { $0.stays = true }
        #expect(testbed.run { listener.begun == 1 })
        var values = 0
        speaker.onCall = { name in
            guard name == "didReceiveWrite requests" else { return }
            values += 1
            if values == 3 { speaker.manager.peers[0].assembler = MessageAssembler() }
        }
        var generator = SeededNumbers(8)
        let long = message(of: 5_000, &generator)
        try listener.manager.send(long)
        #expect(testbed.run { listener.sent == [long] })
        #expect(speaker.received.map(\.message) == [long])
        #expect(speaker.errors == [.incomplete])
        #expect(listener.errors.isEmpty)
    }
}
