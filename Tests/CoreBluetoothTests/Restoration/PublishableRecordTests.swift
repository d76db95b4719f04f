// Which characteristics of a record may be published: those that an app can have published, since any other one would
// end the program.

import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Characteristics of a record")
struct PublishableRecordTests {
    private typealias Properties = CBCharacteristicProperties
    private typealias Permissions = CBAttributePermissions

    private func isPublishable(_ properties: Properties, _ permissions: Permissions, _ octetCount: Int?) -> Bool {
        PeripheralRecord.Characteristic(
            uuid: 0x2A37,
            properties: properties.rawValue,
            permissions: permissions.rawValue,
            value: octetCount.map { Data(repeating: 7, count: $0) },
            descriptors: []
        )
        .isPublishable
    }

    @Test("13.1 one with a value is for reading alone, by its properties and by its permissions")
    func values() {
        let rows: [(properties: Properties, permissions: Permissions, isPublishable: Bool)] = [
            ([.read], [.readable], true), ([], [], true), ([.read], [.readEncryptionRequired], true),
            ([.read], [.readAuthenticationRequired], true), ([.read, .write], [.readable], false),
            ([.read, .notify], [.readable], false), ([.read], [.readable, .writeable], false),
            ([.write], [.writeable], false), ([.read], [.readable, .writeEncryptionRequired], false),
        ]
        for (number, row) in rows.enumerated() {
            #expect(self.isPublishable(row.properties, row.permissions, 1) == row.isPublishable, "\(number)")
            // Without a value each of them may be published.
            #expect(self.isPublishable(row.properties, row.permissions, nil), "\(number)")
        }
    }

    @Test("13.1 a value has 512 octets at most", arguments: [(0, true), (512, true), (513, false)])
    func length(count: Int, isPublishable: Bool) {
        #expect(self.isPublishable([.read], [.readable], count) == isPublishable)
    }

    @Test("13.1 one that broadcasts, or has extended properties, is never published")
    func properties() {
        for property in [Properties.broadcast, .extendedProperties] {
            for count in [nil, 1] as [Int?] {
                #expect(!self.isPublishable(property, [.readable], count))
                #expect(!self.isPublishable([.read, property], [.readable], count))
            }
        }
    }
}
