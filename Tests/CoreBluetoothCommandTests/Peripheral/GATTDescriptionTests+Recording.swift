import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothCommand

@Suite("The description of a recorded peripheral")
struct RecordedDescriptionTests {
    private func octets(_ octets: UInt8...) -> ByteBuffer { ByteBuffer(bytes: octets) }

    /// The description of one characteristic, FFF1 at handle 3, in a service with FFF2 at handle 5.
    private func described(_ change: (inout RecordedCharacteristic) -> Void) throws -> GATTDescription.Characteristic {
        var characteristic = RecordedCharacteristic(uuid: 0xFFF1, properties: [.read], handle: 3)
        change(&characteristic)
        var service = RecordedService(uuid: 0xFFF0, isPrimary: true, handles: 1...9)
        service.characteristics = [characteristic, .init(uuid: 0xFFF2, properties: [.notify], handle: 5)]
        var peripheral = RecordedPeripheral()
        peripheral.services = [service]
        return try #require(GATTDescription(peripheral).services[0].characteristics?[0])
    }

    @Test(
        "has the properties that a description can have",
        arguments: [
            ([.read], [.read]), ([.write], [.write]), ([.writeWithoutResponse], [.writeWithoutResponse]),
            ([.notify], [.notify]), ([.indicate], [.indicate]), ([.broadcast], []),
            ([.indicate, .broadcast, .write, .read], [.read, .write, .indicate]),
        ] as [(CharacteristicProperties, [GATTDescription.Property])]
    )
    func properties(recorded: CharacteristicProperties, described: [GATTDescription.Property]) throws {
        #expect(try self.described { $0.properties = recorded }.properties == described)
    }

    @Test("has times in whole microseconds, and names another characteristic that has sent a value")
    func times() throws {
        let described = try self.described { recorded in
            recorded.wasSubscribed = true
            recorded.updates = [
                .init(delay: .nanoseconds(999), value: octets(1)), .init(delay: .nanoseconds(1_999), value: octets(2)),
                .init(delay: .seconds(2), value: octets(3)),
            ]
            recorded.writes = [
                .init(value: octets(4), error: ATTErrorCode(rawValue: 0x80)),
                .init(
                    value: octets(5),
                    answers: [
                        .init(handle: 3, delay: .milliseconds(1), value: octets(6)),
                        .init(handle: 5, delay: .milliseconds(2), value: octets(7)),
                        .init(handle: 7, delay: .milliseconds(3), value: octets(8)),
                    ]
                ),
            ]
        }
        #expect(described.notifications?.map(\.after) == [0, 0.000001, 2])
        #expect(described.notifications?.map(\.value.data) == [Data([1]), Data([2]), Data([3])])
        #expect(described.notifications?.allSatisfy { $0.uuid == nil } == true)
        #expect(described.answers?.map(\.written.data) == [Data([4]), Data([5])])
        #expect(described.answers?.map(\.error) == [0x80, nil])
        let sent = try #require(described.answers?[1].notifications)
        #expect(sent.map(\.after) == [0.001, 0.002] && sent.map(\.value.data) == [Data([6]), Data([7])])
        #expect(sent.map { $0.uuid?.uuid } == [nil, CBUUID(string: "FFF2")])
    }

    @Test("has no refused reads, and notifications only if somebody had subscribed")
    func reads() throws {
        let described = try self.described { recorded in
            recorded.reads = [
                .init(.success(octets(1))), .init(.failure(.readNotPermitted)), .init(.success(octets(2))),
            ]
            recorded.updates = [.init(delay: .seconds(1), value: octets(3))]
        }
        #expect(described.reads?.map(\.data) == [Data([1]), Data([2])])
        #expect(described.notifications == nil && described.isStrict && described.security == nil)
        #expect(described.description == nil && described.format == nil)
        #expect(try self.described { $0.wasSubscribed = true }.notifications?.isEmpty == true)
    }

    @Test("has the name and the format of the descriptors that were read, and the encryption that was demanded")
    func descriptors() throws {
        let described = try self.described { recorded in
            recorded.demandsEncryption = true
            recorded.descriptors = [
                .init(uuid: 0x2901, value: ByteBuffer(string: "Kitchen")), .init(uuid: 0x2904, value: octets(4, 0)),
                .init(uuid: 0x2902, value: octets(9)), .init(uuid: 0x2901, value: nil),
            ]
        }
        #expect(described.description == "Kitchen" && described.format?.data == Data([4, 0]))
        let security = try #require(described.security)
        #expect(security.read == .encrypted && security.write == .encrypted && security.notify == .encrypted)
    }

