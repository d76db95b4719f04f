// An air in virtual time, and hosts that send commands and store the answers.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

/// An air in virtual time with hosts on it.
final class AirTestbed {
    let loop = EmbeddedEventLoop()
    let air: Air

    init(_ settings: AirSettings = .instant, seed: UInt64 = 1) {
        self.air = Air(eventLoop: self.loop, settings: settings, seed: seed)
    }

    /// A host whose controller was reset and reports all events.
    func host(
        leEvents: LEEventMask = TestHost.usualEvents,
        _ change: (inout VirtualController.Configuration) -> Void = { _ in }
    ) -> TestHost {
        var configuration = VirtualController.Configuration()
        change(&configuration)
        return self.host(configuration: configuration, leEvents: leEvents)
    }

    func host(
        configuration: VirtualController.Configuration,
        leEvents: LEEventMask = TestHost.usualEvents
    ) -> TestHost {
        let host = TestHost(self, self.air.makeController(configuration: configuration))
        host.setUp(leEvents: leEvents)
        return host
    }

    func pass(_ time: TimeAmount) { self.loop.advanceTime(by: time) }
}

/// Data as a host gets it.
struct ReceivedData: Equatable {
    var handle: ConnectionHandle
    var boundary: ACLDataHeader.Boundary
    var octets: [UInt8]
}

final class TestHost: HCIChannelReceiver {
    /// All but the enhanced forms of the connection event.
    static let usualEvents = LEEventMask(
        rawValue: ~LEEventMask([.enhancedConnectionComplete, .enhancedConnectionCompleteV2]).rawValue
    )

    let testbed: AirTestbed
    let controller: VirtualController
    /// Events that were not taken yet.
    var events: [HCIEvent] = []
    var data: [ReceivedData] = []
    /// Every packet with its time, as octets.
    var trace: [String] = []
    var batches = 0
    var isInsideSend = false
    var onPacket: ((HCIPacket) -> Void)?
    /// Packets that the controller has accepted and not completed, by link.
    var outstanding: [ConnectionHandle: Int] = [:]
    var keepsTrace = false

