import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("With the article's apps")
struct ArticleTests {
    private let testbed = Testbed()

    @Test(
        "talks to the article's central, which subscribes or reads, and writes in either way",
        arguments: [false, true]
    )
    func articleCentral(reads: Bool) {
        let speaker = testbed.speaker()
        let central = ArticleCentral(on: testbed.adapter())
        central.reads = reads
        #expect(testbed.run { central.hasDisconnected })
        #expect(central.received == [["Hello": "Darkness"]])
        #expect(central.writes == [nil])
        #expect(speaker.received.map(\.message) == [["Yo": "Lo"]])
        #expect(speaker.errors.isEmpty)
        let other = ArticleCentral(on: testbed.adapter())
        (other.reads, other.type) = (reads, .withoutResponse)
        #expect(testbed.run { speaker.received.count == 2 })
        #expect(speaker.received.last?.message == ["Yo": "Lo"])
    }

    @Test("talks to the article's peripheral")
    func articlePeripheral() {
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

    @Test("repeats a message after a lost piece, with responses")
    func lostPieces() throws {
        let (speaker, listener) = testbed.conversation()
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
