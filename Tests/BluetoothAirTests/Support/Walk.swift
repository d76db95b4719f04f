// Walks: hosts on one air send commands and data that are chosen by a seed, mostly valid ones, with values at the edges of
// their ranges and now and then beyond them. All packets are noted by the hosts, so a walk on record holds what each of
// them answers and causes. Which steps there are is in the extensions beside this file, by subjects.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

/// Hosts whose commands are chosen by a seed.
final class Walk {
    /// One step of one host.
    typealias Step = (Walk, Int) -> Void

    let testbed: AirTestbed
    private(set) var hosts: [TestHost] = []
    private(set) var controllers: [Controller] = []
    private var generator: SeededGenerator
    private let configurations: [VirtualControllerConfiguration]

    /// How many octets of its stream an end has sent, and how many its peer's host has got, by host and handle.
    var sentCounts: [Int: Int] = [:]
    private var receivedCounts: [Int: Int] = [:]
    private(set) var wrongOctets = 0
    private(set) var receivedOctets = 0
    /// What went wrong that has to hold after each step.
    private(set) var violations: [String] = []
    /// How often each event came to any host.
    private(set) var eventCounts: [String: Int] = [:]

    /// A controller whose every resource is scarce.
    static var smallConfiguration: VirtualControllerConfiguration {
        var configuration = VirtualControllerConfiguration()
        configuration.aclDataPacketLength = 27
        configuration.aclDataPacketCount = 3
        configuration.maximumLinkCount = 2
        configuration.commandCredits = 1
        configuration.filterAcceptListSize = 2
        configuration.resolvingListSize = 2
        configuration.advertisingSetCount = 2
        return configuration
    }