    init(_ testbed: AirTestbed, _ controller: VirtualController) {
        self.testbed = testbed
        self.controller = controller
        controller.start(receiver: self)
    }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        #expect(!self.isInsideSend, "a receiver is never called from inside send")
        if self.keepsTrace {
            self.trace.append("\(self.testbed.loop.now.uptimeNanoseconds) \(packet.bytes.readableBytesView.map { $0 })")
        }
        do {
            if packet.kind == .aclData {
                let (header, fragment) = try packet.aclData()
                let octets = Array(fragment.readableBytesView)
                self.data.append(ReceivedData(handle: header.handle, boundary: header.boundary, octets: octets))
            } else {
                let event = try HCIEvent(packet)
                if case .numberOfCompletedPackets(let event) = event {
                    for element in event.completed {
                        self.outstanding[element.handle, default: 0] -= Int(element.count)
                    }
                }
                self.events.append(event)
            }
        } catch {
            Issue.record("malformed packet: \(error)")
        }
        self.onPacket?(packet)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.batches += 1 }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        Issue.record("a virtual controller does not close by itself")
    }

    // MARK: Sending

    func send(_ packet: HCIPacket) {
        self.isInsideSend = true
        self.controller.send(packet)
        self.isInsideSend = false
    }

    func send(_ command: some HCICommand) { self.send(command.packet()) }

    /// Sends a command and returns its answer.
    @discardableResult
    func run<Command: HCICommand>(
        _ command: Command,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Command.ReturnParameters? {
        self.send(command)
        self.testbed.loop.run()
        for (index, event) in self.events.enumerated() {
            switch event {
            case .commandComplete(let answer) where answer.opcode == Command.opcode:
                self.events.remove(at: index)
                #expect(answer.numberOfCommandPackets > 0, sourceLocation: sourceLocation)
                return try? answer.returned(by: Command.self)
            case .commandStatus(let answer) where answer.opcode == Command.opcode:
                self.events.remove(at: index)
                #expect(answer.numberOfCommandPackets > 0, sourceLocation: sourceLocation)
                var octets = ByteBuffer(integer: answer.status.rawValue)
                return try? Command.ReturnParameters(parsing: &octets)
            default: continue
            }
        }
        Issue.record("no answer to \(command)", sourceLocation: sourceLocation)
        return nil
    }

    /// Sends a command that has to succeed.
    func ok(_ command: some HCICommand, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(self.run(command, sourceLocation: sourceLocation)?.status == .success, sourceLocation: sourceLocation)
    }

    /// Sends a command that has to be refused.
    func refused(
        _ command: some HCICommand,
        _ status: HCIErrorCode,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.run(command, sourceLocation: sourceLocation)?.status == status, sourceLocation: sourceLocation)
    }

    /// Sends one ACL data packet.
    func sendData(
        _ octets: [UInt8],
        on handle: ConnectionHandle,
        boundary: ACLDataHeader.Boundary = .firstNonFlushable
    ) {
        self.outstanding[handle, default: 0] += 1
        self.send(.aclData(handle: handle, boundary: boundary, fragment: ByteBuffer(bytes: octets)))
    }

    // MARK: Events

    /// Takes out the first event of a type.
    func take<Event: HCIEventPayload>(_: Event.Type) -> Event? {
        for (index, event) in self.events.enumerated() {
            if let payload = event.payload as? Event {
                self.events.remove(at: index)
                return payload
            }
        }
        return nil
    }

    /// Takes out all events of a type.
    func takeAll<Event: HCIEventPayload>(_ type: Event.Type) -> [Event] {
        var found: [Event] = []
        while let event = self.take(type) { found.append(event) }
        return found
    }

    var reports: [LEAdvertisingReport] { self.takeAll(LEAdvertisingReports.self).flatMap { Array($0) } }

    var extendedReports: [LEExtendedAdvertisingReport] {
        self.takeAll(LEExtendedAdvertisingReports.self).flatMap { Array($0) }
    }

    // MARK: Common procedures

    func setUp(leEvents: LEEventMask = TestHost.usualEvents) {
        self.ok(Reset())
        self.ok(SetEventMask(mask: EventMask(rawValue: .max)))
        self.ok(LESetEventMask(mask: leEvents))
    }

    static let advertisingData = ByteBuffer(bytes: [0x02, 0x01, 0x06])
    static let scanResponse = ByteBuffer(bytes: [0x05, 0x09, 0x42, 0x61, 0x6C, 0x6C])

    func advertise(
        type: AdvertisingType = .connectableUndirected,
        ownAddressType: OwnAddressType = .public,
        peer: DeviceAddress = .none,
        filterPolicy: AdvertisingFilterPolicy = .all,
        interval: UInt16 = 0x00A0
    ) {
        self.ok(
            LESetAdvertisingParameters(
                interval: interval,
                type: type,
                ownAddressType: ownAddressType,
                peer: peer,
                filterPolicy: filterPolicy
            )
        )
        self.ok(LESetAdvertisingData(data: Self.advertisingData))
        self.ok(LESetScanResponseData(data: Self.scanResponse))
        self.ok(LESetAdvertisingEnable(isEnabled: true))
    }

    func scan(
        type: ScanType = .passive,
        filterPolicy: ScanFilterPolicy = .all,
        filter: DuplicateFilter = .off,
        interval: UInt16 = 0x10,
        window: UInt16 = 0x10
    ) {
        self.ok(
            LESetScanParameters(
                type: type,
                interval: ScanInterval(rawValue: interval),
                window: ScanInterval(rawValue: window),
                filterPolicy: filterPolicy
            )
        )
        self.ok(LESetScanEnable(isEnabled: true, filterDuplicates: filter))
    }

    func extendedScan(
        type: ScanType = .passive,
        filter: DuplicateFilter = .off,
        duration: UInt16 = 0,
        period: UInt16 = 0,
        filterPolicy: ScanFilterPolicy = .all
    ) {
        self.ok(LESetExtendedScanParameters(filterPolicy: filterPolicy, le1M: .init(type: type)))
        self.ok(
            LESetExtendedScanEnable(
                isEnabled: true,
                filterDuplicates: filter,
                duration: AdvertisingDuration(rawValue: duration),
                period: ScanPeriod(rawValue: period)
            )
        )
    }

    func addToResolvingList(_ peer: DeviceAddress, peerKey: Octets16 = .zero, localKey: Octets16 = .zero) {
        self.ok(Self.addition(of: peer, peerKey: peerKey, localKey: localKey))
    }

    static func addition(
        of peer: DeviceAddress,
        peerKey: Octets16 = .zero,
        localKey: Octets16 = .zero
    ) -> LEAddDeviceToResolvingList {
        LEAddDeviceToResolvingList(
            peer: peer,
            peerIdentityResolvingKey: peerKey,
            localIdentityResolvingKey: localKey
        )
    }

    /// Limits the packets from its controller to its buffers.
    func limitBuffers(_ count: UInt16) {
        self.ok(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: count))
        self.ok(SetControllerToHostFlowControl(mode: .acl))
    }

    /// Parameters with an interval of 24 units, 30 ms.
    static let parameters = ConnectionParameters(minimumInterval: 24, maximumInterval: 40, supervisionTimeout: 72)

    static func createConnection(
        to peer: DeviceAddress,
        filterPolicy: InitiatorFilterPolicy = .peer,
        ownAddressType: OwnAddressType = .public,
        parameters: ConnectionParameters = TestHost.parameters
    ) -> LECreateConnection {
        LECreateConnection(
            filterPolicy: filterPolicy,
            peer: peer,
            ownAddressType: ownAddressType,
            parameters: parameters
        )
    }
}

