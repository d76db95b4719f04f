import BluetoothAir
import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("Conversations")
struct ConversationTests {
    private let testbed = Testbed()

    @Test("plays the article's exchange, callback by callback")
    func exchange() {
        let speaker = testbed.speaker()
        let listener = testbed.listener()
        #expect(testbed.run { listener.isFinished && !speaker.ended.isEmpty })
        #expect(
            listener.calls
                == [
                    "didStartConfiguration", "didStartScanningPeripherals", "didConnectPeripheral", "didReceiveData",
                    "didSendData", "didDisconnectPeripheral",
                ]
        )
        #expect(
            speaker.calls == ["didStartConfiguration", "didStartAdvertising", "didSendData", "didReceiveData"]
        )
        #expect(listener.received == [["Hello": "Darkness"]])
        #expect(speaker.received.map(\.message) == [["Yo": "Lo"]])
        #expect(listener.sent == [["Yo": "Lo"]])
        #expect(speaker.begun == speaker.ended)
        #expect(speaker.errors.isEmpty && listener.errors.isEmpty)
        #expect(listener.manager.centralManager?.isScanning == false)
        testbed.run(.seconds(30))
        #expect(listener.received.count == 1)
    }

    @Test(
        "exchanges messages of 1 octet to 64 KiB at every MTU",
        arguments: [23, 24, 48, 185, 247, 517]
    )
    func lengths(mtu: Int) {
        let (speaker, listener) = testbed.conversation(mtu: mtu)
        var generator = SeededNumbers(UInt64(mtu))
        let around = [mtu - 4, mtu - 3, mtu - 2, mtu + 8, 2 * mtu]
        let messages = ([1, 60, 100, 511, 512, 513, 5_000] + around + (mtu == 23 ? [20_000] : [65_536]))
            .map { message(of: $0, &generator) }
        for (index, message) in messages.enumerated() {
            #expect(throws: Never.self) { try speaker.manager.send(message) }
            #expect(throws: Never.self) { try listener.manager.send(message) }
            #expect(testbed.run { listener.received.count == index + 1 && speaker.received.count == index + 1 })
            #expect(testbed.run { listener.sent.count == index + 1 && speaker.sent.count == index + 1 })
        }
        #expect(listener.received == messages)
        #expect(speaker.received.map(\.message) == messages)
        #expect(speaker.errors.isEmpty && listener.errors.isEmpty)
    }

    @Test("sends waiting messages in order, and refuses more than 64")
    func order() throws {
        let testbed = Testbed(settings: .realistic)
        let (speaker, listener) = testbed.conversation(mtu: 23)
        let limit = BlueEarService.maximumWaitingMessages
        let messages = (0..<limit).map { ["\($0)": String(repeating: "x", count: 100)] }
        for message in messages { try listener.manager.send(message) }
        #expect(throws: BlueEarError.busy) { try listener.manager.send(["one": "more"]) }
        #expect(testbed.run { speaker.received.count == limit })
        #expect(speaker.received.map(\.message) == messages)
        let peer = try #require(speaker.begun.first)
        // Some of them fit into the transmit queue at once.
        var count = 0
        while (try? speaker.manager.send(["\(count)": String(repeating: "y", count: 100)], to: peer)) != nil {
            count += 1
        }
        #expect(count >= limit)
        #expect(speaker.manager.peers.map(\.waiting.count) == [limit])
        #expect(testbed.run { listener.received.count == count })
        #expect(listener.received.map { $0.keys.first } == (0..<count).map { "\($0)" })
    }

    @Test(
        "repeats a refused message only if it is in pieces and the error may mean a lost piece",
        // A first piece without response and a second one with; when repeated, the first one is already refused.
        arguments: [
            (CBATTError.Code.unlikelyError, 600, 3), (.invalidPdu, 600, 2), (.insufficientResources, 600, 2),
            (.unlikelyError, 1, 1),
        ]
    )
    func refusals(code: CBATTError.Code, length: Int, writeCount: Int) throws {
        let ear = ArticlePeripheral(on: testbed.adapter())
        (ear.isSilent, ear.result) = (true, code)
        let listener = testbed.listener(nil) { $0.stays = true }
        #expect(testbed.run { listener.begun == 1 })
        try listener.manager.send(["k": String(repeating: "x", count: length)])
        #expect(testbed.run { !listener.errors.isEmpty })
        testbed.run(.seconds(5))
        #expect(ear.writeCount == writeCount && listener.errors.count == 1)
        #expect(listener.sent.isEmpty && listener.manager.waiting.isEmpty)
    }

    @Test("sends inside callbacks, and leaves when everything is delivered")
    func staying() throws {
        let speaker = testbed.speaker()
        speaker.onReceive = { message, peer in
            guard let number = message["ping"] else { return }
            try? speaker.manager.send(["pong": number], to: peer)
        }
        let listener = testbed.listener { $0.stays = true }
        var count = 0
        listener.onReceive = { message in
            guard count < 20 else { return }
            count += 1
            try? listener.manager.send(["ping": "\(count)"])
        }
        #expect(testbed.run { listener.received.count == 21 })
        #expect(listener.received == [["Hello": "Darkness"]] + (1...20).map { ["pong": "\($0)"] })
        #expect(speaker.received.map(\.message).contains(["Yo": "Lo"]))
        #expect(!listener.isFinished)
        try listener.manager.send(["last": String(repeating: "x", count: 3000)])
        listener.manager.leaveWhenDone()
        #expect(!listener.isFinished)
        #expect(testbed.run { listener.isFinished })
        #expect(speaker.received.last?.message["last"]?.count == 3000)
        #expect(speaker.errors.isEmpty && listener.errors.isEmpty)
        listener.isFinished = false
        listener.manager.stays = false
        listener.manager.scan()
        #expect(testbed.run { listener.isFinished })
        #expect(listener.received.last == ["Hello": "Darkness"])
    }

    @Test("reads the last message, of any length", arguments: [10, 512, 513, 65_536])
    func reading(length: Int) throws {
        let speaker = testbed.speaker()
        var generator = SeededNumbers(UInt64(length))
        let last = message(of: length, &generator)
        let first = testbed.listener { $0.reads = true }
        #expect(testbed.run { first.isFinished })
        #expect(first.received == [["Hello": "Darkness"]])
        try speaker.manager.send(last)
        let second = testbed.listener { $0.reads = true }
        #expect(testbed.run { second.isFinished })
        #expect(second.received == [last])
        #expect(speaker.begun.isEmpty)
        #expect(speaker.received.map(\.message) == [["Yo": "Lo"], ["Yo": "Lo"]])
        // The first one starts reading again.
        first.isFinished = false
        first.manager.scan()
        #expect(testbed.run { first.isFinished })
        #expect(first.received.last == last)
        #expect(first.errors.isEmpty && second.errors.isEmpty && speaker.errors.isEmpty)
    }

    @Test("finds the beginning of a message when a read begins in the middle")
    func readingFromTheMiddle() throws {
        let speaker = testbed.speaker(nil)
        var generator = SeededNumbers(5)
        let long = message(of: 5_000, &generator)
        try speaker.manager.send(long)
        let listener = testbed.listener { $0.reads = true }
        // The power fails after the third piece.
        var values = 0
        listener.onCall = { name in
            guard name == "didUpdateValueFor" else { return }
            values += 1
            if values == 3 { testbed.world.after(.zero) { listener.adapter.setPowered(false) } }
        }
        testbed.run(.seconds(10))
        #expect(values >= 3 && listener.received.isEmpty)
        listener.adapter.setPowered(true)
        #expect(testbed.run { listener.isFinished })
        #expect(listener.received == [long])
    }

    @Test("connects only to a peripheral whose name it accepts", arguments: ["Alice", "Bob"])
    func names(name: String) {
        let speaker = testbed.speaker()
        speaker.manager.localName = name
        let listener = testbed.listener { $0.accepts = { $0 == "Alice" } }
        testbed.run(.seconds(10))
        #expect((listener.begun > 0) == (name == "Alice"))
    }
}
