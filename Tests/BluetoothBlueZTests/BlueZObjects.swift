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

/// A device with a service of two characteristics, one of which has descriptors.
func objects(_ changes: [String: [String: ObjectTree.Properties]] = [:]) -> ObjectTree {
    func named(_ uuid: String, _ more: ObjectTree.Properties = [:]) -> ObjectTree.Properties {
        ["UUID": .string(uuid)].merging(more) { $1 }
    }
    let service = "/org/bluez/hci0/dev_1/service0020"
    return ObjectTree(
        [
            "/org/bluez/hci0/dev_1": [BlueZ.device: device()],
            service: [BlueZ.gattService: named("56ac0001-4b5f-4b3b-8aff-ede134a8446a", ["Primary": .boolean(true)])],
            service + "/char0023": [
                BlueZ.characteristic: named(
                    "2a19",
                    ["Flags": .strings(["read", "notify", "encrypt-read"]), "MTU": .uint16(185)]
                )
            ],
            service + "/char0021": [
                BlueZ.characteristic: named("2a00", ["Flags": .strings(["write", "write-without-response"])])
            ],
            service + "/char0023/desc0025": [BlueZ.descriptor: named("2902")],
            service + "/char0023/desc0026": [BlueZ.descriptor: named("2901")],
            "/org/bluez/hci0/dev_1/service0001": [BlueZ.gattService: named("1801")],
            "/org/bluez/hci0/dev_2/service0001": [BlueZ.gattService: named("180f")],
        ]
        .merging(changes) { $1 }
    )
}
