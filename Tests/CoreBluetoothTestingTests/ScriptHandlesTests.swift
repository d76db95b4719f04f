// The attribute handles of a scripted peripheral: which characteristic is at a handle that another attribute had, which
// of two services is included, and in which order characteristics are.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Handles of a scripted peripheral")
struct ScriptHandlesTests {
    private static func read(_ handle: AttributeHandle, _ central: BareCentral, _ link: LinkID) throws -> [UInt8] {
        Array(try central.perform(ReadValue(handle), on: link).get().readableBytesView)
    }

    @Test("A characteristic of other services that is where a descriptor was has its own value")
    func reusedHandles() throws {
        let testbed = Testbed()
        let device = testbed.world.addPeripheral(
            ScriptedPeripheral(
                name: "Thing",
                services: [
                    .init(
                        "FFF0",
                        characteristics: [
                            .init(
                                "FFF1",
                                properties: .read,
                                value: Data([1]),
                                descriptors: [.init("FFD1", value: Data([2])), .init("FFD2", value: Data([3]))]
                            )
                        ],
                        handle: 40
                    )
                ]
            )
        )
        device.publish([
            .init(
                "FFF0",
                characteristics: [
                    .init("FFF1", properties: .read, value: Data([4])),
                    .init("FFF2", properties: [.read, .write], value: Data([5])),
                ],
                handle: 40
            )
        ])
        let central = BareCentral(in: testbed)
        let link = try central.connect()
        let handles = try central.valueHandles(of: 0xFFF0, on: link)
        #expect(handles == [42, 44])
        #expect(try Self.read(42, central, link) == [4])
        #expect(try Self.read(44, central, link) == [5])
        try central.perform(WriteInPieces(44, [(offset: 0, value: ByteBuffer(bytes: [6]))]), on: link).get()
        #expect(try Self.read(44, central, link) == [6])
        #expect(device.value(of: CBUUID(string: "FFF2")) == Data([6]) && device.writes.count == 1)
    }

    @Test("Of two services with one UUID the first is included")
    func included() throws {
        let testbed = Testbed()
        testbed.world.addPeripheral(
            ScriptedPeripheral(
                name: "Thing",
                services: [
                    .init("FFF0", characteristics: [], includes: [CBUUID(string: "FFF4")], handle: 60),
                    .init("FFF4", isPrimary: false, characteristics: [], handle: 40),
                    .init("FFF4", isPrimary: false, characteristics: [], handle: 50),
                ]
            )
        )
        let central = BareCentral(in: testbed)
        let link = try central.connect()
        let services = try central.perform(DiscoverPrimaryServices(uuids: [0xFFF0]), on: link).get()
        let service = try #require(services.first)
        #expect(service.handles.lowerBound == 60)
        let included = try central.perform(FindIncludedServices(of: service.handles), on: link).get()
        #expect(included.map(\.handles.lowerBound) == [40])
        // There is no mistake in it.
        try testbed.world.run(until: true)
    }

    @Test("Characteristics are in the order of their handles, as the mistake says that names them")
    func order() throws {
        let world = World(seed: 1)
        let device = world.addPeripheral(
            ScriptedPeripheral(
                name: "Thing",
                services: [
                    .init("FFF0", characteristics: [.init("FFF1", properties: .notify)], handle: 60),
                    .init(
                        "FFF2",
                        characteristics: [.init("FFF3", properties: .read), .init("FFF5", properties: .read)],
                        handle: 40
                    ),
                ]
            )
        )
        #expect(device.player.handles == [42, 44, 62])
        #expect(device.player.characteristics == ["FFF3", "FFF5", "FFF1"].map { CBUUID(string: $0) })
        #expect(device.notify(Data([1]), for: "FFF9") == 0)
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        #expect(error?.reason.hasSuffix("\"Thing\" has no characteristic FFF9; it has FFF3, FFF5, FFF1") == true)
        #expect(device.value(of: CBUUID(string: "FFF9")) == nil && !device.hasSubscriber(for: CBUUID(string: "FFF9")))
    }
}
