import BluetoothHost
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothBlueZ

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
