// The required security for a peer to open a channel: the table of attributes, with the results of a connection
// response (Vol 3, Part A, 4.23; Vol 3, Part C, 10.3.1).

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("L2CAP: security of channels")
struct ChannelSecurityTests {
    /// The results for the codes of the ATT table.
    private static let results: [String: String] = [
        "05": "05", "08": "06", "0C": "07", "0F": "08",
    ]

    @Test(arguments: GATTServerPermissionsTests.cells.filter { $0.expected != "no" })
    func `A request is refused with the missing security, in the order of the specification`(
        cell: GATTServerPermissionsTests.Cell
    ) throws {
        var signalling = LESignalling(isCentral: false)
        signalling.channels.listeners[0x80] = CreditBasedChannels.Listener(
            configuration: L2CAPChannelConfiguration(),
            security: try #require(GATTServerPermissionsTests.requirements[cell.requirement])
        )
        var actions: [LESignalling.Action] = []
        signalling.receive(
            hex("14 01 0A 00 80 00 41 00 40 00 20 00 02 00"),
            security: try #require(GATTServerPermissionsTests.links[cell.link]),
            now: .uptimeNanoseconds(0),
            into: &actions
        )
        #expect(actions.count == 1)
        var answer: String?
        if case .send(let pdu)? = actions.first { answer = hex(pdu) }
        let expected = Self.results[cell.expected].map { "15 01 0A 00 00 00 00 00 00 00 00 00 \($0) 00" }
        #expect(answer == expected)
        // The user is not asked about a refused request.
        #expect((expected == nil) == (signalling.channels.localCID(forRemote: CID(rawValue: 0x41)) != nil))
    }
}
