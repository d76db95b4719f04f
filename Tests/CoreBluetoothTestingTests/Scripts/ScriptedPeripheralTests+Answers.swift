// Late and missing answers, and their effect on written values.

import BluetoothHost
import Testing

@testable import CoreBluetoothTesting

@Suite("Answers of a scripted peripheral")
struct ScriptAnswersTests {
    private static var uuid: CBUUID { CBUUID(string: "FFF1") }

    private static func meet(
        _ characteristic: ScriptedPeripheral.Characteristic,
        setUp: (Explorer) -> Void = { _ in }
    ) throws -> (world: World, device: ScriptedDevice, phone: Explorer) {
        try Explorer.meet(ScriptedPeripheral.thing([characteristic]), setUp: setUp)
    }

    private static func write(_ value: [UInt8], _ phone: Explorer) throws {
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.writeValue(Data(value), for: characteristic, type: .withResponse)
    }

    @Test("answers late and once for an app behind the device")
    func late() throws {
        var replies: [(ScriptedPeripheral.Answer) -> Void] = []
        let (world, device, phone) = try Self.meet(
            .init(
                "FFF1",
                properties: [.read, .write],
                onRead: { _ in .later { replies.append($0) } },
                onWrite: { _, _ in .later { replies.append($0) } }
            )
        )
        #expect(replies.count == 1 && !phone.database.contains { $0.contains("[") })
        replies[0](.value(Data([5])))
        replies[0](.value(Data([6])))
        world.advance(by: .seconds(1))
        #expect(phone.database.contains("FFF1 [5]"))
        try Self.write([8], phone)
        world.advance(by: .seconds(1))
        #expect(phone.written == 0 && device.value(of: Self.uuid) == Data())
        replies[1](ScriptedPeripheral.Answer.success.delayed(by: .seconds(1)))
        world.advance(by: .milliseconds(500))
        #expect(phone.written == 0)
        world.advance(by: .seconds(1))
        #expect(phone.written == 1 && device.value(of: Self.uuid) == Data([8]))
    }

    @Test("keeps its value after a write that is rejected late or never answered")
    func lateRefusals() throws {
        for isRefused in [true, false] {
            var replies: [(ScriptedPeripheral.Answer) -> Void] = []
            let (world, device, phone) = try Self.meet(
                .init(
                    "FFF1",
                    properties: [.read, .write],
                    value: Data([1]),
                    onWrite: { _, _ in .later { replies.append($0) } }
                )
            )
            try Self.write([8], phone)
            world.advance(by: .seconds(1))
            #expect(replies.count == 1 && phone.written == 0 && device.value(of: Self.uuid) == Data([1]))
            replies[0](isRefused ? .error(.invalidAttributeValueLength) : .noResponse)
            // The first answer counts.
            replies[0](.success)
            world.advance(by: .seconds(5))
            #expect(phone.written == (isRefused ? 1 : 0) && phone.errors == (isRefused ? ["FFF1 13"] : []))
            #expect(device.value(of: Self.uuid) == Data([1]))
            #expect(device.writes == [.init(characteristic: Self.uuid, value: Data([8]))])
        }
    }

    @Test(
        "takes a write whose answer is success or a value",
        arguments: [0, 1, 2, 3]
    )
    func taken(number: Int) throws {
        let answers: [ScriptedPeripheral.Answer] = [
            .success, .value(Data([9])), .error(.writeNotPermitted), .noResponse,
        ]
        let (world, device, phone) = try Self.meet(
            .init("FFF1", properties: [.read, .write], value: Data([1]), onWrite: { _, _ in answers[number] })
        )
        try Self.write([8], phone)
        world.advance(by: .seconds(5))
        #expect(device.value(of: Self.uuid) == Data([number < 2 ? 8 : 1]))
        #expect(phone.written == (number < 3 ? 1 : 0) && phone.errors == (number == 2 ? ["FFF1 3"] : []))
        #expect(device.writes.map(\.value) == [Data([8])])
    }

    @Test("has the code of the protocol for an error of Core Bluetooth")
    func codes() {
        let codes: [(CBATTError.Code, UInt8)] = [
            (.invalidHandle, 0x01), (.readNotPermitted, 0x02), (.writeNotPermitted, 0x03),
            (.insufficientAuthentication, 0x05), (.invalidOffset, 0x07), (.insufficientEncryption, 0x0F),
            (.insufficientResources, 0x11), (.success, 0x0E), (.unlikelyError, 0x0E),
        ]
        for (code, octet) in codes { #expect(ATTErrorCode(code).rawValue == octet, "\(code)") }
    }
}
