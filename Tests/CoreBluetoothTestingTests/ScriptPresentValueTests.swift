// What a scripted device answers with at present: the value that was sent behind those of a capture, an answer without
// a delay before anything else that its closure has begun, the last entry of a user, and nothing of services that are
// gone.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("The present state of a scripted peripheral")
struct ScriptPresentValueTests {
    private static var uuid: CBUUID { CBUUID(string: "FFF1") }

    /// What happened, in order.
    private final class Notes {
        var lines: [String] = []
    }

    private static func read(_ handle: AttributeHandle, _ central: BareCentral, _ link: LinkID) throws -> [UInt8] {
        Array(try central.perform(ReadValue(handle), on: link).get().readableBytesView)
    }

    @Test("When the reads of a capture are used up, the value that was sent last is read, also where nobody got it")
    func sentValue() throws {
        var characteristic = RecordedCharacteristic(uuid: 0xFFF1, properties: [.read, .notify], handle: 3)
        characteristic.reads = [.init(.success(ByteBuffer(bytes: [1]))), .init(.success(ByteBuffer(bytes: [2])))]
        var service = RecordedService(uuid: 0xFFF0, isPrimary: true, handles: 1...20)
        service.characteristics = [characteristic]
        service.wasDiscovered = true
        var recorded = RecordedPeripheral()
        recorded.services = [service]
        let testbed = Testbed()
        let device = testbed.world.addPeripheral(ScriptedPeripheral(recorded, .init(file: #fileID, line: #line)))
        let central = BareCentral(in: testbed)
        let link = try central.connect()
        let handle = try #require(try central.valueHandles(of: 0xFFF0, on: link).first)
        #expect(try Self.read(handle, central, link) == [1])
        // What is sent between two reads of the capture does not take the place of the second.
        #expect(device.notify(Data([8]), for: Self.uuid) == 0)
        #expect(try Self.read(handle, central, link) == [2])
        #expect(try Self.read(handle, central, link) == [2])
        #expect(device.notify(Data([9]), for: Self.uuid) == 0)
        #expect(try Self.read(handle, central, link) == [9])
        try testbed.world.run(until: true)
    }

    @Test(
        "An answer without a delay is given at once, before what its closure has put off by no time",
        arguments: [0, -1]
    )
    func atOnce(seconds: Int) throws {
        let notes = Notes()
        let script = ScriptedPeripheral.thing([
            .init(
                "FFF1",
                properties: .read,
                onRead: { device in
                    device.after(.zero) { notes.lines.append("put off") }
                    let answer = ScriptedPeripheral.Answer.later { reply in
                        notes.lines.append("asked")
                        reply(.value(Data([7])))
                    }
                    return answer.delayed(by: .seconds(seconds))
                }
            )
        ])
        let testbed = Testbed()
        testbed.world.addPeripheral(script)
        let central = BareCentral(in: testbed)
        let link = try central.connect()
        let handle = try #require(try central.valueHandles(of: 0xFFF0, on: link).first)
        #expect(try Self.read(handle, central, link) == [7])
        testbed.run(.milliseconds(1))
        #expect(notes.lines == ["asked", "put off"])
    }

    @Test("Of services that are published no more nothing is kept, and the advertisement has those that are")
    func published() throws {
        let world = World(seed: 1)
        let device = world.addPeripheral(
            ScriptedPeripheral.thing([
                .init("FFF1", properties: .read, value: Data([1]), descriptors: [.init("FFD1", value: Data([2]))]),
                .init("FFF2", properties: .notify, value: Data([3])),
            ])
        )
        world.advance(by: .seconds(1))
        #expect(device.player.entries.count == 2 && device.player.descriptors.count == 1)
        device.publish([.init("FFF4", characteristics: [.init("FFF5", properties: .read, value: Data([4]))])])
        #expect(device.player.entries.count == 1 && device.player.descriptors.isEmpty)
        #expect(device.player.handles.count == 1 && device.value(of: CBUUID(string: "FFF5")) == Data([4]))
        #expect(device.value(of: Self.uuid) == nil)
        let phone = world.addDevice("phone").run { Explorer() }
        try world.run(until: phone.isConnected)
        #expect(phone.advertisement == "Thing FFF4")
        device.publish([])
        #expect(device.player.entries.isEmpty && device.player.handles.isEmpty)
        try world.run(until: true)
    }

    @Test("A value of 512 octets is sent; one of 513 is a mistake at the line of the call, and changes nothing")
    func longestValue() throws {
        let world = World(seed: 1)
        let device = world.addPeripheral(
            ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .notify], value: Data([1]), sendsToAll: true)])
        )
        let phone = world.addDevice("phone").run { Explorer() }
        try world.run(until: phone.isConnected)
        world.advance(by: .seconds(3))
        #expect(device.notify(Data(repeating: 2, count: 512), for: Self.uuid) == 1 && device.updateCount == 1)
        let line = #line + 1
        let count = device.notify(Data(repeating: 3, count: 513), for: Self.uuid)
        #expect(count == 0 && device.updateCount == 1)
        #expect(device.value(of: Self.uuid) == Data(repeating: 2, count: 512))
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        let mistake = "\"Thing\": a value of the characteristic FFF1 has 513 octets; 512 are the limit"
        #expect(error?.reason == "CoreBluetoothTestingTests/ScriptPresentValueTests.swift:\(line): \(mistake)")
        #expect(device.trace.count(of: mistake) == 1)
    }

    @Test("Values of one time are sent in the order in which they were given, before those of a later time")
    func equalTimes() {
        let times: [Duration] = [.seconds(5), .seconds(1), .seconds(5), .seconds(1), .seconds(5)]
        let updates = ScriptedPeripheral.Updates.at(
            times.enumerated().map { (time: $0.element, value: Data([UInt8($0.offset)])) }
        )
        #expect((0..<5).map { updates.value($0) } == ([1, 3, 0, 2, 4] as [UInt8]).map { Data([$0]) })
        let delays: [Duration?] = (0...5).map { updates.delay(before: $0) }
        #expect(delays == [.seconds(1), .zero, .seconds(4), .zero, .zero, nil])
    }

    @Test("The last entry of a user is made again and again, by the code that is shown then")
    func entries() throws {
        let display = ScriptedPairingAgent(.display)
        let peer = PairingPeer(identifier: UUID(), name: nil)
        func entered(_ entry: ScriptedPairingAgent.Entry) throws -> [PairingAnswer] {
            let user = ScriptedPairingAgent(entering: [entry], shownBy: display)
            let answers = Watched<[PairingAnswer]>([])
            for number in [5, 6, 123_456] as [UInt32] {
                let code = try #require(Passkey(number))
                display.pairing(PairingPrompt(.displayPasskey(code), of: peer) { _ in })
                user.pairing(PairingPrompt(.enterPasskey, of: peer) { answer in answers.update { $0.append(answer) } })
            }
            return answers.value
        }
        let right: [PairingAnswer] = [.passkey(Passkey(5)), .passkey(Passkey(6)), .passkey(Passkey(123_456))]
        let wrong: [PairingAnswer] = [.passkey(Passkey(0)), .passkey(Passkey(0)), .passkey(Passkey(0))]
        #expect(try entered(.right) == right)
        #expect(try entered(.wrong) == wrong)
    }
}
