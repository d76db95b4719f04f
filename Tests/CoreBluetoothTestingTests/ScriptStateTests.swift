// What a scripted device keeps for its links, and when it forgets that: timers, subscribers and answers that were
// begun. And what it advertises octet for octet, and what a slow one hears of its controller.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("What a scripted device keeps")
struct ScriptStateTests {
    private static func entry(_ device: ScriptedDevice, _ uuid: CBUUID) -> ScriptPlayer.Entry? {
        let player: ScriptPlayer = device.player
        return player.handles.compactMap { player.entries[$0] }.first { $0.definition.uuid == uuid }
    }

    @Test("Of a link that has ended nothing is left", arguments: ["power", "reset", "central", "device"])
    func ended(cause: String) throws {
        let world = World(seed: 3)
        let long = Data(repeating: 7, count: 100)
        let script = ScriptedPeripheral.thermometer(
            updates: .every(.seconds(1)) { Data([UInt8(30 + $0)]) },
            onRead: { _ in .value(long) },
            mtu: 23
        )
        let thermo = world.addPeripheral(script)
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: thermo.updateCount == 2 && reader.values.contains(Array(long)))
        let player: ScriptPlayer = thermo.player
        let before = try #require(Self.entry(thermo, Reader.measurement))
        #expect(player.links.count == 1 && before.subscribers == player.links && before.timer != nil)
        #expect(Array(before.answeredValues.values) == [long] && before.updateNumber == 2)
        #expect(Array(player.updatesOnLink.values) == [2])
        switch cause {
        case "power": thermo.isPowered = false
        case "reset": thermo.resetController()
        case "central": reader.central.cancelPeripheralConnection(try #require(reader.peripheral))
        default: thermo.disconnect()
        }
        try world.run(until: player.links.isEmpty)
        let after = try #require(Self.entry(thermo, Reader.measurement))
        #expect(after.subscribers.isEmpty && after.timer == nil && after.answeredValues.isEmpty)
        #expect(player.updatesOnLink.isEmpty && after.value == Data([UInt8(29 + after.updateNumber)]))
        let count = thermo.updateCount
        world.advance(by: .seconds(3))
        #expect(thermo.updateCount == count && !thermo.hasSubscriber(for: Reader.measurement))
    }

