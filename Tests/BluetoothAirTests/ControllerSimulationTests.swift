// Hosts on one air that send random commands and data, most of them valid.
//
//     SEEDS=1-5000 TESTS=BluetoothAirTests swift test --filter ControllerSimulation

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Controllers with random hosts")
struct ControllerSimulationTests {
    @Test("loses no octet, buffer or link, and keeps its limits", arguments: simulationSeeds(8))
    func commands(seed: UInt64) {
        let simulation = ControllerSimulation(seed: seed)
        for _ in 0..<600 { simulation.step() }
        simulation.end()
        #expect(simulation.violations == [])
        #expect(simulation.linkCount > 5 && simulation.receivedOctets > 1_000)
    }

    @Test("two runs with a seed are equal, octet for octet", arguments: simulationSeeds(4))
    func determinism(seed: UInt64) {
        let traces = (0..<2).map { _ in
            let simulation = ControllerSimulation(seed: seed, keepsTrace: true)
            for _ in 0..<200 { simulation.step() }
            return simulation.trace
        }
        #expect(traces[0].count > 200 && traces[0] == traces[1])
    }

    @Test("answers each known command once, and other octets at most once", arguments: simulationSeeds(4))
    func octets(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        let loss: LossProbability = seed.isMultiple(of: 2) ? 0 : 0.1
        let testbed = AirTestbed(AirSettings(hasAirTime: seed.isMultiple(of: 2), loss: loss), seed: seed)
        let (host, other) = (testbed.host(), testbed.host())
        let link = try TestLink(testbed, central: other, peripheral: host)
        let opcodes = HCICommandTable.entries.map { $0.command.opcode }.filter { $0 != Reset.opcode }
        for _ in 0..<2_000 {
            var packet = choices.octets(choices.below(41)).map { choices.once(in: 2) ? $0 % 5 : $0 }
            var answers = 0...1
            if choices.once(in: 2) {
                // A known command, often with the handle of the link.
                let opcode = choices.pick(opcodes)
                let handle = link.peripheralHandle.rawValue
                if choices.once(in: 2) { packet = [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] + packet }
                let head: [UInt8] = [1, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8)]
                packet = head + [UInt8(packet.count)] + packet
                if opcode != HostNumberOfCompletedPackets.opcode { answers = 1...1 }
            }
            host.events = []
            host.send(HCIPacket(h4: ByteBuffer(bytes: packet)))
            testbed.loop.run()
            #expect(answers.contains(host.events.count { $0.answers }), "\(packet)")
            if choices.once(in: 20) { testbed.pass(.milliseconds(20)) }
        }
        testbed.air.setLoss(0)
        for host in [host, other] {
            host.controller.location = .distance(.metres(1))
            host.setUp(leEvents: TestHost.usualEvents)
        }
        testbed.pass(.seconds(40))
        for host in [host, other] {
            #expect(host.controller.linkCount == 0)
            host.events = []
        }
        _ = try TestLink(testbed, central: host, peripheral: other)
    }
}

extension HCIEvent {
    /// Whether the event is the answer to a command.
    fileprivate var answers: Bool {
        switch self {
        case .commandComplete(let event): event.opcode.rawValue != 0
        case .commandStatus(let event): event.opcode.rawValue != 0
        default: false
        }
    }
}

/// Four hosts on one air.
private final class ControllerSimulation {
    private static let keys = [Octets16(high: 1, low: 2), Octets16(high: 3, low: 4)]
    private static let times: [TimeAmount] = [
        .zero, .zero, .microseconds(3_750), .milliseconds(10), .milliseconds(30), .milliseconds(100), .seconds(1),
    ]
    private static let properties: [AdvertisingEventProperties] = [
        [.legacy, .connectable, .scannable], [.connectable], [], [.anonymous],
    ]
    private static let configurations = [VirtualController.Configuration(), .init(), .small, .served]

    private let testbed: AirTestbed
    private let isExtended: Bool
    private var hosts: [TestHost] = []
    private var controllers: [Controller] = []
    private var choices: SeededChoices
    /// Octets of each stream that were sent and received, by host and handle.
    private var sent: [Int: Int] = [:]
    private var received: [Int: Int] = [:]
    private(set) var receivedOctets = 0
    private(set) var linkCount = 0
    private(set) var violations: [String] = []

