// Scripted peripherals like the ones people own: with and without what the specification asks for, slow, rude, with an
// app behind them; and what becomes of a mistake in a script.

import CoreBluetoothTesting
import Testbed
import Testing

@Suite("Scripted peripherals like the ones people own")
struct OwnedPeripheralTests {
    private static func meet(
        _ script: ScriptedPeripheral,
        setUp: (Explorer) -> Void = { _ in }
    ) throws -> (world: World, device: ScriptedDevice, phone: Explorer) {
        try Explorer.meet(script, seed: 21, setUp: setUp)
    }

    @Test("The Generic Attribute service has what the script says, or is not there")
    func genericAttribute() throws {
        for (content, changes, hash) in [
            (ScriptedPeripheral.GenericAttribute.absent, false, false), (.empty, false, false),
            (.serviceChanged, true, false), (.databaseHash, true, true),
        ] {
            var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read, value: Data([1]))])
            script.genericAttribute = content
            let (world, device, phone) = try Self.meet(script)
            #expect(phone.database.contains("FFF1 [1]"))
            let trace = world.trace.of("phone", .att)
            #expect(trace.contains("characteristic 2A05") == changes, "\(content)")
            #expect(trace.contains("characteristic 2B2A") == hash, "\(content)")
            device.publish([.init("FFF2", characteristics: [.init("FFF3", properties: .read)])])
            world.advance(by: .seconds(2))
            #expect(world.trace.of("phone", .att).contains("Indication") == changes, "\(content)")
        }
    }

    @Test("All descriptors are found, read and written")
    func descriptors() throws {
        let (world, device, phone) = try Self.meet(
            ScriptedPeripheral.thing([
                .init(
                    "FFF1",
                    properties: [.read, .notify, .extendedProperties],
                    value: Data([1]),
                    userDescription: "A thing",
                    descriptors: [
                        .presentationFormat(0x04, exponent: -1, unit: 0x272F), .serverConfiguration(isBroadcast: false),
                        .validRange(Data([0]), Data([9])), .init("2908", value: Data([1, 2])),
                    ]
                ),
                .init("FFF4", properties: .read, value: Data([2]), descriptors: [.writableDescription("Name me")]),
            ])
        )
        for descriptor in ["2900", "2901", "2902", "2903", "2904", "2906", "2908"] {
            #expect(phone.database.contains { $0.hasSuffix(" \(descriptor)") }, "\(descriptor)")
        }
        #expect(phone.database.contains { $0.contains("A thing") })
        #expect(phone.database.contains { $0.contains("Name me") })
        let writable = try #require(phone.characteristic("FFF4")?.descriptors?.first)
        phone.peripheral?.writeValue(Data("Kitchen".utf8), for: writable)
        world.advance(by: .seconds(1))
        phone.peripheral?.readValue(for: writable)
        world.advance(by: .seconds(1))
        #expect(phone.database.contains { $0.contains("Kitchen") }, "\(phone.database)")
        #expect(device.linkCount == 1)
    }

    @Test("Without a Client Characteristic Configuration nobody can subscribe, and yet values come")
    func withoutConfiguration() throws {
        let (world, device, phone) = try Self.meet(
            ScriptedPeripheral.thing([
                .init(
                    "FFF1",
                    properties: [.read, .notify],
                    updates: .every(.seconds(1)) { Data([UInt8(truncatingIfNeeded: $0)]) },
                    hasClientConfiguration: false
                )
            ])
        )
        #expect(!phone.database.contains { $0.contains("2902") })
        #expect(world.trace.of("phone", .att).contains("Notification 0x"))
        #expect(device.updateCount >= 2)
        #expect(device.notify(Data([9]), for: "FFF1") == 1)
    }

    @Test("One that sends to all sends while nobody has subscribed")
    func sendsToAll() throws {
        let (world, device, phone) = try Self.meet(
            ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .notify], sendsToAll: true)]),
            setUp: { $0.subscribes = false }
        )
        #expect(!device.hasSubscriber(for: CBUUID(string: "FFF1")))
        #expect(device.notify(Data([7]), for: "FFF1") == 1)
        world.advance(by: .seconds(1))
        #expect(world.trace.of("phone", .att).contains("Notification 0x"))
        // An app that has not subscribed gets nothing of it.
        #expect(phone.errors.isEmpty)
    }

    @Test("A slow device answers each request later, discovery too")
    func slow() throws {
        func time(_ latency: Duration) throws -> Duration {
            var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read, value: Data([1]))])
            script.latency = latency
            let world = World(seed: 22)
            world.addPeripheral(script)
            let phone = world.addDevice("phone").run { Explorer() }
            try world.run(until: phone.isConnected)
            let start = world.now
            try world.run(until: phone.database.contains("FFF1 [1]"))
            return world.now - start
        }
        let fast = try time(.zero)
        let slow = try time(.milliseconds(500))
        #expect(slow > fast + .seconds(3) && slow < .seconds(20), "\(fast), \(slow)")
    }

    @Test("Writes without response that come while there is no space are dropped, and the trace says so")
    func drops() throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: [.writeWithoutResponse, .write])])
        script.writeBuffer = .init(capacity: 3, processingTime: .milliseconds(100))
        let (world, device, phone) = try Self.meet(script)
        let characteristic = try #require(phone.characteristic("FFF1"))
        for number in 0..<8 {
            phone.peripheral?.writeValue(Data([UInt8(number)]), for: characteristic, type: .withoutResponse)
        }
        world.advance(by: .seconds(1))
        #expect(device.writes.map(\.value) == [Data([0]), Data([1]), Data([2])])
        #expect(world.trace.of("device").count(of: "drops a write without response: it has no space") == 5)
        phone.peripheral?.writeValue(Data([9]), for: characteristic, type: .withoutResponse)
        phone.peripheral?.writeValue(Data([10]), for: characteristic, type: .withResponse)
        world.advance(by: .seconds(1))
        #expect(device.writes.count == 5)
    }

    @Test("An app behind the device answers late, once")
    func late() throws {
        var replies: [(ScriptedPeripheral.Answer) -> Void] = []
        let (world, device, phone) = try Self.meet(
            ScriptedPeripheral.thing([
                .init(
                    "FFF1",
                    properties: [.read, .write],
                    onRead: { _ in .later { replies.append($0) } },
                    onWrite: { _, _ in .later { replies.append($0) } }
                )
            ])
        )
        #expect(replies.count == 1 && !phone.database.contains { $0.contains("[") })
        replies[0](.value(Data([5])))
        replies[0](.value(Data([6])))
        world.advance(by: .seconds(1))
        #expect(phone.database.contains("FFF1 [5]"))
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.writeValue(Data([8]), for: characteristic, type: .withResponse)
        world.advance(by: .seconds(1))
        #expect(phone.written == 0 && device.value(of: CBUUID(string: "FFF1")) == Data())
        replies[1](ScriptedPeripheral.Answer.success.delayed(by: .seconds(1)))
        world.advance(by: .milliseconds(500))
        #expect(phone.written == 0)
        world.advance(by: .seconds(1))
        #expect(phone.written == 1 && device.value(of: CBUUID(string: "FFF1")) == Data([8]))
    }

    @Test("L2CAP channels send back what comes, or what a closure says, and demand encryption")
    func channels() throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read)])
        script.channels = [
            .init(psm: 0x80),
            .init(
                psm: 0x81,
                security: .encrypted,
                onOpen: { $0.send(Data([1])) },
                onData: { data, channel in
                    channel.send(Data(data.reversed()))
                    if data.last == 0 { channel.close() }
                }
            ),
        ]
        let (world, device, phone) = try Self.meet(script)
        for psm: CBL2CAPPSM in [0x80, 0x81] { phone.peripheral?.openL2CAPChannel(psm) }
        try world.run(until: phone.channels.count == 2)
        #expect(device.bondCount == 1)
        for (index, channel) in phone.channels.enumerated() {
            channel.inputStream?.open()
            channel.outputStream?.open()
            let octets: [UInt8] = [3, 2, UInt8(index == 0 ? 1 : 0)]
            #expect(channel.outputStream?.write(octets, maxLength: 3) == 3)
        }
        world.advance(by: .seconds(2))
        var buffer = [UInt8](repeating: 0, count: 100)
        let received = phone.channels.map { channel -> [UInt8] in
            let count = channel.inputStream?.read(&buffer, maxLength: 100) ?? 0
            return Array(buffer.prefix(max(0, count)))
        }
        #expect(received == [[3, 2, 1], [1, 0, 2, 3]])
        #expect(device.channels.map(\.received) == [Data([3, 2, 1]), Data([3, 2, 0])])
        #expect(device.channels.map(\.isOpen) == [true, false])
    }

    @Test("A channel ends behind what was sent on it, and takes nothing more")
    func channelEnd() throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read)])
        let octets = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
        script.channels = [
            .init(
                psm: 0x80,
                onOpen: { channel in
                    channel.send(octets)
                    channel.close()
                    channel.send(Data([1]))
                    channel.close()
                }
            )
        ]
        let (world, device, phone) = try Self.meet(script)
        phone.peripheral?.openL2CAPChannel(0x80)
        try world.run(until: phone.channels.count == 1)
        #expect(device.channels.map(\.isOpen) == [false])
        let input = try #require(phone.channels.first?.inputStream)
        input.open()
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<2_000 where received.count < octets.count {
            world.advance(by: .milliseconds(20))
            while input.hasBytesAvailable {
                let count = input.read(&buffer, maxLength: buffer.count)
                guard count > 0 else { break }
                received += buffer[..<count]
            }
        }
        world.advance(by: .seconds(2))
        #expect(received == octets && !input.hasBytesAvailable)
    }

    @Test("Reading, writing and subscribing may each demand something else")
    func security() throws {
        let (world, device, phone) = try Self.meet(
            ScriptedPeripheral.thing([
                .init("FFF1", properties: [.read, .write], value: Data([1]), writeSecurity: .encrypted),
                .init("FFF2", properties: .notify, subscriptionSecurity: .encrypted),
            ]),
            setUp: { $0.subscribes = false }
        )
        #expect(phone.database.contains("FFF1 [1]") && device.bondCount == 0)
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.writeValue(Data([2]), for: characteristic, type: .withResponse)
        try world.run(until: phone.written == 1)
        #expect(device.bondCount == 1 && phone.errors.isEmpty)
        let second = try Self.meet(.thing([.init("FFF2", properties: .notify, subscriptionSecurity: .encrypted)]))
        try second.world.run(until: second.device.hasSubscriber(for: CBUUID(string: "FFF2")))
        #expect(second.device.bondCount == 1)
    }

    @Test("A mistake in a script fails one test, at the line where the script was made")
    func mistakes() throws {
        func service(_ characteristics: ScriptedPeripheral.Characteristic...) -> [ScriptedPeripheral.Service] {
            [.init("FFF0", characteristics: characteristics)]
        }
        let long = Data(repeating: 1, count: 513)
        let cases: [(services: [ScriptedPeripheral.Service], mistake: String)] = [
            (
                [
                    .init("FFF0", characteristics: [], handle: 40), .init("FFF1", characteristics: [], handle: 40),
                ], "the services FFF0 and FFF1 have the same handle, 40"
            ),
            (
                [.init("FFF0", characteristics: [], handle: 1)],
                "the service FFF0 cannot be: the handles of the service are not free"
            ),
            (
                service(.init("FFF1", properties: .read, value: long)),
                "a value of the characteristic FFF1 has 513 octets; 512 are the limit"
            ),
            (
                service(.init("FFF1", properties: .read, descriptors: [.init("2904", value: long)])),
                "a value of the descriptor 2904 has 513 octets"
            ),
            (
                service(.init("FFF1", properties: .read, updates: .every(.seconds(1)) { _ in Data() })),
                "the characteristic FFF1 sends values without the property notify or indicate"
            ),
            (
                service(.init("FFF1", properties: .read, descriptors: [.init("2902", value: Data())])),
                "the descriptor 2902 of FFF1 follows from the properties"
            ),
            (
                [.init("FFF0", characteristics: [], includes: [CBUUID(string: "180F")])],
                "the service FFF0 includes 180F, which the script does not have"
            ),
            (
                [.init("FFF0", characteristics: [], includes: [CBUUID(string: "FFF0")])],
                "the service FFF0 includes itself"
            ),
        ]
        for (services, mistake) in cases {
            let line = #line + 1
            let script = ScriptedPeripheral(name: "Thing", services: services)
            let world = World(seed: 1)
            let device = world.addPeripheral(script)
            let error = #expect(throws: WorldError.self) { try world.run(until: false) }
            let reason = try #require(error?.reason)
            #expect(reason.contains("OwnedPeripheralTests.swift:\(line): \"Thing\": "), "\(reason)")
            #expect(reason.contains(mistake), "\(reason)")
            #expect(device.trace.contains(mistake))
            // It is thrown once, and what is right works.
            try world.run(until: true)
            let published = #line + 1
            device.publish(services)
            let again = #expect(throws: WorldError.self) { try world.run(until: false) }
            #expect(again?.reason.contains("OwnedPeripheralTests.swift:\(published): ") == true)
        }
    }

    @Test("notify and setValue with what cannot be fail at their line, and so do advertisements and channels")
    func wrongCalls() throws {
        let world = World(seed: 1)
        let device = world.addPeripheral(ScriptedPeripheral.thing([.init("FFF1", properties: .read)]))
        let line = #line + 1
        #expect(device.notify(Data([1]), for: "FFF1") == 0)
        let notify = #expect(throws: WorldError.self) { try world.run(until: false) }
        #expect(notify?.reason.contains(":\(line): \"Thing\": the characteristic FFF1 has neither") == true)
        device.setValue(Data(repeating: 0, count: 600), of: CBUUID(string: "FFF1"))
        let value = #expect(throws: WorldError.self) { try world.run(until: false) }
        #expect(value?.reason.contains(":\(#line - 2): \"Thing\": a value of the characteristic FFF1 has 600") == true)
        for script in [
            ScriptedPeripheral(
                name: "Thing",
                advertisement: .init(manufacturerData: Data(repeating: 1, count: 80))
            ),
            ScriptedPeripheral(name: "Thing", channels: [.init(psm: 0x80), .init(psm: 0x80)]),
        ] {
            let world = World(seed: 1)
            world.addPeripheral(script)
            let error = #expect(throws: WorldError.self) { try world.run(until: false) }
            #expect(error?.reason.contains("OwnedPeripheralTests.swift:") == true)
        }
    }
}