    init(
        seed: UInt64,
        settings: AirSettings = .instant,
        configurations: [VirtualControllerConfiguration] = [.init(), .init(), Walk.smallConfiguration, .served]
    ) {
        self.generator = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 1)
        self.testbed = AirTestbed(settings, seed: seed)
        self.configurations = configurations
        for _ in configurations { self.addHost() }
    }

    private func addHost() {
        let host = TestHost(
            self.testbed,
            self.testbed.air.makeController(
                configuration: self.configurations[self.hosts.count % self.configurations.count]
            )
        )
        self.hosts.append(host)
        if let controller = self.testbed.air.controllers.last { self.controllers.append(controller) }
        self.setUp(self.hosts.count - 1)
    }

    /// Switches a device off, and puts a new one in its place.
    func replace(_ host: Int) {
        self.hosts[host].controller.close()
        let controller = self.testbed.air.makeController(configuration: self.configurations[host])
        self.hosts[host] = TestHost(self.testbed, controller)
        if let controller = self.testbed.air.controllers.last { self.controllers[host] = controller }
        // Its handles begin anew.
        self.sentCounts = self.sentCounts.filter { $0.key >> 16 != host }
        self.receivedCounts = self.receivedCounts.filter { $0.key >> 16 != host }
        self.setUp(host)
    }

    /// What a host sends first.
    func setUp(_ host: Int) {
        self.send(host, Reset())
        self.send(host, SetEventMask(mask: EventMask(rawValue: .max)))
        self.send(host, LESetEventMask(mask: TestHost.usualEvents))
    }

    // MARK: Chance

    func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self.generator) }

    /// Whether something happens that happens once in so many times.
    func once(in count: Int) -> Bool { self.number(1...count) == 1 }

    func one<Value>(of values: [Value]) -> Value { values[self.number(0...values.count - 1)] }

    /// A value of a parameter; once in 48 times one that it must not have.
    func value<Value>(_ valid: [Value], not invalid: [Value]) -> Value {
        self.one(of: invalid.isEmpty || !self.once(in: 48) ? valid : invalid)
    }

    func octets(_ count: Int) -> ByteBuffer { ByteBuffer(bytes: (0..<count).map { _ in UInt8(self.number(0...255)) }) }

    // MARK: Devices

    /// A key for resolvable private addresses.
    static func key(_ host: Int) -> Octets16 { Octets16(high: UInt64(host) + 1, low: 0x1122_3344_5566_7788) }

    /// A static random address.
    static func randomAddress(_ host: Int) -> DeviceAddress {
        DeviceAddress(0xC0AA_BBCC_DD00 + UInt64(host), kind: .random)
    }

    func other(_ host: Int) -> Int { (host + self.number(1...self.hosts.count - 1)) % self.hosts.count }

    /// An address of another device, or of none.
    func peer(of host: Int) -> DeviceAddress {
        let other = self.other(host)
        switch self.number(0...15) {
        case 0...8: return self.controllers[other].publicAddress
        case 9...11: return Self.randomAddress(other)
        case 12: return .none
        case 13: return DeviceAddress(self.controllers[other].publicAddress.value, kind: .publicIdentity)
        case 14: return self.controllers[other].settings.randomAddress ?? Self.randomAddress(other)
        default: return self.resolvableAddress(of: other)
        }
    }

    /// A resolvable private address of a device: one that it uses, or another one with its key.
    func resolvableAddress(of host: Int) -> DeviceAddress {
        let used = self.controllers[host].settings.privacy.list.compactMap { $0.local?.address }
        if let address = used.first, self.once(in: 2) { return address }
        return ResolvableAddress.make(Self.key(host), using: &self.generator)
    }

    /// A link of a host; one that there is not once in sixteen times, and where it has none.
    func handle(_ host: Int) -> ConnectionHandle {
        let entries = self.controllers[host].links.entries
        guard !entries.isEmpty, !self.once(in: 16) else { return ConnectionHandle(rawValue: 0x0ABC) }
        return self.one(of: entries).end.handle
    }

    // MARK: Going on

    func send(_ host: Int, _ command: some HCICommand) { self.hosts[host].send(command) }

    /// Walks: each step is chosen by its weight, and some time passes behind it.
    func run(_ count: Int, _ steps: [(weight: Int, step: Step)], times: [TimeAmount]) {
        let choices = steps.flatMap { Array(repeating: $0.step, count: $0.weight) }
        for _ in 0..<count {
            self.one(of: choices)(self, self.number(0...self.hosts.count - 1))
            self.testbed.loop.run()
            let time = self.one(of: times)
            if time > .zero { self.testbed.pass(time) }
            self.look()
        }
    }

    /// All devices are reset and stand together; what they had ends.
    func end() {
        self.testbed.loop.run()
        self.testbed.air.interference = nil
        self.testbed.air.walls = []
        self.testbed.air.setLoss(0)
        for host in self.hosts {
            host.controller.location = .distance(.metres(1))
            host.controller.isHostWritable = true
        }
        for host in self.hosts.indices { self.setUp(host) }
        self.testbed.pass(.seconds(40))
        self.look()
        for controller in self.controllers where controller.links.count != 0 {
            self.violations.append("links after a reset")
        }
    }

    /// Checks what has come to the hosts, and what always has to hold.
    private func look() {
        for (index, host) in self.hosts.enumerated() {
            for event in host.events {
                if let payload = event.payload { self.eventCounts["\(type(of: payload))", default: 0] += 1 }
            }
            host.events.removeAll(keepingCapacity: true)
            for data in host.data {
                let key = index << 16 | Int(data.handle.rawValue)
                for octet in data.octets {
                    if octet != Self.octet(self.receivedCounts[key, default: 0]) { self.wrongOctets += 1 }
                    self.receivedCounts[key, default: 0] += 1
                }
                self.receivedOctets += data.octets.count
            }
            host.data.removeAll(keepingCapacity: true)
            self.check(self.controllers[index])
        }
    }

    /// What a stream has at a place.
    static func octet(_ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: place &* 37 &+ place >> 8) }

    private func check(_ controller: Controller) {
        func require(_ condition: Bool, _ text: @autoclosure () -> String) {
            if !condition, self.violations.count < 10 { self.violations.append(text()) }
        }
        let configuration = controller.configuration
        let entries = controller.links.entries
        require(entries.count == controller.links.count, "the number of links is \(controller.links.count)")
        require(entries.count <= configuration.maximumLinkCount, "\(entries.count) links")
        require(entries.allSatisfy { $0.link.isOpen && $0.end.isPresent }, "a link that has ended is in the table")
        require(controller.transmitBuffers.used == entries.reduce(0) { $0 + $1.end.usedBuffers }, "buffers are lost")
        require(controller.transmitBuffers.used <= configuration.aclDataPacketCount, "too many buffers")
        require(controller.receiveBuffers.used == entries.reduce(0) { $0 + $1.end.unreportedPackets }, "host buffers")
        require(controller.settings.acceptList.count <= configuration.filterAcceptListSize, "accept list")
        require(controller.settings.privacy.list.count <= configuration.resolvingListSize, "resolving list")
        require(
            controller.advertisingSets.count { !$0.isLegacyAdvertiser } <= configuration.advertisingSetCount,
            "sets"
        )
        require(controller.isListening == (controller.hearing != .notListening), "what is heard")
    }

    /// Expects that nothing went wrong.
    func expectOrder(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(self.violations == [], sourceLocation: sourceLocation)
        #expect(self.wrongOctets == 0, "data comes whole and in order", sourceLocation: sourceLocation)
    }
}