    /// Every packet of the hosts with its time.
    var trace: [String] { self.hosts.flatMap(\.trace) }
    private let keepsTrace: Bool

    init(seed: UInt64, keepsTrace: Bool = false) {
        self.keepsTrace = keepsTrace
        self.choices = SeededChoices(seed: seed)
        self.isExtended = seed.isMultiple(of: 2)
        let loss: LossProbability = seed % 4 < 2 ? 0 : 0.15
        self.testbed = AirTestbed(AirSettings(hasAirTime: seed % 8 < 4, loss: loss), seed: seed)
        for configuration in Self.configurations {
            self.hosts.append(self.testbed.host(configuration: configuration))
            self.hosts.last?.keepsTrace = keepsTrace
            self.controllers.append(contentsOf: self.testbed.air.controllers.suffix(1))
        }
    }

    // MARK: Steps

    func step() {
        let index = self.choices.below(self.hosts.count)
        switch self.choices.below(32) {
        case 0...1: self.advertise(index)
        case 2...3: self.scan(index)
        case 4...8: self.connect(index)
        case 9...16: self.sendData(index)
        case 17...21: self.useLink(index)
        case 22...24: self.encrypt(index)
        case 25...26: self.controlFlow(index)
        case 27: self.useLists(index)
        case 28: self.move(index)
        case 29: self.testbed.air.setLoss(self.choices.pick([0, 0, 0.1, 0.3, 1]))
        case 30: if self.choices.once(in: 3) { self.reset(index) }
        default: if self.choices.once(in: 3) { self.replace(index) }
        }
        self.testbed.loop.run()
        let time = self.choices.pick(Self.times)
        if time > .zero { self.testbed.pass(time) }
        self.check()
    }

    /// Ends all activities of the hosts.
    func end() {
        self.testbed.air.setLoss(0)
        for host in self.hosts {
            host.controller.location = .distance(.metres(1))
            host.controller.isHostWritable = true
        }
        for index in self.hosts.indices { self.reset(index) }
        self.testbed.pass(.seconds(40))
        self.check()
        for controller in self.controllers {
            self.require(controller.links.count == 0, "links after a reset")
            self.require(controller.transmitBuffers.used == 0 && controller.receiveBuffers.used == 0, "used buffers")
        }
    }

    private func reset(_ index: Int) {
        self.hosts[index].send(Reset())
        self.hosts[index].send(SetEventMask(mask: EventMask(rawValue: .max)))
        self.hosts[index].send(LESetEventMask(mask: TestHost.usualEvents))
    }

    private func replace(_ index: Int) {
        self.hosts[index].controller.close()
        self.hosts[index] = self.testbed.host(configuration: Self.configurations[index])
        self.hosts[index].keepsTrace = self.keepsTrace
        if let controller = self.testbed.air.controllers.first(where: { !self.isKnown($0) }) {
            self.controllers[index] = controller
        }
        // Its handles restart.
        self.sent = self.sent.filter { $0.key >> 16 != index }
        self.received = self.received.filter { $0.key >> 16 != index }
    }

    private func isKnown(_ controller: Controller) -> Bool { self.controllers.contains { $0 === controller } }