    @Test("A value that a lost link waited for is not sent to the next subscriber", arguments: [true, false])
    func timers(isPower: Bool) throws {
        let world = World(seed: 3)
        let script = ScriptedPeripheral.thermometer(updates: .every(.seconds(200)) { Data([UInt8(30 + $0)]) })
        let thermo = world.addPeripheral(script)
        let reader = world.addDevice("phone").run { Reader() }
        reader.reads = false
        try world.run(until: reader.calls.contains("notifying true"))
        let start = world.now
        if isPower {
            thermo.isPowered = false
            thermo.isPowered = true
        } else {
            thermo.resetController()
        }
        try world.run(until: reader.peripheral?.state == .disconnected, within: .seconds(60))
        reader.central.connect(try #require(reader.peripheral))
        try world.run(until: reader.calls.count { $0 == "notifying true" } == 2, within: .seconds(60))
        world.advance(by: start + .seconds(200) - world.now)
        #expect(thermo.updateCount == 0)
        world.advance(by: .seconds(200))
        #expect(thermo.updateCount == 1 && reader.values == [[30]])
    }

    @Test("Of a read that is answered anew nothing is kept where the answer has no value")
    func answersAnew() throws {
        let long = Data(repeating: 7, count: 100)
        var answers: [ScriptedPeripheral.Answer] = [
            .value(long), .error(.readNotPermitted), .value(Data([1])), .success, .noResponse,
        ]
        let world = World(seed: 3)
        let thermo = world.addPeripheral(.thermometer(onRead: { _ in answers.removeFirst() }, mtu: 23))
        let reader = world.addDevice("phone").run { Reader() }
        reader.subscribes = false
        try world.run(until: reader.values.count == 1)
        let characteristic = try #require(reader.characteristic)
        var kept: [[Data]] = []
        for number in 0...4 {
            if number > 0 {
                reader.peripheral?.readValue(for: characteristic)
                world.advance(by: .seconds(2))
            }
            let entry = try #require(Self.entry(thermo, Reader.measurement))
            kept.append(Array(entry.answeredValues.values))
        }
        // The value of the characteristic stays what it was.
        #expect(kept == [[long], [], [Data([1])], [Data([21])], []])
        #expect(reader.values == [Array(long), [1], [21]] && reader.errors.count == 1 && answers.isEmpty)
    }

    @Test("What is sent to all goes on while one central is there, and stops with the last one")
    func lastCentral() throws {
        let world = World(seed: 5)
        let characteristic = ScriptedPeripheral.Characteristic(
            "FFF1",
            properties: [.read, .notify],
            updates: .every(.seconds(1)) { Data([UInt8($0)]) },
            sendsToAll: true
        )
        let script = ScriptedPeripheral(
            name: "Thing",
            services: [.init("FFF0", characteristics: [characteristic])]
        )
        let device = world.addPeripheral(script, as: "device")
        let phone = world.addDevice("phone").run { Explorer() }
        let tablet = world.addDevice("tablet").run { Explorer() }
        for explorer in [phone, tablet] { explorer.subscribes = false }
        try world.run(until: phone.isConnected && tablet.isConnected, within: .seconds(60))
        world.advance(by: .seconds(3))
        let uuid = CBUUID(string: "FFF1")
        #expect(Self.entry(device, uuid)?.timer != nil)
        var isSent: [Bool] = []
        for explorer in [phone, tablet] {
            explorer.central.cancelPeripheralConnection(try #require(explorer.peripheral))
            try world.run(until: !explorer.isConnected)
            world.advance(by: .milliseconds(500))
            let count = device.updateCount
            world.advance(by: .seconds(3))
            isSent.append(device.updateCount > count)
            isSent.append(Self.entry(device, uuid)?.timer != nil)
        }
        #expect(isSent == [true, true, false, false])
    }

    // MARK: Advertising

    private struct Advertised {
        var services: Int
        var manufacturer: Int?
        var serviceData: Int?
        var name: String?
        /// The types of what is advertised, and of what stands in the scan response.
        var data: [UInt8]
        var scanResponse: [UInt8] = []
        var isMistake = false
    }

    @Test("What has no space in the advertisement stands in the scan response, and what has none there is a mistake")
    func advertised() throws {
        func name(_ count: Int) -> String { String(repeating: "n", count: count) }
        let all: [Advertised] = [
            Advertised(services: 0, data: [0x01]),
            Advertised(services: 1, data: [0x01, 0x03]),
            Advertised(services: 1, manufacturer: 22, data: [0x01, 0x03, 0xFF]),
            Advertised(services: 1, manufacturer: 23, data: [0x01, 0x03], scanResponse: [0xFF]),
            Advertised(services: 1, manufacturer: 22, name: "Lamp", data: [0x01, 0x03, 0xFF], scanResponse: [0x09]),
            Advertised(services: 1, manufacturer: 23, name: "Lamp", data: [0x01, 0x03, 0x09], scanResponse: [0xFF]),
            Advertised(services: 0, manufacturer: 26, serviceData: 27, data: [0x01, 0xFF], scanResponse: [0x16]),
            Advertised(services: 0, manufacturer: 26, serviceData: 28, data: [0x01, 0xFF], isMistake: true),
            Advertised(services: 0, manufacturer: 29, serviceData: 24, data: [0x01, 0x16], scanResponse: [0xFF]),
            Advertised(services: 0, manufacturer: 30, data: [0x01], isMistake: true),
            Advertised(services: 0, name: name(26), data: [0x01, 0x09]),
            Advertised(services: 0, name: name(27), data: [0x01], scanResponse: [0x09]),
            Advertised(services: 0, name: name(29), data: [0x01], scanResponse: [0x09]),
            Advertised(services: 0, name: name(30), data: [0x01], scanResponse: [0x08]),
            Advertised(services: 13, name: "Lamp", data: [0x01, 0x03], scanResponse: [0x09]),
        ]
        for (number, expected) in all.enumerated() {
            var script = ScriptedPeripheral(name: expected.name)
            script.advertisement.services = (0..<expected.services).map { CBUUID(string: "FF\(10 + $0)") }
            script.advertisement.manufacturerData = expected.manufacturer.map { Data(repeating: 1, count: $0) }
            if let count = expected.serviceData {
                script.advertisement.serviceData = [
                    (service: CBUUID(string: "FFF1"), data: Data(repeating: 2, count: count))
                ]
            }
            let world = World(seed: 1)
            let device = world.addPeripheral(script, as: "Thing")
            let octets = device.player.advertisedOctets
            let data = AdvertisingData(parsing: octets.data).elements.map { $0.type.rawValue }
            let scanResponse = AdvertisingData(parsing: octets.scanResponse).elements.map { $0.type.rawValue }
            #expect(data == expected.data && scanResponse == expected.scanResponse, "\(number)")
            #expect(octets.data.readableBytes <= 31 && octets.scanResponse.readableBytes <= 31)
            if expected.isMistake {
                let error = #expect(throws: WorldError.self) { try world.run(until: true) }
                #expect(error?.reason.contains("more than 31 octets and 31 of scan response") == true)
            } else {
                try world.run(until: true)
            }
        }
    }

    @Test("Without a word of services the primary ones are advertised; what was recorded is advertised as it is")
    func advertisedServices() {
        var script = ScriptedPeripheral(
            services: [
                .init("FFF0", characteristics: []), .init("FFF2", isPrimary: false, characteristics: []),
                .init("FFF4", characteristics: []),
            ]
        )
        let world = World(seed: 1)
        let plain = world.addPeripheral(script, as: "plain").player.advertisedOctets
        #expect(Array(plain.data.readableBytesView) == [2, 1, 6, 5, 3, 0xF0, 0xFF, 0xF4, 0xFF])
        #expect(plain.scanResponse.readableBytes == 0)
        script.recordedAdvertisement = .init(data: Data([2, 1, 4]), scanResponse: Data([1, 2, 3]))
        let recorded = world.addPeripheral(script, as: "recorded").player.advertisedOctets
        #expect(Array(recorded.data.readableBytesView) == [2, 1, 4])
        #expect(Array(recorded.scanResponse.readableBytesView) == [1, 2, 3])
        withExtendedLifetime(world) {}
    }

    // MARK: Slow devices

    /// Notes what comes of a channel.
    private final class Receiver: HCIChannelReceiver {
        private(set) var notes: [String] = []

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            self.notes.append("\(channel is SlowChannel) \(packet.bytes.readableBytes)")
        }

        func channelDidFinishBatch(_ channel: any HCIChannel) { self.notes.append("\(channel is SlowChannel) end") }

        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
            self.notes.append("\(channel is SlowChannel) \(reason)")
        }
    }

