import BluetoothHost
import NIOCore
import Testing

@testable import BluetoothBlueZ

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