    @Test("has an included service before the one that includes it, and breaks a circle")
    func includes() throws {
        func services(_ includes: [[AttributeHandle]]) -> [GATTDescription.Service] {
            var peripheral = RecordedPeripheral()
            peripheral.services = includes.enumerated().map { index, handles in
                let first = AttributeHandle(10 * index + 10)
                let uuid = BluetoothUUID(integerLiteral: UInt16(0xFFF0 + index))
                var service = RecordedService(uuid: uuid, isPrimary: index > 0, handles: first...first)
                service.includes = handles
                return service
            }
            return GATTDescription(peripheral).services
        }
        let names = { (services: [GATTDescription.Service]) in services.map(\.uuid.uuid.uuidString) }
        let chain = services([[20], [30], []])
        #expect(names(chain) == ["FFF2", "FFF1", "FFF0"])
        #expect(chain.map { $0.includes?.map(\.uuid.uuidString) } == [[], ["FFF2"], ["FFF1"]])
        #expect(chain.map(\.primary) == [true, true, false])
        let circle = services([[20], [10], []])
        #expect(names(circle) == ["FFF2", "FFF0", "FFF1"])
        #expect(circle.map { $0.includes?.map(\.uuid.uuidString) } == [[], [], ["FFF0"]])
        #expect(names(services([[], []])) == ["FFF0", "FFF1"])
    }

    @Test("advertises the recorded name and services, and as much of the manufacturer data as fits")
    func advertised() throws {
        var peripheral = RecordedPeripheral()
        peripheral.services = [
            .init(uuid: 0xFFF0, isPrimary: true, handles: 1...1), .init(uuid: 0xFFF1, isPrimary: true, handles: 2...2),
        ]
        #expect(GATTDescription(peripheral).services.map(\.advertise) == [false, false])
        #expect(GATTDescription(peripheral).name == nil && GATTDescription(peripheral).manufacturerData == nil)
        peripheral.advertisingData = octets(3, 0x03, 0xF1, 0xFF, 4, 0xFF, 0x4C, 0, 7)
        peripheral.scanResponse = ByteBuffer(bytes: [3, 0x09, 0x41, 0x42, 30, 0xFF] + (0..<29))
        let description = GATTDescription(peripheral)
        #expect(description.services.map(\.advertise) == [false, true])
        #expect(description.name == "AB" && description.manufacturerData?.data == Data([0x4C, 0, 7]))
        peripheral.advertisingData = nil
        #expect(GATTDescription(peripheral).manufacturerData?.data == Data(0..<26))
    }

    @Test("advertises the recorded appearance, transmit power and service data, as far as they fit, also as JSON")
    func advertisedByTools() throws {
        var peripheral = RecordedPeripheral()
        peripheral.advertisingData = octets(3, 0x19, 0x41, 0x03, 2, 0x0A, 4, 4, 0x16, 0x0F, 0x18, 0x57)
        peripheral.scanResponse = ByteBuffer(bytes: [18, 0x16, 0xF0, 0xFF] + (0..<15))
        // 4, 3, 5 and 19 octets; 28 fit.
        let recorded = GATTDescription(peripheral)
        for description in [recorded, try GATTDescription(json: recorded.json, from: "t.json")] {
            #expect(description.appearance?.value == 0x0341 && description.txPower == true)
            #expect(description.serviceData?.map(\.uuid.uuid.uuidString) == ["180F"])
            #expect(description.serviceData?.map(\.value.data) == [Data([0x57])])
        }
    }

    @Test("replays what was recorded, and every strict characteristic")
    func replay() throws {
        let characteristic = { (json: String) in
            let text = #"{ "services": [ { "uuid": "FFF0", "characteristics": [ \#(json) ] } ] }"#
            return try #require(
                try GATTDescription(json: Data(text.utf8), from: "t.json").services[0].characteristics?[0]
            )
        }
        #expect(try characteristic(#"{ "uuid": "FFF1", "properties": ["read"] }"#).replay == nil)
        for recorded in [#""reads": []"#, #""answers": []"#] {
            #expect(try characteristic(#"{ "uuid": "FFF1", "properties": ["read"], \#(recorded) }"#).replay != nil)
        }
        #expect(try self.described { _ in }.replay != nil)
    }
}