    private func advertise(_ index: Int) {
        let host = self.hosts[index]
        guard self.isExtended else {
            host.send(LESetAdvertisingParameters(interval: 0x20, type: .init(rawValue: UInt8(self.choices.below(5)))))
            host.send(LESetAdvertisingData(data: ByteBuffer(bytes: self.choices.octets(self.choices.below(32)))))
            return host.send(LESetAdvertisingEnable(isEnabled: !self.choices.once(in: 3)))
        }
        let handle = AdvertisingHandle(rawValue: UInt8(self.choices.below(4)))
        let properties = self.choices.pick(Self.properties)
        host.send(LESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(handle: handle)]))
        host.send(LESetExtendedAdvertisingParameters(advertisingHandle: handle, properties: properties, interval: 0x20))
        let data = ByteBuffer(bytes: self.choices.octets(self.choices.below(252)))
        host.send(LESetExtendedAdvertisingData(advertisingHandle: handle, data: data))
        host.send(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: handle)]))
        if self.choices.once(in: 6) { host.send(LERemoveAdvertisingSet(advertisingHandle: handle)) }
    }

    private func scan(_ index: Int) {
        let (host, type) = (self.hosts[index], self.choices.pick([ScanType.active, .passive]))
        if self.isExtended {
            host.send(LESetExtendedScanParameters(le1M: .init(type: type)))
            host.send(LESetExtendedScanEnable(isEnabled: !self.choices.once(in: 3), filterDuplicates: .on))
        } else {
            host.send(LESetScanParameters(type: type))
            host.send(LESetScanEnable(isEnabled: !self.choices.once(in: 3)))
        }
        host.controller.setReportNeed(self.choices.pick([.all, .changes(1), .changes(2)]))
    }

    private var parameters: ConnectionParameters {
        ConnectionParameters(
            interval: 24,
            latency: self.choices.pick([0, 0, 2]),
            supervisionTimeout: self.choices.pick([72, 300])
        )
    }

    /// Makes one host advertise and another one connect to it.
    private func connect(_ index: Int) {
        let (central, peripheral) = (self.hosts[index], self.hosts[self.other(index)])
        let peer = peripheral.controller.address
        central.send(LECreateConnectionCancel())
        if self.isExtended {
            let properties: AdvertisingEventProperties =
                self.choices.once(in: 2) ? [.connectable] : [.legacy, .connectable, .scannable]
            peripheral.send(
                LESetExtendedAdvertisingParameters(advertisingHandle: 0, properties: properties, interval: 0x20)
            )
            peripheral.send(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: 0)]))
            central.send(LEExtendedCreateConnection(peer: peer, le1M: .init(parameters: self.parameters)))
        } else {
            peripheral.send(LESetAdvertisingParameters(interval: 0x20))
            peripheral.send(LESetAdvertisingEnable(isEnabled: true))
            central.send(TestHost.createConnection(to: peer, parameters: self.parameters))
        }
        self.testbed.pass(.milliseconds(40))
    }

    private func other(_ index: Int) -> Int {
        (index + 1 + self.choices.below(self.hosts.count - 1)) % self.hosts.count
    }

    /// Sends packets of the stream of a link: each end has its own.
    private func sendData(_ index: Int) {
        let controller = self.controllers[index]
        guard let entry = controller.links.entries.randomElement(using: &self.choices) else { return }
        let model = controller.model
        var used = controller.transmitBuffers.used
        let key = index << 16 | Int(entry.end.handle.rawValue)
        for _ in 0..<(self.choices.once(in: 8) ? model.aclDataPacketCount + 1 : 3) {
            let length = self.choices.pick([0, 1, 20, 27, 28, 100, 250, 251, 252])
            let start = self.sent[key, default: 0]
            let octets = (0..<length).map { Self.octet(start + $0) }
            self.hosts[index].sendData(octets, on: entry.end.handle)
            guard used < model.aclDataPacketCount, length <= model.aclDataPacketLength else { continue }
            used += 1
            self.sent[key] = start + length
        }
    }

    private func useLink(_ index: Int) {
        guard let entry = self.controllers[index].links.entries.randomElement(using: &self.choices) else { return }
        let (host, handle) = (self.hosts[index], entry.end.handle)
        switch self.choices.below(8) {
        case 0...1: host.send(LEConnectionUpdate(handle: handle, parameters: self.parameters))
        case 2: host.send(LEReadRemoteFeatures(handle: handle))
        case 3: host.send(ReadRemoteVersionInformation(handle: handle))
        case 4:
            let octets = self.choices.pick([27, 100, 251] as [UInt16])
            host.send(LESetDataLength(handle: handle, transmitOctets: octets, transmitTime: 2_120))
        case 5:
            let phys = PHYPreference(transmitter: self.choices.pick([.le1M, .le2M, .leCoded]), receiver: nil)
            host.send(LESetPHY(handle: handle, preference: phys))
        case 6: host.send(WriteAuthenticatedPayloadTimeout(handle: handle, timeout: 100))
        default: if self.choices.once(in: 2) { host.send(Disconnect(handle: handle)) }
        }
    }

    /// Answers a request of the controller, or begins encryption.
    private func encrypt(_ index: Int) {
        guard let entry = self.controllers[index].links.entries.randomElement(using: &self.choices) else { return }
        let (host, handle) = (self.hosts[index], entry.end.handle)
        let key = Self.keys[self.choices.once(in: 12) ? 1 : 0]
        if case .awaitsHost = entry.end.parameterUpdate {
            host.send(LERemoteConnectionParameterRequestReply(handle: handle, parameters: self.parameters))
        } else if entry.end.role == .peripheral, entry.link.awaitsKey {
            if self.choices.once(in: 8) { return host.send(LELongTermKeyRequestNegativeReply(handle: handle)) }
            host.send(LELongTermKeyRequestReply(handle: handle, longTermKey: key))
        } else {
            host.send(LEEnableEncryption(handle: handle, longTermKey: key))
        }
    }

    private func controlFlow(_ index: Int) {
        let host = self.hosts[index]
        switch self.choices.below(4) {
        case 0:
            let count = UInt16(1 + self.choices.below(12))
            host.send(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: count))
            host.send(SetControllerToHostFlowControl(mode: self.choices.pick([.off, .acl])))
        case 1: host.controller.isHostWritable = !self.choices.once(in: 4)
        default:
            // Some, all, or more packets than the host has.
            let completed = self.controllers[index].links.entries.map { entry in
                let count = self.choices.once(in: 3) ? entry.end.unreportedPackets : self.choices.below(3)
                return CompletedPackets.Element(handle: entry.end.handle, count: UInt16(count))
            }
            host.send(HostNumberOfCompletedPackets(completed: CompletedPackets(completed)))
        }
    }

    private func useLists(_ index: Int) {
        let (host, peer) = (self.hosts[index], self.hosts[self.other(index)].controller.address)
        host.send(LEAddDeviceToFilterAcceptList(entry: .device(peer)))
        let key = Octets16(high: UInt64(index) + 1, low: 1)
        host.send(
            LEAddDeviceToResolvingList(peer: peer, peerIdentityResolvingKey: .zero, localIdentityResolvingKey: key)
        )
        if self.choices.once(in: 4) { host.send(LEClearFilterAcceptList()) }
        if self.choices.once(in: 4) { host.send(LEClearResolvingList()) }
    }

    private func move(_ index: Int) {
        self.hosts[index].controller.distance = .metres(self.choices.pick([0, 1, 1, 1, 334, 335, 400]))
    }

    // MARK: Invariants

    private static func octet(_ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: place &* 37 &+ place >> 8) }

    private func require(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition, self.violations.count < 10 { self.violations.append(text()) }
    }

    private func check() {
        for (index, host) in self.hosts.enumerated() {
            self.linkCount += host.events.count { ($0.payload as? LEConnectionComplete)?.status == .success }
            host.events = []
            for data in host.data {
                let key = index << 16 | Int(data.handle.rawValue)
                for octet in data.octets {
                    self.require(octet == Self.octet(self.received[key, default: 0]), "wrong octet")
                    self.received[key, default: 0] += 1
                }
                self.receivedOctets += data.octets.count
            }
            host.data = []
            self.check(self.controllers[index])
        }
    }

    private func check(_ controller: Controller) {
        let model = controller.model
        let (links, settings) = (controller.links.entries, controller.settings)
        self.require(links.count == controller.links.count && links.count <= model.maximumLinkCount, "links")
        self.require(links.allSatisfy { $0.link.isOpen && $0.end.isPresent }, "an ended link is in the table")
        let transmit = controller.transmitBuffers.used
        self.require(transmit == links.reduce(0) { $0 + $1.end.usedBuffers }, "buffers are lost")
        self.require(transmit <= model.aclDataPacketCount, "too many buffers")
        let receive = controller.receiveBuffers.used
        self.require(receive == links.reduce(0) { $0 + $1.end.unreportedPackets }, "host buffers are lost")
        self.require(settings.acceptList.count <= model.filterAcceptListSize, "filter accept list")
        self.require(settings.privacy.list.count <= model.resolvingListSize, "resolving list")
        let sets = controller.advertisingSets.count { !$0.isLegacyAdvertiser }
        self.require(sets <= model.advertisingSetCount, "advertising sets")
        self.require(controller.isListening == (controller.hearing != .notListening), "hearing")
    }
}
