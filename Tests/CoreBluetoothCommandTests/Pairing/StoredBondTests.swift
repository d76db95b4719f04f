// Which of the stored pairings a person means, and how each is shown.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothCommand

@Suite("A stored pairing")
struct StoredBondTests {
    private static let identifier = "0B1F9A6C-8A3C-4B1F-8E54-0D0B3BF1A001"

    private static func bond(name: String?, isIdentified: Bool = true) throws -> StoredBond {
        StoredBond(
            owner: try #require(DeviceAddress("C1:02:03:04:05:0A", kind: .random)),
            ownerName: "alice",
            peer: try #require(DeviceAddress("00:1B:DC:0F:AA:0B", kind: .public)),
            identifier: isIdentified ? UUID(uuidString: identifier) : nil,
            name: name,
            key: LinkSecurity.Key(isAuthenticated: false, isSecureConnections: true),
            paired: Date(timeIntervalSince1970: 1_790_000_000),
            lastUsed: nil,
            folder: "/nowhere"
        )
    }

    @Test(
        "is meant by its address, its identifier and its name, in capitals or not",
        arguments: [
            ("00:1B:DC:0F:AA:0B", true, true), ("00:1b:dc:0f:aa:0b", true, true), ("00:1B:DC:0F:AA:0C", false, false),
            (identifier, true, false), (identifier.lowercased(), true, false), ("Thermo", true, false),
            ("thermo", true, false), ("Other", false, false),
        ]
    )
    func query(text: String, isMeant: Bool, isMeantWithoutIdentifier: Bool) throws {
        let query = DeviceQuery(text)
        #expect(try Self.bond(name: "Thermo").matches(query) == isMeant)
        #expect(try Self.bond(name: "Thermo", isIdentified: false).matches(query) == isMeantWithoutIdentifier)
    }

    @Test("has the dates of the pairing and of its last use, to the minute, where they are known")
    func dates() throws {
        var bond = try Self.bond(name: "Thermo")
        let once = bond.datesText
        // In the time of this machine, whatever that is.
        #expect(once.wholeMatch(of: #/  \d{4}-\d\d-\d\d \d\d:\d\d/#) != nil, "\(once)")
        bond.lastUsed = bond.paired
        #expect(bond.datesText == once + ", used " + String(once.dropFirst(2)))
        bond.paired = nil
        #expect(bond.datesText.isEmpty)
        bond.lastUsed = nil
        #expect(bond.datesText.isEmpty)
    }

    @Test("is called by its name, else by its identifier, else by its address")
    func texts() throws {
        #expect(try Self.bond(name: "Thermo").peerText == "\"Thermo\"")
        #expect(try Self.bond(name: nil).peerText == Self.identifier)
        #expect(try Self.bond(name: nil, isIdentified: false).peerText == "00:1B:DC:0F:AA:0B")
        for name in ["Thermo", nil] {
            for isIdentified in [true, false] {
                let bond = try Self.bond(name: name, isIdentified: isIdentified)
                RunRecord.note("\(bond.peerText) \(bond.ownerText) \(bond.details.map { "\($0.key) \($0.value)" })")
            }
        }
    }
}
