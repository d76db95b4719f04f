// Data that arrives before the event of its link, as from a USB adapter.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Data before its event")
struct EarlyDataTests {
    private let testbed = HostTestbed.started()

    /// The peer's Exchange MTU Request.
    private func request(_ handle: UInt16 = 0x40) {
        self.testbed.receive(4, "02 B9 00", from: handle)
    }

    @Test(
        "answers data that preceded its link once the link exists, for 100 ms",
        arguments: [(0, true), (10, true), (99, true), (100, false)] as [(Int64, Bool)]
    )
    func beforeItsLink(time: Int64, isAnswered: Bool) {
        self.request()
        self.testbed.run(.milliseconds(time))
        #expect(self.testbed.takePayloads().isEmpty)
        _ = self.testbed.acceptLink(0x40)
        #expect(self.testbed.takePayloads() == (isAnswered ? ["03 05 02"] : []))
    }

    @Test("keeps the latest 16 packets of unknown handles, and gives a link only its own")
    func bounds() {
        self.request()
        for _ in 0..<15 { self.request(0x50) }
        _ = self.testbed.acceptLink(0x40)
        #expect(self.testbed.takePayloads().count == 1)
        self.request(0x41)
        for _ in 0..<16 { self.request(0x50) }
        _ = self.testbed.acceptLink(0x41)
        #expect(self.testbed.takePayloads().isEmpty)
    }

    @Test("drops late data of a link that has ended, which does not belong to the next peer", arguments: [99, 100])
    func afterTheEnd(time: Int64) {
        _ = self.testbed.acceptLink(0x40)
        self.testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        self.testbed.run(.milliseconds(time))
        self.request()
        _ = self.testbed.acceptLink(0x40)
        #expect(self.testbed.takePayloads().isEmpty == (time < 100))
    }

    @Test("drops data at the end of the controller")
    func nextController() {
        self.request()
        let next = self.testbed.attachAnother()
        next.connect(0x40, peer: HostTestbed.peers[0], role: .peripheral)
        self.testbed.run()
        #expect(next.takeData().isEmpty)
    }

    @Test("pairs with a peer, and reads from a bonded one, while data overtakes events", arguments: [5, 40])
    func overtaken(delay: Int64) throws {
        let loop = EmbeddedEventLoop()
        let air = Air(eventLoop: loop, settings: .instant, seed: 1)
        let central = BondedHost(1, on: air, isPrivate: false, eventDelay: .milliseconds(delay))
        let peripheral = BondedHost(2, on: air, isPrivate: false, eventDelay: .milliseconds(delay))
        loop.advanceTime(by: .seconds(2))
        let value = try peripheral.host.addService(
            GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [
                    GATTCharacteristicDefinition(
                        uuid: 0xA001,
                        properties: .read,
                        permissions: .readEncryptionRequired,
                        value: hex("2A")
                    )
                ]
            )
        ).characteristics[0].value
        peripheral.advertise()
        let address = try #require(peripheral.host.address)
        for _ in 0..<2 {
            central.host.connect(to: address)
            loop.advanceTime(by: .seconds(2))
            let link = try #require(central.link)
            var values: [Result<ByteBuffer, GATTError>] = []
            central.host.perform(ReadValue(value), on: link) { values.append($0) }
            loop.advanceTime(by: .seconds(5))
            #expect(values.map { try? $0.get() } == [hex("2A")])
            #expect(central.pairings.count == 1 && peripheral.pairings.count == 1)
            central.host.disconnect(link)
            loop.advanceTime(by: .seconds(2))
        }
    }
}
