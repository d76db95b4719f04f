// How a scripted device answers late, what it takes of a write by its answer, and what a test changes of it without a
// central's hearing of it.

import BluetoothHost
import CoreBluetooth
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Answers of a scripted peripheral")
struct ScriptAnswersTests {
    private static var uuid: CBUUID { CBUUID(string: "FFF1") }

    private static func meet(
        _ characteristic: ScriptedPeripheral.Characteristic,
        setUp: (Explorer) -> Void = { _ in }
    ) throws -> (world: World, device: ScriptedDevice, phone: Explorer) {
        try Explorer.meet(ScriptedPeripheral.thing([characteristic]), seed: 41, setUp: setUp)
    }

    private static func write(_ value: [UInt8], _ phone: Explorer) throws {
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.writeValue(Data(value), for: characteristic, type: .withResponse)
    }

    @Test("A write that an app behind the device refuses late is not taken, and one that it leaves is never answered")
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

    @Test("A late answer may be put off once more")
    func laterStill() throws {
        var first: ((ScriptedPeripheral.Answer) -> Void)?
        var second: ((ScriptedPeripheral.Answer) -> Void)?
        let (world, _, phone) = try Self.meet(
            .init("FFF1", properties: .read, onRead: { _ in .later { first = $0 } })
        )
        #expect(!phone.database.contains { $0.contains("[") })
        let putOff = try #require(first)
        putOff(.later { second = $0 })
        world.advance(by: .seconds(1))
        #expect(!phone.database.contains { $0.contains("[") })
        let reply = try #require(second)
        reply(.value(Data([5])).delayed(by: .seconds(2)))
        world.advance(by: .milliseconds(1_900))
        #expect(!phone.database.contains { $0.contains("[") })
        world.advance(by: .seconds(1))
        #expect(phone.database.contains("FFF1 [5]") && phone.errors.isEmpty)
    }

    @Test(
        "A write is taken where its answer is success or a value, and not where it is an error or none",
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

    @Test("An answer to a write comes so much later as it says")
    func delayed() throws {
        let (world, _, phone) = try Self.meet(
            .init("FFF1", properties: [.read, .write], onWrite: { _, _ in .success.delayed(by: .seconds(3)) })
        )
        try Self.write([8], phone)
        world.advance(by: .milliseconds(2_900))
        #expect(phone.written == 0)
        world.advance(by: .seconds(1))
        #expect(phone.written == 1)
    }

    @Test("A value that a test sets is read, and sent to nobody")
    func setValue() throws {
        let (world, device, phone) = try Self.meet(.init("FFF1", properties: [.read, .notify], value: Data([1])))
        #expect(device.hasSubscriber(for: Self.uuid))
        device.setValue(Data([2]), of: Self.uuid)
        world.advance(by: .seconds(1))
        #expect(phone.notified.isEmpty && device.updateCount == 0 && device.value(of: Self.uuid) == Data([2]))
        phone.peripheral?.readValue(for: try #require(phone.characteristic("FFF1")))
        world.advance(by: .seconds(1))
        #expect(phone.notified == ["FFF1 [2]"], "an explorer notes a second read as it notes a notification")
    }

    @Test("A value is sent once to each subscriber, also to one that has subscribed twice, and becomes the value")
    func subscribers() throws {
        let (world, device, phone) = try Self.meet(.init("FFF1", properties: [.read, .notify], value: Data([1])))
        let other = world.addDevice("tablet").run { Explorer() }
        try world.run(until: other.isConnected)
        world.advance(by: .seconds(3))
        let player: ScriptPlayer = device.player
        let delegate: any LEHostDelegate = player
        let host: LEHost = device.player.host
        let handle = try #require(player.handles.first)
        for link in player.links {
            delegate.host(host, link: link, didSubscribe: true, toCharacteristic: handle)
        }
        #expect(player.links.count == 2)
        #expect(device.notify(Data([7]), for: "FFF1") == 2 && device.updateCount == 2)
        world.advance(by: .seconds(1))
        #expect(phone.notified == ["FFF1 [7]"] && other.notified == ["FFF1 [7]"])
        #expect(device.value(of: Self.uuid) == Data([7]))
    }

    @Test("What a capture does not have of a device stands in the trace when the device is added, a line each")
    func unseen() {
        var script = ScriptedPeripheral(name: "Thing")
        script.unseen = ["the first line", "the second line"]
        let world = World(seed: 1)
        let device = world.addPeripheral(script)
        #expect(device.trace.of("Thing", .world).map(\.text) == ["the first line", "the second line"])
    }

    @Test("An error of Core Bluetooth has the code of the protocol; success is none, and an unlikely error")
    func codes() {
        let codes: [(CBATTError.Code, UInt8)] = [
            (.invalidHandle, 0x01), (.readNotPermitted, 0x02), (.writeNotPermitted, 0x03),
            (.insufficientAuthentication, 0x05), (.invalidOffset, 0x07), (.insufficientEncryption, 0x0F),
            (.insufficientResources, 0x11), (.success, 0x0E), (.unlikelyError, 0x0E),
        ]
        for (code, octet) in codes { #expect(ATTErrorCode(code).rawValue == octet, "\(code)") }
    }
}