/// Two hosts with a link between them.
struct TestLink {
    let testbed: AirTestbed
    let central: TestHost
    let peripheral: TestHost
    let centralHandle: ConnectionHandle
    let peripheralHandle: ConnectionHandle

    /// Both hosts, with the handles that the link has for them.
    var ends: [(host: TestHost, handle: ConnectionHandle)] {
        [(self.central, self.centralHandle), (self.peripheral, self.peripheralHandle)]
    }

    init(
        _ testbed: AirTestbed,
        central: TestHost? = nil,
        peripheral: TestHost? = nil,
        parameters: ConnectionParameters = TestHost.parameters,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        self.testbed = testbed
        self.central = central ?? testbed.host()
        self.peripheral = peripheral ?? testbed.host()
        self.peripheral.advertise()
        self.central.ok(
            TestHost.createConnection(to: self.peripheral.controller.address, parameters: parameters),
            sourceLocation: sourceLocation
        )
        var passed = 0
        while passed < 200, !self.central.events.contains(where: { $0.payload is LEConnectionComplete }) {
            testbed.pass(.milliseconds(10))
            passed += 1
        }
        let atCentral = try #require(self.central.take(LEConnectionComplete.self), sourceLocation: sourceLocation)
        let atPeripheral = try #require(self.peripheral.take(LEConnectionComplete.self), sourceLocation: sourceLocation)
        #expect(atCentral.status == .success, sourceLocation: sourceLocation)
        self.centralHandle = atCentral.handle
        self.peripheralHandle = atPeripheral.handle
        _ = self.central.take(LEChannelSelectionAlgorithm.self)
        _ = self.peripheral.take(LEChannelSelectionAlgorithm.self)
    }

    /// A link whose supervision timeout of 32 s is long enough for procedures that wait.
    init(
        longTimeout settings: AirSettings,
        latency: UInt16 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try self.init(
            AirTestbed(settings),
            parameters: ConnectionParameters(interval: 24, latency: latency, supervisionTimeout: 3_200),
            sourceLocation: sourceLocation
        )
    }

    /// Asks for encryption at the central's host.
    func enableEncryption(_ key: Octets16 = .zero) {
        self.central.ok(LEEnableEncryption(handle: self.centralHandle, longTermKey: key))
    }

    /// Gives the key at the peripheral's host.
    func giveKey(_ key: Octets16 = .zero) {
        self.peripheral.ok(LELongTermKeyRequestReply(handle: self.peripheralHandle, longTermKey: key))
    }

    func refuseKey() { self.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: self.peripheralHandle)) }

    /// Encrypts the link, and takes out the events of it.
    func encrypt(sourceLocation: SourceLocation = #_sourceLocation) {
        self.enableEncryption()
        self.testbed.pass(.seconds(2))
        self.giveKey()
        self.testbed.pass(.seconds(2))
        for (host, _) in self.ends {
            #expect(host.take(EncryptionChange.self)?.encryption == .on, sourceLocation: sourceLocation)
            host.events = []
        }
    }

    /// Whether each end still has the link.
    var isOpen: [Bool] { self.ends.map { $0.host.controller.linkCount == 1 } }

    /// Takes out the reasons why the ends have lost the link.
    var reasons: [HCIErrorCode?] { self.ends.map { $0.host.take(DisconnectionComplete.self)?.reason } }
}

/// The answer of a controller that was just reset to a command, after others that succeed.
func freshStatus<Command: HCICommand>(_ command: Command, after others: [any HCICommand] = []) -> HCIErrorCode? {
    let host = AirTestbed().host()
    for other in others { host.ok(other) }
    return host.run(command)?.status
}
