// The table of limits in docs/flow-control.md, compared with the sources.

import Foundation
import Testing

@testable import BluetoothHost
@testable import BluetoothTransport
@testable import CoreBluetooth

@Suite("Bounds in the documents")
struct BoundsTests {
    private static let kibibyte = 1024

    /// The first words of a row, and the bounds that it has to have.
    private static let rows: [(queue: String, bounds: [String])] = [
        ("what a peer sent that waits for an app", ["\(ReceiveWindow.size / kibibyte) KiB"]),
        ("ACL data packets that a host takes", ["\(ACLReceiver.packetCount)"]),
        ("updates of an app in transit", ["\(TransmitWindow.size)"]),
        (
            "values that a bonded server sends",
            ["\(EarlyValues.valueLimit) of each of \(EarlyValues.characteristicLimit) characteristics"]
        ),
        (
            "octets of a channel that are not read",
            ["\(Channels.configuration.window) frames of \(Channels.configuration.mps) octets"]
        ),
        ("octets that wait to be sent on a channel", ["\(Channels.configuration.sendLimit / kibibyte) KiB"]),
        ("octets that wait for a host on a socket |", ["\(H4Channel.waterMark.high / kibibyte) KiB"]),
        (
            "octets of events that wait for a host",
            ["\(H4Channel.defaultWriteQueueLimit / kibibyte / kibibyte) MiB"]
        ),
        (
            "fragments of extended advertising reports",
            [
                "\(AdvertisingReassembler.limit) advertisements",
                "of \(AdvertisingReassembler.maximumDataLength.formatted(.number.locale(Locale(identifier: "en_US")))) octets",
            ]
        ),
    ]

    @Test("names the bounds of the sources", arguments: rows.indices)
    func queues(index: Int) throws {
        let (queue, bounds) = Self.rows[index]
        let text = try #require(NamesTests.documents.first { $0.path == "docs/flow-control.md" }?.text)
        let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| \(queue)") })
        let cell = row.split(separator: "|")[1]
        for bound in bounds { #expect(cell.contains(bound), "\(queue):\(cell)") }
    }
}
