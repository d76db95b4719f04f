// The harness of the host's tests: a host on a scripted controller, in virtual time.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

/// A host on a scripted controller, in virtual time.
final class HostTestbed {
    /// Addresses of peers.
    static let peers = (1...3).map { DeviceAddress(0xC000_0000_0000 + UInt64($0), kind: .random) }

    let loop = EmbeddedEventLoop()
    let controller: ScriptedController
    let host: LEHost
    let delegate = RecordingDelegate()
    /// A user supplied by the test, which the host does not retain.
    private var user: (any LEHostDelegate)?
    /// The number of reported ends of graceful shutdowns.
    private(set) var shutdownCount = 0

    init(_ configuration: LEHostConfiguration = LEHostConfiguration()) {
        self.controller = ScriptedController(eventLoop: self.loop)
        self.host = LEHost(eventLoop: self.loop, configuration: configuration)
        self.host.delegate = self.delegate
    }

    /// A host that has set up its controller, which `prepare` may modify first.
    static func attached(
        _ configuration: LEHostConfiguration = LEHostConfiguration(),
        _ prepare: (ScriptedController) -> Void = { _ in }
    ) -> HostTestbed {
        let testbed = HostTestbed(configuration)
        prepare(testbed.controller)
        testbed.attach()
        return testbed
    }

    /// Discards the commands and reports of the setup.
    static func started(
        _ configuration: LEHostConfiguration = LEHostConfiguration(),
        _ prepare: (ScriptedController) -> Void = { _ in }
    ) -> HostTestbed {
        let testbed = self.attached(configuration, prepare)
        testbed.forget()
        return testbed
    }

    /// A started host with a user supplied by the test, whose data is reported as sent immediately.
    static func used(by user: any LEHostDelegate) -> HostTestbed {
        let testbed = HostTestbed()
        testbed.use(user)
        testbed.controller.dataIsAnswered = true
        testbed.start()
        return testbed
    }

    func use(_ user: any LEHostDelegate) {
        self.user = user
        self.host.delegate = user
    }

    /// Attaches the host, and lets it set up the controller.
    func attach() {
        self.host.attach(to: self.controller)
        self.run()
    }

    /// Attaches the host, and discards its commands and reports.
    func start() {
        self.attach()
        self.forget()
    }

    /// Attaches the host to another controller.
    func attachAnother() -> ScriptedController {
        let controller = ScriptedController(eventLoop: self.loop)
        self.host.attach(to: controller)
        self.run()
        return controller
    }

    /// Discards the commands and reports that were recorded.
    func forget() {
        _ = self.controller.takeCommands()
        _ = self.delegate.takeLines()
    }

    /// Lets time pass.
    func run(_ time: TimeAmount = .zero) { self.loop.advanceTime(by: time) }

    // MARK: Links

    /// Connects as a central, and discards the commands and reports.
    @discardableResult
    func connect(_ handle: UInt16, _ peer: DeviceAddress) -> LinkID? {
        self.host.connect(to: peer)
        self.run()
        self.controller.connect(handle, peer: peer, role: .central)
        self.run()
        self.forget()
        return self.host.links.last?.id
    }

    /// A link in the peripheral role, on which the host sends nothing unprompted.
    func acceptLink(_ handle: UInt16, from peer: DeviceAddress? = nil) -> LinkID? {
        let peer = peer ?? DeviceAddress(UInt64(handle), kind: .public)
        self.controller.connect(handle, peer: peer, role: .peripheral)
        self.run()
        return self.host.links.last?.id
    }

    /// Connects to the peer in a role, with the handle 0x40; its address is that of the peripheral of a
    /// ``SecurityManagerPair``.
    func connect(_ role: ConnectionRole) {
        let peer = SecurityManagerPair.peripheralAddress
        if role == .central {
            self.host.connect(to: peer)
            self.run()
        }
        self.controller.connect(0x40, peer: peer, role: role)
        self.run()
    }

    /// A link ends.
    func endLink(_ reason: HCIErrorCode = .connectionTimeout, _ handle: UInt16 = 0x40) {
        self.controller.disconnect(handle, reason: reason)
        self.run()
    }

    /// The handle and the reason of the last link that was ended.
    func disconnected() throws -> Disconnect { try self.controller.last(Disconnect.self) }

    /// Shuts the host down within a second.
    func shutDown() {
        let before = self.shutdownCount
        self.host.detachGracefully(within: .seconds(1)) { self.shutdownCount += 1 }
        #expect(self.shutdownCount == before, "nothing is called re-entrantly")
        self.run()
    }

    // MARK: Events

    func deliver(_ packet: HCIPacket) {
        self.controller.deliver(packet)
        self.run()
    }

