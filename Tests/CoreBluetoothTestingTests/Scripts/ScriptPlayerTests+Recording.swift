// The script of a recording: its attributes, and its answers to each read and write.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Scripts of recordings")
struct RecordedScriptTests {
    private static var uuid: CBUUID { CBUUID(string: "FFF1") }

    private static func script(_ change: (inout RecordedPeripheral) -> Void) -> ScriptedPeripheral {
        var recorded = RecordedPeripheral()
        change(&recorded)
        return ScriptedPeripheral(recorded, .init(file: #fileID, line: #line))
    }

    private static func octets(_ octets: [UInt8]) -> ByteBuffer { ByteBuffer(bytes: octets) }

    @Test(
        "takes over advertisements of up to 31 octets",
        arguments: [(31, nil, true), (32, nil, false), (31, 31, true), (31, 32, false), (0, 0, true), (nil, 31, false)]
            as [(Int?, Int?, Bool)]
    )
    func advertisement(data: Int?, scanResponse: Int?, isTaken: Bool) {
        let script = Self.script {
            $0.advertisingData = data.map { ByteBuffer(repeating: 0, count: $0) }
            $0.scanResponse = scanResponse.map { ByteBuffer(repeating: 1, count: $0) }
        }
        #expect(script.recordedAdvertisement?.data == (isTaken ? Data(count: data ?? 0) : nil))
        #expect((script.recordedAdvertisement?.scanResponse.count == scanResponse ?? 0) == isTaken)
        #expect(script.unseen.count == (isTaken ? 0 : 1) && (script.advertisement.services == nil) == isTaken)
    }

    @Test("advertises the primary services that fit if there is no recorded advertisement")
    func withoutAdvertisement() {
        func advertised(_ count: Int, _ uuid: (UInt16) -> BluetoothUUID) -> Int? {
            var recorded = RecordedPeripheral()
            recorded.services = (0..<UInt16(count)).map { number in
                RecordedService(uuid: uuid(number), isPrimary: number != 0, handles: number + 1...number + 1)
            }
            let script = ScriptedPeripheral(recorded, .init(file: #fileID, line: #line))
            #expect(script.advertisement.interval == .milliseconds(100))
            return script.advertisement.services?.count
        }
        // Three octets of flags; then each has a length and a type. The first one is no primary service.
        #expect(advertised(8) { BluetoothUUID(0xFF00 + $0) } == 7)
        #expect(advertised(9) { BluetoothUUID(0xFF00 + $0) } == 7)
        #expect(advertised(3) { BluetoothUUID(form: .full(1, UInt64($0))) } == 1)
    }

    @Test("includes services by their handles, and says what was not discovered")
    func services() {
        var first = RecordedService(uuid: 0xFFF0, isPrimary: true, handles: 1...4)
        first.includes = [9, 7, 5]
        var second = RecordedService(uuid: 0xFFF1, isPrimary: false, handles: 5...8)
        var characteristic = RecordedCharacteristic(uuid: 0xFFF2, properties: [.read, .notify], handle: 7)
        characteristic.descriptors = [.init(uuid: 0xFFD1, value: nil), .init(uuid: 0xFFD2, value: Self.octets([1]))]
        second.characteristics = [characteristic]
        second.wasDiscovered = true
        let script = Self.script { [first, second] in $0.services = [first, second] }
        #expect(script.services.map(\.uuid) == ["FFF0", "FFF1"].map { CBUUID(string: $0) })
        #expect(script.services.map(\.isPrimary) == [true, false])
        #expect(script.services.map(\.includes) == [[CBUUID(string: "FFF1")], []])
        #expect(script.unseen.count == 3 && script.unseen.last?.contains("no legacy advertisement") == true)
        #expect(script.unseen[0].hasPrefix("the capture has no discovery of the characteristics of service "))
        #expect(script.unseen[1].hasSuffix(" of characteristic FFF2"))
        let descriptors = script.services[1].characteristics[0].descriptors
        #expect(descriptors.map(\.isUnseen) == [true, false] && descriptors.map(\.value) == [Data(), Data([1])])
    }

    @Test("answers reads and writes as recorded; an unknown write is a mistake")
    func answers() throws {
        var recorded = RecordedCharacteristic(uuid: 0xFFF1, properties: [.read, .write, .notify], handle: 3)
        recorded.reads = [
            .init(.success(Self.octets([1]))), .init(.failure(.readNotPermitted)), .init(.success(Self.octets([2]))),
        ]
        let answer = RecordedCharacteristic.Answer(handle: 3, delay: .milliseconds(200), value: Self.octets([9]))
        let elsewhere = RecordedCharacteristic.Answer(handle: 77, delay: .zero, value: Self.octets([8]))
        var unanswered = RecordedCharacteristic.Write(value: Self.octets([3]))
        unanswered.isUnanswered = true
        recorded.writes = [
            .init(value: Self.octets([1]), answers: [elsewhere, answer]),
            .init(value: Self.octets([2]), error: ATTErrorCode(rawValue: 0x0D)), unanswered,
        ]
        recorded.wasSubscribed = true
        let script = ScriptedPeripheral.recorded([recorded])
        let world = World(seed: 6)
        let device = world.addPeripheral(script, as: "device")
        let phone = world.addDevice("phone").run { Explorer() }
        (phone.reads, phone.subscribes) = (false, false)
        try world.run(until: phone.characteristic("FFF1")?.descriptors != nil)
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.setNotifyValue(true, for: characteristic)
        world.advance(by: .seconds(1))
        for _ in 1...4 {
            phone.peripheral?.readValue(for: characteristic)
            world.advance(by: .seconds(1))
        }
        #expect(phone.notified == ["FFF1 [1]", "FFF1 [2]", "FFF1 [2]"] && phone.errors == ["FFF1 2"])
        #expect(device.trace.count(of: "refuses to be read as in the capture: FFF1") == 1)
        func write(_ octets: [UInt8]) {
            phone.peripheral?.writeValue(Data(octets), for: characteristic, type: .withResponse)
            world.advance(by: .seconds(1))
        }
        write([1])
        #expect(phone.notified.last == "FFF1 [9]" && phone.notified.count == 4)
        #expect(device.value(of: Self.uuid) == Data([9]))
        write([2])
        #expect(phone.errors == ["FFF1 2", "FFF1 13"] && device.value(of: Self.uuid) == Data([9]))
        for (octets, text) in [([], "nothing"), ([0xAB, 0x0C], "AB0C")] as [([UInt8], String)] {
            write(octets)
            #expect(phone.errors.last == "FFF1 14")
            let error = #expect(throws: WorldError.self) { try world.run(until: true) }
            #expect(error?.reason.contains("the capture has no write of \(text) to characteristic FFF1; ") == true)
        }
        #expect(phone.written == 4)
        write([3])
        world.advance(by: .seconds(20))
        #expect(phone.written == 4 && device.writes.map(\.value.count) == [1, 1, 0, 2, 1])
    }

    @Test("reads the value that was sent last once the recorded reads are used up")
    func sentValue() throws {
        var characteristic = RecordedCharacteristic(uuid: 0xFFF1, properties: [.read, .notify], handle: 3)
        characteristic.reads = [.init(.success(Self.octets([1]))), .init(.success(Self.octets([2])))]
        let meeting = try BareMeeting(script: .recorded([characteristic]))
        let device = meeting.device
        #expect(try meeting.read(meeting.handle) == [1])
        // A value sent between two reads of the capture does not replace the second.
        #expect(device.notify(Data([8]), for: Self.uuid) == 0)
        #expect(try meeting.read(meeting.handle) == [2])
        #expect(try meeting.read(meeting.handle) == [2])
        #expect(device.notify(Data([9]), for: Self.uuid) == 0)
        #expect(try meeting.read(meeting.handle) == [9])
        try meeting.testbed.world.run(until: true)
    }

    @Test("reports a subscription that was not recorded, unless the script has values to send")
    func unseenSubscription() throws {
        let updates = ScriptedPeripheral.Updates.every(.seconds(1)) { _ in Data([1]) }
        for (wasSubscribed, isUpdated) in [(false, false), (true, false), (false, true), (true, true)] {
            var recorded = RecordedCharacteristic(uuid: 0xFFF1, properties: .notify, handle: 3)
            recorded.wasSubscribed = wasSubscribed
            var script = ScriptedPeripheral.recorded([recorded])
            if isUpdated { script.services[0].characteristics[0].updates = updates }
            let world = World(seed: 6)
            let device = world.addPeripheral(script, as: "device")
            let phone = world.addDevice("phone").run { Explorer() }
            world.advance(by: .seconds(10))
            #expect(phone.isConnected && device.hasSubscriber(for: Self.uuid))
            #expect((device.updateCount > 0) == isUpdated)
            if wasSubscribed || isUpdated {
                try world.run(until: true)
            } else {
                let error = #expect(throws: WorldError.self) { try world.run(until: true) }
                let reason = "the capture has no subscription to characteristic FFF1; subscribe to it while recording, "
                #expect(error?.reason.contains(reason) == true)
            }
        }
    }

    @Test("notes once that all recorded values were sent")
    func allSent() throws {
        var recorded = RecordedCharacteristic(uuid: 0xFFF1, properties: .notify, handle: 3)
        recorded.wasSubscribed = true
        recorded.updates = [
            .init(delay: .milliseconds(100), value: Self.octets([1])),
            .init(delay: .milliseconds(900), value: Self.octets([2])),
        ]
        let script = ScriptedPeripheral.recorded([recorded])
        let world = World(seed: 6)
        let device = world.addPeripheral(script, as: "device")
        let phone = world.addDevice("phone").run { Explorer() }
        try world.run(until: device.updateCount == 2)
        world.advance(by: .seconds(5))
        #expect(phone.notified == ["FFF1 [1]", "FFF1 [2]"] && device.updateCount == 2)
        #expect(device.trace.count(of: "has sent all values of FFF1 that the capture has") == 1)
        try world.run(until: true)
    }
}