    @Test("A slow device gets the data of its links later, and all else of its controller at once")
    func slowChannel() {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let event = HCIPacket(h4: ByteBuffer(bytes: [0x04, 0xFF, 0x01, 0x00]))
        let data = HCIPacket(h4: ByteBuffer(bytes: [0x02, 0x40, 0x20, 0x00, 0x00]))
        let (channel, receiver) = (phone.makeChannel(), Receiver())
        let slow = SlowChannel(channel, by: .milliseconds(20))
        slow.start(receiver: receiver)
        channel.channel(channel, didReceive: event)
        channel.channelDidFinishBatch(channel)
        channel.channel(channel, didReceive: data)
        #expect(receiver.notes == ["true 4", "true end"])
        world.advance(by: .milliseconds(19))
        #expect(receiver.notes.count == 2)
        world.advance(by: .milliseconds(1))
        #expect(receiver.notes == ["true 4", "true end", "true 5", "true end"])
        // What it sends arrives: the controller answers a Reset.
        slow.send(HCIPacket(h4: ByteBuffer(bytes: [0x01, 0x03, 0x0C, 0x00])))
        world.advance(by: .milliseconds(100))
        #expect(receiver.notes.contains("true 7"))
        channel.breakOff()
        #expect(receiver.notes.last == "true the controller of phone failed")
        // One that was closed hears nothing any more.
        let (other, silent) = (phone.makeChannel(), Receiver())
        let closed = SlowChannel(other, by: .milliseconds(20))
        closed.start(receiver: silent)
        other.channel(other, didReceive: data)
        closed.close()
        other.channel(other, didReceive: event)
        world.advance(by: .milliseconds(100))
        #expect(silent.notes.isEmpty)
        withExtendedLifetime((world, slow, closed, receiver, silent)) {}
    }
}
