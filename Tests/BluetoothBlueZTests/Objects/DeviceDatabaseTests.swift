import BluetoothHost
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothBlueZ

/// A device with a service of two characteristics, one of which has descriptors.
private func objects(_ changes: [String: [String: ObjectTree.Properties]] = [:]) -> ObjectTree {
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

struct DeviceDatabaseTests {
    @Test("has the device's services in the order of their handles, without Generic Attribute")
    func services() throws {
        let database = DeviceDatabase(of: "/org/bluez/hci0/dev_1", in: objects())
        #expect(database.mtu == 185)
        let service = try #require(database.services.first)
        #expect(database.services.count == 1)
        #expect(service.handle == 0x20 && service.isPrimary)
        #expect(service.characteristics.map(\.handle) == [0x21, 0x23])
        #expect(service.characteristics.map(\.properties) == [[.write, .writeWithoutResponse], [.read, .notify]])
        #expect(service.characteristics.map(\.hasClientConfiguration) == [false, true])
        #expect(service.characteristics.map { $0.descriptors.map(\.handle) } == [[], [0x26]])
    }

    @Test(
        "leaves out attributes that make no sense",
        arguments: [
            "/org/bluez/hci0/dev_1/service0030x", "/org/bluez/hci0/dev_1/service00", "/org/bluez/hci0/dev_1/other0030",
            "/org/bluez/hci0/dev_1/service0020/service0030", "/org/bluez/hci0/dev_1x/service0030",
        ]
    )
    func strangePaths(path: String) {
        let strange = objects([path: [BlueZ.gattService: ["UUID": .string("180f")]]])
        #expect(
            DeviceDatabase(of: "/org/bluez/hci0/dev_1", in: strange)
                == DeviceDatabase(of: "/org/bluez/hci0/dev_1", in: objects())
        )
    }

    @Test("leaves out a service without a UUID", arguments: [BusValue.string("nonsense"), .uint32(0x180F)])
    func strangeUUIDs(uuid: BusValue) {
        let path = "/org/bluez/hci0/dev_1/service0030"
        let strange = objects([path: [BlueZ.gattService: ["UUID": uuid]]])
        #expect(DeviceDatabase(of: "/org/bluez/hci0/dev_1", in: strange).services.count == 1)
    }
}

struct MirroredAttributesTests {
    private let host = LEHost(eventLoop: EmbeddedEventLoop())

    @Test("stand at BlueZ's handles, the value behind its declaration")
    func handles() {
        var attributes = MirroredAttributes()
        let database = DeviceDatabase(of: "/org/bluez/hci0/dev_1", in: objects())
        #expect(attributes.update(database, in: self.host).count == 2)
        let path = "/org/bluez/hci0/dev_1/service0020/char0023"
        #expect(attributes[0x24] == .value(path, [.read, .notify]))
        #expect(attributes[0x25] == .configuration(path))
        #expect(attributes[0x26] == .descriptor(path + "/desc0026"))
        #expect(attributes.valueHandle(path) == 0x24)
    }

    @Test("change where BlueZ's tree does")
    func changes() {
        var attributes = MirroredAttributes()
        let device = "/org/bluez/hci0/dev_1"
        _ = attributes.update(DeviceDatabase(of: device, in: objects()), in: self.host)
        let added = objects([device + "/service0030": [BlueZ.gattService: ["UUID": .string("180f")]]])
        #expect(attributes.update(DeviceDatabase(of: device, in: added), in: self.host).isEmpty)
        let gone = attributes.update(DeviceDatabase(of: device, in: ObjectTree()), in: self.host)
        #expect(gone.count == 2)
        #expect(attributes[0x24] == nil)
    }

    @Test("take services that include each other, or themselves")
    func includes() {
        var attributes = MirroredAttributes()
        let device = "/org/bluez/hci0/dev_1"
        let paths = [device + "/service0030", device + "/service0040"]
        let circle = objects([
            paths[0]: [
                BlueZ.gattService: ["UUID": .string("180f"), "Includes": .array("o", paths.map { .path($0) })]
            ],
            paths[1]: [
                BlueZ.gattService: ["UUID": .string("180a"), "Includes": .array("o", [.path(paths[0]), .path("/x")])]
            ],
        ])
        _ = attributes.update(DeviceDatabase(of: device, in: circle), in: self.host)
        #expect(attributes[0x24] != nil)
    }

    @Test("take services at the mirror's own handles, and at handles of each other")
    func collisions() {
        var attributes = MirroredAttributes()
        let device = "/org/bluez/hci0/dev_1"
        let low = objects([
            device + "/service0002": [BlueZ.gattService: ["UUID": .string("180f")]],
            device + "/service0002/char0003": [
                BlueZ.characteristic: ["UUID": .string("2a19"), "Flags": .strings(["read"])]
            ],
            device + "/service0022": [BlueZ.gattService: ["UUID": .string("180a")]],
        ])
        _ = attributes.update(DeviceDatabase(of: device, in: low), in: self.host)
        #expect(attributes.valueHandle(device + "/service0002/char0003") != nil)
    }
}