    /// Answers an unanswered command.
    func answer(_ opcode: HCIOpcode) {
        self.controller.silent = []
        self.deliver(CommandComplete(opcode: opcode, returnParameters: ByteBuffer(integer: UInt8(0))).packet())
    }

    /// Reports an advertisement.
    func report(_ address: DeviceAddress, _ type: LEAdvertisingReport.EventType = .connectableUndirected) {
        let report = LEAdvertisingReport(eventType: type, address: address, data: hex("02 01 06"), rssi: -40)
        self.deliver(LEAdvertisingReports.packet(report))
    }

    /// The peer, as the central, begins to encrypt.
    func requestKey(_ handle: UInt16 = 0x40) {
        let handle = ConnectionHandle(rawValue: handle)
        self.deliver(LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet())
    }

    /// Encryption is on, or ended with an error.
    func encryptionChanged(_ status: HCIErrorCode = .success, _ handle: UInt16 = 0x40) {
        let handle = ConnectionHandle(rawValue: handle)
        let encryption: EncryptionStatus = status == .success ? .on : .off
        self.deliver(EncryptionChange(status: status, handle: handle, encryption: encryption).packet())
    }

    /// The peer, as the central, begins to encrypt with the key of the bond, and the controller reports the outcome.
    func encrypt(_ status: HCIErrorCode = .success) {
        self.requestKey()
        self.encryptionChanged(status)
    }

    // MARK: Data of the link 0x40

    /// Octets of the peer on a channel.
    func receive(_ channel: UInt16, _ octets: String, from handle: UInt16 = 0x40) {
        self.controller.receive(handle, channel: channel, Array(hex(octets).readableBytesView))
        self.run()
    }

    /// The controller has sent packets of a link.
    func complete(_ count: UInt16, of handle: UInt16 = 0x40) {
        self.controller.complete(handle, count: count)
        self.run()
    }

    /// The channel and the octets of each frame that was sent since the last call.
    func takeFrames() -> [String] {
        // In front of them are the type octet, the ACL data header and the length of the frame.
        self.controller.takeData().map { String(hex($0.bytes).dropFirst(21)) }
    }

    /// The frames that were sent since the last call, without their channels, such as ATT PDUs.
    func takePayloads() -> [String] { self.takeFrames().map { String($0.dropFirst(6)) } }

    /// The frames that were sent since the last call and in the next turn, without their channels.
    func sent() -> [String] {
        self.run()
        return self.takePayloads()
    }

    /// The frames that are sent after an ATT PDU of the peer, without their channels.
    func answers(_ octets: String) -> [String] {
        self.receive(4, octets)
        return self.takePayloads()
    }

    // MARK: Values

    /// Adds a service with one characteristic.
    func addCharacteristic(
        _ properties: CharacteristicProperties,
        _ permissions: AttributePermissions = [],
        value: ByteBuffer? = nil,
        subscriptionSecurity: SecurityRequirement = .none
    ) throws -> GATTServiceHandles.Characteristic {
        try self.host.addService(
            GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [
                    GATTCharacteristicDefinition(
                        uuid: 0xA001,
                        properties: properties,
                        permissions: permissions,
                        value: value,
                        subscriptionSecurity: subscriptionSecurity
                    )
                ]
            )
        ).characteristics[0]
    }

    /// A link in the peripheral role, over which a client subscribes to a characteristic of the host.
    func subscribe(
        _ handle: UInt16,
        from peer: DeviceAddress
    ) throws -> (link: LinkID, characteristic: AttributeHandle) {
        let characteristic = try self.addCharacteristic(.notify)
        let link = try #require(self.acceptLink(handle, from: peer))
        try self.subscribe(handle, to: characteristic)
        self.complete(1, of: handle)
        _ = self.controller.takeData()
        _ = self.delegate.takeLines()
        return (link, characteristic.value)
    }

    /// The client of a link subscribes.
    func subscribe(_ handle: UInt16, to characteristic: GATTServiceHandles.Characteristic) throws {
        let configuration = try #require(characteristic.clientConfiguration)
        self.controller.receive(handle, channel: 4, [0x12] + configuration.octets + [0x01, 0x00])
        self.run()
    }

    /// Sends notifications of one value.
    func notify(_ octets: [UInt8], count: Int = 1, of characteristic: AttributeHandle, to link: LinkID) {
        for _ in 0..<count {
            self.host.notify(ByteBuffer(bytes: octets), characteristic: characteristic, to: link, token: .notification)
        }
    }
}

extension AttributeHandle {
    /// The handle as it is sent.
    var octets: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }

    /// The handle as it is sent, as text.
    var inHex: String { hex(ByteBuffer(bytes: self.octets)) }
}
