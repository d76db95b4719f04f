// Objects of BlueZ as the bus would bring them.

import NIOCore

@testable import BluetoothBlueZ

/// The argument of an interface's properties.
func interfaces(_ interfaces: [String: ObjectTree.Properties]) -> BusValue {
    .array(
        "{sa{sv}}",
        interfaces.sorted { $0.key < $1.key }.map { .entry(.string($0), .properties($1)) }
    )
}

extension ObjectTree {
    /// A tree with the given objects.
    init(_ objects: [String: [String: Properties]]) {
        self.init()
        self.replace(
            by: [
                .array(
                    "{oa{sa{sv}}}",
                    objects.sorted { $0.key < $1.key }
                        .map { .entry(.path($0), BluetoothBlueZTests.interfaces($1)) }
                )
            ]
        )
    }
}

/// A device with an address, and other properties.
func device(_ properties: ObjectTree.Properties = [:]) -> ObjectTree.Properties {
    let address: ObjectTree.Properties = ["Address": .string("C0:11:22:33:44:55"), "AddressType": .string("random")]
    return address.merging(properties) { $1 }
}
