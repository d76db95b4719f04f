// Which packets of a controller do not reach the host of a device that does not respond: frames that begin with an ATT
// request or command (Vol 3, Part F, 3.4.8), and no others. And what comes of a controller that has failed or was
// closed.

import BluetoothHCI
import CoreBluetooth
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Packets of an unresponsive device")
struct UnresponsiveRequestsTests {
    /// Notes what comes of a channel.
    private final class Notes: HCIChannelReceiver {
        private(set) var packets: [[UInt8]] = []
        private(set) var ends: [String] = []
        private(set) var batchCount = 0

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            self.packets.append(Array(packet.bytes.readableBytesView))
        }

        func channelDidFinishBatch(_ channel: any HCIChannel) { self.batchCount += 1 }

        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) { self.ends.append(reason) }
    }

    /// An ACL data packet with one L2CAP frame, or with the rest of one.
    private static func data(boundary: UInt8 = 0b10, channel: UInt8 = 0x04, _ payload: [UInt8]) -> [UInt8] {
        let frame = [UInt8(payload.count), 0x00, channel, 0x00] + payload
        return [0x02, 0x40, boundary << 4, UInt8(frame.count), 0x00] + frame
    }

    private static let event: [UInt8] = [0x04, 0xFF, 0x01, 0x00]

    @Test("An unresponsive device takes no ATT request and no command, and all else; a responsive one takes all")
    func requests() {
        let rows: [(packet: [UInt8], isRequest: Bool)] = [
            // Exchange MTU, Read, Write, Prepare Write, Execute Write, Read Multiple Variable.
            (Self.data([0x02, 0x17, 0x00]), true), (Self.data([0x0A, 0x03, 0x00]), true),
            (Self.data([0x12, 0x03, 0x00, 0x01]), true), (Self.data([0x16, 0x03, 0x00, 0x00, 0x00]), true),
            (Self.data([0x18, 0x01]), true), (Self.data([0x20, 0x03, 0x00, 0x05, 0x00]), true),
            // The commands Write and Signed Write.
            (Self.data([0x52, 0x03, 0x00, 0x01]), true), (Self.data([0xD2, 0x03, 0x00, 0x01]), true),
            // Error, Read and Write Response, Notification, Indication, Confirmation, Multiple Notifications.
            (Self.data([0x01, 0x0A, 0x03, 0x00, 0x0A]), false), (Self.data([0x0B, 0x01]), false),
            (Self.data([0x13]), false), (Self.data([0x1B, 0x03, 0x00, 0x01]), false),
            (Self.data([0x1D, 0x03, 0x00, 0x01]), false), (Self.data([0x1E]), false),
            (Self.data([0x23, 0x03, 0x00, 0x01, 0x00, 0x07]), false),
            // The first fragment of a frame, not flushable, and a continuing one.
            (Self.data(boundary: 0b00, [0x0A, 0x03, 0x00]), true),
            (Self.data(boundary: 0b01, [0x0A, 0x03, 0x00]), false),
            // LE signalling, the Security Manager, a channel with credits.
            (Self.data(channel: 0x05, [0x0A, 0x03, 0x00]), false),
            (Self.data(channel: 0x06, [0x0A, 0x03, 0x00]), false),
            (Self.data(channel: 0x40, [0x0A, 0x03, 0x00]), false),
            // A frame of nothing, the beginning of a header, an event.
            (Self.data([]), false), ([0x02, 0x40, 0x20, 0x03, 0x00, 0x03, 0x00, 0x04], false), (Self.event, false),
        ]
        for (number, row) in rows.enumerated() {
            for isUnresponsive in [true, false] {
                let world = World(seed: 1)
                let phone = world.addDevice("phone")
                let (channel, notes) = (phone.makeChannel(), Notes())
                channel.start(receiver: notes)
                phone.isUnresponsive = isUnresponsive
                channel.channel(channel, didReceive: HCIPacket(h4: ByteBuffer(bytes: row.packet)))
                #expect(notes.packets == (isUnresponsive && row.isRequest ? [] : [row.packet]), "\(number)")
                // It has come all the same.
                #expect(world.trace.includingHCI.of("phone").count { $0.direction == .received } == 1)
                withExtendedLifetime((channel, notes)) {}
            }
        }
    }

    @Test("The end of a batch reaches the host of an unresponsive device")
    func batches() {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let (channel, notes) = (phone.makeChannel(), Notes())
        channel.start(receiver: notes)
        phone.isUnresponsive = true
        channel.channelDidFinishBatch(channel)
        #expect(notes.batchCount == 1)
        withExtendedLifetime((world, channel, notes)) {}
    }

    @Test("A controller that has failed says so once, and nothing more comes of it")
    func failed() {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let (channel, notes) = (phone.makeChannel(), Notes())
        channel.start(receiver: notes)
        phone.resetController()
        phone.resetController()
        channel.channel(channel, didReceive: HCIPacket(h4: ByteBuffer(bytes: Self.event)))
        channel.channelDidFinishBatch(channel)
        world.advance(by: .seconds(1))
        #expect(notes.ends == ["the controller of phone failed"] && notes.packets.isEmpty && notes.batchCount == 0)
        #expect(world.trace.of("phone", .world).map(\.text) == ["its controller fails", "its controller fails"])
        withExtendedLifetime((channel, notes)) {}
    }

    @Test("A channel that was closed brings nothing more, not even its end")
    func closed() {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let (channel, notes) = (phone.makeChannel(), Notes())
        channel.start(receiver: notes)
        channel.close()
        channel.channel(channel, didReceive: HCIPacket(h4: ByteBuffer(bytes: Self.event)))
        channel.channel(channel, didCloseBecause: "of the test")
        channel.channelDidFinishBatch(channel)
        world.advance(by: .seconds(1))
        #expect(notes.ends.isEmpty && notes.packets.isEmpty && notes.batchCount == 0)
        withExtendedLifetime((channel, notes)) {}
    }
}
