// A script of what was recorded: what it takes over, what it says is missing, and how it answers read by read and write
// by write.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Fixtures
import NIOCore
import Testbed
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

    private static func service(_ characteristics: [RecordedCharacteristic]) -> RecordedService {
        var service = RecordedService(uuid: 0xFFF0, isPrimary: true, handles: 1...20)
        service.characteristics = characteristics
        service.wasDiscovered = true
        return service
    }

    private static func octets(_ octets: [UInt8]) -> ByteBuffer { ByteBuffer(bytes: octets) }

    @Test("What was recorded of a peripheral as a whole is that of the script, else what most devices have")
    func whole() {
        let nothing = Self.script { _ in }
        #expect(nothing.mtu == 247 && nothing.genericAttribute == .databaseHash && nothing.name == nil)
        #expect(nothing.advertisement.isConnectable && nothing.advertisement.interval == .milliseconds(100))
        #expect(nothing.advertisement.services == [] && nothing.unseen.count == 1)
        let all = Self.script {
            $0.mtu = 100
            $0.genericAttribute = .empty
            $0.deviceName = "Lamp"
            $0.isConnectable = false
            $0.advertisingInterval = .milliseconds(20)
        }
        #expect(all.mtu == 100 && all.genericAttribute == .empty && all.name == "Lamp")
        #expect(!all.advertisement.isConnectable && all.advertisement.interval == .milliseconds(20))
    }

    @Test(
        "An advertisement and a scan response of 31 octets are taken over, and longer ones are not legacy ones",
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

    @Test("Services include each other by their handles, and what nobody has looked at is said")
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
        for line in script.unseen { RunRecord.note(line) }
        let descriptors = script.services[1].characteristics[0].descriptors
        #expect(descriptors.map(\.isUnseen) == [true, false] && descriptors.map(\.value) == [Data(), Data([1])])
    }

    @Test("A characteristic begins with the value that was first read or sent, and demands what it was refused for")
    func characteristics() {
        func characteristic(_ change: (inout RecordedCharacteristic) -> Void) -> ScriptedPeripheral.Characteristic {
            var recorded = RecordedCharacteristic(uuid: 0xFFF1, properties: [.read, .notify], handle: 3)
            change(&recorded)
            return Self.script { [recorded] in $0.services = [Self.service([recorded])] }.services[0].characteristics[0]
        }
        let plain = characteristic { _ in }
        #expect(plain.value.isEmpty && plain.updates == nil && plain.security == .none && plain.hasClientConfiguration)
        #expect(plain.properties == [.read, .notify] && plain.recording?.handle == 3)
        let secure = characteristic {
            $0.demandsEncryption = true
            $0.hasClientConfiguration = false
            $0.updates = [
                .init(delay: .seconds(1), value: Self.octets([5])), .init(delay: .seconds(3), value: Self.octets([6])),
            ]
        }
        #expect(secure.security == .encrypted && !secure.hasClientConfiguration && secure.value == Data([5]))
        #expect((0...2).map { secure.updates?.delay(before: $0) } == [.seconds(1), .seconds(2), nil])
        #expect(secure.updates?.value(1) == Data([6]))
        let read = characteristic {
            $0.reads = [.init(.failure(.readNotPermitted)), .init(.success(Self.octets([7])))]
        }
        #expect(read.value == Data([7]))
    }

    @Test("Reads and writes are answered as they were, one by one; what nobody has written is a mistake")
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
        let script = Self.script { [recorded] in $0.services = [Self.service([recorded])] }
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
        for (octets, text) in [([], "nothing"), ([0xAB, 0x0C], "ab0c")] as [([UInt8], String)] {
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

    @Test("A subscription that was not recorded is a mistake, unless the script says what is sent")
    func unseenSubscription() throws {
        let updates = ScriptedPeripheral.Updates.every(.seconds(1)) { _ in Data([1]) }
        for (wasSubscribed, isUpdated) in [(false, false), (true, false), (false, true), (true, true)] {
            var recorded = RecordedCharacteristic(uuid: 0xFFF1, properties: .notify, handle: 3)
            recorded.wasSubscribed = wasSubscribed
            var script = Self.script { [recorded] in $0.services = [Self.service([recorded])] }
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

    @Test("That all values of a capture are sent is said of a capture, and where there were any")
    func noneSent() throws {
        let octets = Data([1])
        for (isRecorded, times) in [(true, []), (false, [.seconds(1)]), (false, [])] as [(Bool, [Duration])] {
            var recorded = RecordedCharacteristic(uuid: 0xFFF1, properties: .notify, handle: 3)
            recorded.wasSubscribed = true
            var script = Self.script { [recorded] in $0.services = [Self.service([recorded])] }
            if !isRecorded { script.services[0].characteristics[0].recording = nil }
            script.services[0].characteristics[0].updates = .at(times.map { (time: $0, value: octets) })
            let world = World(seed: 6)
            let device = world.addPeripheral(script, as: "device")
            let phone = world.addDevice("phone").run { Explorer() }
            world.advance(by: .seconds(10))
            #expect(phone.isConnected && device.updateCount == times.count)
            #expect(device.trace.count(of: "has sent all values of") == 0)
        }
    }

    @Test("When all values that were recorded are sent, that is said once")
    func allSent() throws {
        var recorded = RecordedCharacteristic(uuid: 0xFFF1, properties: .notify, handle: 3)
        recorded.wasSubscribed = true
        recorded.updates = [
            .init(delay: .milliseconds(100), value: Self.octets([1])),
            .init(delay: .milliseconds(900), value: Self.octets([2])),
        ]
        let script = Self.script { [recorded] in $0.services = [Self.service([recorded])] }
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
