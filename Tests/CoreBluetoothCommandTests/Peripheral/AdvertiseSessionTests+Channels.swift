// The L2CAP channels of a peripheral, octet by octet.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A channel of a peripheral")
@MainActor
struct PeripheralChannelsTests {
    /// A client of a channel, which is open.
    private func client(of served: ServedPeripheral, _ psm: CBL2CAPPSM = 192) throws -> ChannelClient {
        let client = served.world.addDevice("client").run { ChannelClient(psm) }
        try served.world.run(until: client.isOpen)
        return client
    }

    @Test("is told when it is published and opened, and for each piece that comes")
    func channel() throws {
        for isJSON in [false, true] {
            let json = #"{ "services": [], "channels": [ {}, { "security": "encrypted" } ] }"#
            let served = try ServedPeripheral(json, isJSON: isJSON)
            let client = try client(of: served)
            client.send(Data([0x01, 0xAB]))
            try served.world.run(until: client.received == Data([0x01, 0xAB]))
            client.send(Data([0x0C]))
            try served.world.run(until: client.received == Data([0x01, 0xAB, 0x0C]))
            let objects = [
                #"{"event":"channel","psm":192,"security":"none"}"#,
                #"{"event":"channel","psm":193,"security":"encrypted"}"#, #"{"event":"opened","psm":192}"#,
                #"{"event":"received","psm":192,"value":"01AB"}"#, #"{"event":"received","psm":192,"value":"0C"}"#,
            ]
            let words = [
                "the L2CAP channel 192 is open to centrals", "the L2CAP channel 193 is open to centrals, encrypted",
                "opened channel 192", "channel 192: 01AB", "channel 192: 0C",
            ]
            #expect(served.printedBesideLinks.filter { !$0.contains("advertising") } == (isJSON ? objects : words))
        }
    }

    @Test("is published anew each time that the adapter is on, the benchmark's first")
    func restarts() throws {
        let json = #"{ "services": [ { "uuid": "FFF0" } ], "channels": [ {}, { "security": "encrypted" } ] }"#
        let served = try ServedPeripheral(json, benchmark: true)
        let world = served.world
        let server = try #require(served.session.server)
        func lines(_ prefix: String) -> [String] { served.printed.filter { $0.hasPrefix(prefix) } }
        for number in 1...3 {
            try world.run(until: lines("the L2CAP channel ").count >= 2 * number && server.psm != 0)
            world.advance(by: .seconds(1))
            let (first, all) = (Int(server.psm), lines("the L2CAP channel "))
            #expect(all.count == 2 * number)
            #expect(
                Array(all.suffix(2)) == [
                    "the L2CAP channel \(first + 1) is open to centrals",
                    "the L2CAP channel \(first + 2) is open to centrals, encrypted",
                ]
            )
            #expect(lines("\"Safe\" is advertising ").count == number)
            world["peripheral"]?.isPowered = false
            world.advance(by: .seconds(1))
            world["peripheral"]?.isPowered = true
        }
    }

    @Test("is opened to those alone who have paired as it demands", arguments: [true, false])
    func security(hasCode: Bool) throws {
        let world = World()
        let display = ScriptedPairingAgent(.display)
        let json = #"{ "services": [], "channels": [ { "security": "authenticated" } ] }"#
        let session = try world.addDevice("safe", pairingAgent: display).run {
            let session = try AdvertiseSession.described(json)
            session.start()
            return session
        }
        let user = hasCode ? ScriptedPairingAgent(entering: [.right], shownBy: display) : nil
        let app = world.addDevice("phone", pairingAgent: user).run { ChannelClient(192) }
        app.send(Data([1, 2, 3]))
        try withExtendedLifetime(session) {
            if hasCode {
                try world.run(until: app.received == Data([1, 2, 3]))
            } else {
                try world.run(until: app.error != nil)
                #expect((app.error as? CBATTError)?.code == .insufficientAuthentication)
            }
        }
    }

    @Test("sends back all that comes, also to a client that takes it late")
    func echo() throws {
        let served = try ServedPeripheral(#"{ "name": "Safe", "services": [], "channels": [{}] }"#)
        let client = try client(of: served)
        client.reads = false
        let octets = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
        client.send(octets)
        served.world.advance(by: .seconds(60))
        #expect(client.received.isEmpty)
        #expect(client.unsent.count > 300_000)
        client.reads = true
        client.move()
        try served.world.run(until: client.received.count == octets.count)
        #expect(client.received == octets)
    }

    @Test("of the benchmark confirms what was announced, and sends what is ordered")
    func benchmarkChannel() throws {
        let served = try ServedPeripheral(nil, benchmark: true)
        let world = served.world
        let server = try #require(served.session.server)
        try world.run(until: server.psm != 0)
        let client = try client(of: served, server.psm)
        let number = { (count: UInt64) in count.littleEndianData }
        // Announced in two pieces; confirmed when the last octet is there.
        client.send(number(5).prefix(3))
        world.advance(by: .seconds(1))
        client.send(number(5).dropFirst(3) + [1, 2, 3, 4])
        world.advance(by: .seconds(1))
        #expect(client.received.isEmpty)
        client.send(Data([5]))
        try world.run(until: client.received == Data([1]))
        // Nothing is confirmed at once.
        client.send(number(0))
        try world.run(until: client.received == Data([1, 1]))
        for count in [3, 100_000] as [UInt64] {
            let before = client.received.count
            client.send(number(count | BenchmarkService.sendsBit))
            try world.run(until: client.received.count == before + Int(count))
            world.advance(by: .seconds(1))
            #expect(client.received.count == before + Int(count))
        }
        client.send(number(2) + [1, 2])
        try world.run(until: client.received.count == 100_006)
        #expect(client.received.last == 1)
    }
}
