// The decoders, which read octets without devices.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import NIOCore

@testable import BlueEar

/// The readers.
enum Decoders {
    /// Feeds the reader that the first octet names.
    static func run(_ input: Input) {
        switch (input.next() ?? 0) % 6 {
        case 0: self.frame(input, .host)
        case 1: self.frame(input, .controller)
        case 2:
            let data = AdvertisingData(parsing: ByteBuffer(bytes: input.takeRest()))
            // A decoded value can be encoded and decoded again.
            precondition(AdvertisingData(parsing: data.bytes).elements == data.elements, "it is read otherwise")
            for element in data.elements { _ = "\(element)" }
        case 3:
            guard let message = PropertyListMessage.decode(Data(input.takeRest())) else { return }
            let again = (try? PropertyListMessage.encode(message)).flatMap(PropertyListMessage.decode)
            precondition(again == message, "it is read otherwise")
        case 4:
            var assembly = MessageAssembler()
            while !input.isOver { _ = assembly.receive(Data(input.takeCounted())) }
        default:
            self.describe(input)
        }
    }

    /// A stream in parts, and each of its packets.
    private static func frame(_ input: Input, _ sender: H4Framer.Sender) {
        var framer = H4Framer(readingFrom: sender)
        while !input.isOver {
            framer.append(ByteBuffer(bytes: input.takeCounted()))
            while true {
                do {
                    guard let packet = try framer.next() else { break }
                    self.read(packet)
                } catch {
                    continue
                }
            }
        }
    }

    private static func read(_ packet: HCIPacket) {
        _ = packet.description
        switch packet.kind {
        case .event: _ = try? HCIEvent(packet)
        case .aclData: _ = try? packet.aclData()
        default: _ = try? HCICommandPacket(packet)
        }
    }

    /// The text of packets, with the formatter's memory of earlier packets.
    private static func describe(_ input: Input) {
        var describer = PacketFormatter()
        while let first = input.next() {
            let packet = HCIPacket(h4: ByteBuffer(bytes: [first % 5] + input.takeCounted()))
            _ = describer.describe(packet, first & 0x80 == 0 ? .toController : .toHost)
        }
    }
}
