// A controller for the host's tests: it answers commands like a good controller unless the test changes that, keeps the
// packets of the host, and lets the test send events of the radio.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

final class ScriptedController: HCIChannel {
    let eventLoop: any EventLoop
    var leavesProcess = false
    private var receiver: (any HCIChannelReceiver)?
    private(set) var isClosed = false
    /// Opcodes of the received commands, in order.
    private(set) var commands: [HCIOpcode] = []
    /// The parameters of the last command of each kind.
    private(set) var parameters: [HCIOpcode: ByteBuffer] = [:]
    /// The received ACL data packets, in order.
    private(set) var data: [HCIPacket] = []
    /// Commands that are never answered.
    var silent: Set<HCIOpcode> = []
    /// Commands that it refuses with a status.
    var refused: [HCIOpcode: HCIErrorCode] = [:]
    /// The public address; all zeros if the controller has none.
    var address = DeviceAddress.none
    var features = LEFeatures()
    var linkManagerFeatures: LMPFeatures = [.leSupported, .bredrNotSupported]
    var version = ReadLocalVersionInformation.ReturnParameters(hciVersion: .v5_0, linkLayerVersion: .v5_0)
    var dataLength: UInt16 = 251
    var packetCount: UInt8 = 8
    /// The length and the number of the buffers that BR/EDR and LE share.
    var sharedBuffers: (length: UInt16, count: UInt16) = (0, 0)
    var acceptListSize: UInt8 = 8
    var resolvingListSize: UInt8 = 8
    /// The state combinations that it claims; by default none.
    var states = LEStates()
    /// The commands that it lists; by default none, which is meaningless.
    var supportedCommands: SupportedCommands?
    /// Whether it answers nothing.
    var isDead = false
    /// The only commands that it answers.
    var answersOnly: Set<HCIOpcode>?
    /// Whether data is reported as sent immediately.
    var dataIsAnswered = false
    /// Whether it accepts both legacy and extended commands, which a good one refuses (Vol 4, Part E, 3.1.1).
    var mixesCommandFamilies = false
    /// The kind of the first of these commands.
    private var family: CommandFamily?
    /// Called with each command before it is answered.
    var whenCommanded: ((ScriptedController, HCIOpcode) -> Void)?
    /// The peers of Create Connection, in order.
    private(set) var createdPeers: [DeviceAddress] = []

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func start(receiver: any HCIChannelReceiver) { self.receiver = receiver }

    func close() {
        self.isClosed = true
        self.receiver = nil
    }

    func send(_ packet: HCIPacket) {
        switch packet.kind {
        case .command:
            var payload = packet.payload
            guard let command = try? HCICommandPacket(parsing: &payload) else { return }
            self.commands.append(command.opcode)
            self.parameters[command.opcode] = command.parameters
            self.whenCommanded?(self, command.opcode)
            var parameters = command.parameters
            if command.opcode == LECreateConnection.opcode,
                let create = try? LECreateConnection(parsing: &parameters)
            {
                self.createdPeers.append(create.peer)
            }
            self.answer(command)
        case .aclData:
            self.data.append(packet)
            if self.dataIsAnswered, let header = try? packet.aclData().header {
                self.complete(header.handle.rawValue, count: 1)
            }
        default:
            break
        }
    }

    func takeCommands() -> [HCIOpcode] {
        defer { self.commands = [] }
        return self.commands
    }

    func takeData() -> [HCIPacket] {
        defer { self.data = [] }
        return self.data
    }

    /// The last command of a kind.
    func last<Command: HCICommand>(_ type: Command.Type) throws -> Command {
        var parameters = try #require(self.parameters[Command.opcode])
        return try Command(parsing: &parameters)
    }

    /// Lists all commands but some.
    func listsCommands(without missing: [any HCICommand.Type] = []) {
        let known = HCICommandTable.entries.map(\.command).filter { command in !missing.contains { $0 == command } }
        self.supportedCommands = SupportedCommands(known)
    }

    /// Refuses to initiate while it scans, and reports the end of each cancelled attempt.
    func scansOrInitiates() {
        self.whenCommanded = { controller, opcode in
            switch opcode {
            case LESetScanEnable.opcode:
                let isScanning = controller.parameters[opcode]?.readableBytesView.first == 1
                controller.refused[LECreateConnection.opcode] = isScanning ? .commandDisallowed : nil
            case LECreateConnectionCancel.opcode:
                controller.failConnection(.unknownConnectionIdentifier)
            default:
                break
            }
        }
    }

    private static let legacy: Set<HCIOpcode> = [
        LESetAdvertisingParameters.opcode, LESetAdvertisingData.opcode, LESetScanResponseData.opcode,
        LESetAdvertisingEnable.opcode, LESetScanParameters.opcode, LESetScanEnable.opcode, LECreateConnection.opcode,
    ]
    private static let extended = Set(ExtendedCommands.needed.map { $0.opcode })

    private func refusal(of opcode: HCIOpcode) -> HCIErrorCode? {
        if let status = self.refused[opcode] { return status }
        if opcode == Reset.opcode { self.family = nil }
        let family: CommandFamily? =
            Self.legacy.contains(opcode) ? .legacy : Self.extended.contains(opcode) ? .extended : nil
        guard let family, !self.mixesCommandFamilies else { return nil }
        if self.family == nil { self.family = family }
        return self.family == family ? nil : .commandDisallowed
    }

    private static let answeredByStatus: Set<HCIOpcode> = [
        LECreateConnection.opcode, LEExtendedCreateConnection.opcode, Disconnect.opcode, LESetPHY.opcode,
        LEConnectionUpdate.opcode,
    ]

    private func answer(_ command: HCICommandPacket) {
        guard !self.silent.contains(command.opcode), !self.isDead else { return }
        if let answersOnly, !answersOnly.contains(command.opcode) { return }
        // The one command without an answer (Vol 4, Part E, 7.3.40).
        guard command.opcode != HostNumberOfCompletedPackets.opcode else { return }
        let refusal = self.refusal(of: command.opcode)
        if Self.answeredByStatus.contains(command.opcode) {
            let status = refusal ?? .success
            self.deliver(CommandStatus(status: status, opcode: command.opcode).packet())
            return
        }
        if let status = refusal {
            let parameters = ByteBuffer(integer: status.rawValue)
            return self.deliver(CommandComplete(opcode: command.opcode, returnParameters: parameters).packet())
        }
        switch command.opcode {
        case LEReadBufferSize.opcode:
            self.answer(
                LEReadBufferSize.self,
                .init(aclDataPacketLength: self.dataLength, aclDataPacketCount: self.packetCount)
            )
        case ReadBufferSize.opcode:
            self.answer(
                ReadBufferSize.self,
                .init(
                    aclDataPacketLength: self.sharedBuffers.length,
                    synchronousDataPacketLength: 0,
                    aclDataPacketCount: self.sharedBuffers.count,
                    synchronousDataPacketCount: 0
                )
            )
        case ReadBDADDR.opcode: self.answer(ReadBDADDR.self, .init(address: self.address))
        case LEReadLocalSupportedFeatures.opcode:
            self.answer(LEReadLocalSupportedFeatures.self, .init(features: self.features))
        case ReadLocalSupportedFeatures.opcode:
            self.answer(ReadLocalSupportedFeatures.self, .init(features: self.linkManagerFeatures))
        case ReadLocalVersionInformation.opcode: self.answer(ReadLocalVersionInformation.self, self.version)
        case LEReadFilterAcceptListSize.opcode:
            self.answer(LEReadFilterAcceptListSize.self, .init(size: self.acceptListSize))
        case LEReadResolvingListSize.opcode:
            self.answer(LEReadResolvingListSize.self, .init(size: self.resolvingListSize))
        case LEReadSupportedStates.opcode: self.answer(LEReadSupportedStates.self, .init(states: self.states))
        case ReadLocalSupportedCommands.opcode where self.supportedCommands != nil:
            self.answer(
                ReadLocalSupportedCommands.self,
                .init(commands: self.supportedCommands ?? SupportedCommands())
            )
        default:
            // Zeros after the status answer every other command of the host.
            let parameters = ByteBuffer(repeating: 0, count: 70)
            self.deliver(CommandComplete(opcode: command.opcode, returnParameters: parameters).packet())
        }
    }

    private func answer<Command: HCICommand>(_ command: Command.Type, _ parameters: Command.ReturnParameters) {
        self.deliver(CommandComplete.packet(command, parameters))
    }

    /// Passes a packet to the host in a later turn, like every channel.
    func deliver(_ packet: HCIPacket) {
        self.eventLoop.assumeIsolated().execute {
            guard let receiver = self.receiver else { return }
            receiver.channel(self, didReceive: packet)
            receiver.channelDidFinishBatch(self)
        }
    }

    func fail(_ reason: String) {
        self.eventLoop.assumeIsolated().execute {
            self.receiver?.channel(self, didCloseBecause: reason)
        }
    }

    // MARK: The radio's part

    /// Opens a link, on which a central hears the peer immediately.
    func connect(
        _ handle: UInt16,
        peer: DeviceAddress,
        role: ConnectionRole,
        interval: ConnectionInterval = ConnectionInterval(rawValue: 24),
        isHeard: Bool = true
    ) {
        self.deliver(
            LEConnectionComplete(
                status: .success,
                handle: ConnectionHandle(rawValue: handle),
                role: role,
                peer: peer,
                interval: interval,
                latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72),
                centralClockAccuracy: ClockAccuracy(rawValue: 0)
            ).packet()
        )
        guard isHeard, role == .central else { return }
        self.deliver(LEReadRemoteFeaturesComplete(handle: ConnectionHandle(rawValue: handle), features: []).packet())
    }

    /// The end of an attempt to connect.
    func failConnection(_ status: HCIErrorCode) {
        self.deliver(
            LEConnectionComplete(
                status: status,
                handle: ConnectionHandle(rawValue: 0),
                role: .central,
                peer: .none,
                interval: ConnectionInterval(rawValue: 0),
                latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 0)
            ).packet()
        )
    }

    func disconnect(_ handle: UInt16, reason: HCIErrorCode) {
        self.deliver(
            DisconnectionComplete(status: .success, handle: ConnectionHandle(rawValue: handle), reason: reason).packet()
        )
    }

    func complete(_ handle: UInt16, count: UInt16) {
        self.deliver(
            NumberOfCompletedPackets.packet([.init(handle: ConnectionHandle(rawValue: handle), count: count)])
        )
    }

    /// An L2CAP frame from the peer in one packet.
    func receive(_ handle: UInt16, channel: UInt16, _ octets: [UInt8]) {
        var fragment = ByteBuffer()
        fragment.writeLittleEndian(UInt16(octets.count))
        fragment.writeLittleEndian(channel)
        fragment.writeBytes(octets)
        self.deliver(
            .aclData(handle: ConnectionHandle(rawValue: handle), boundary: .firstFlushable, fragment: fragment)
        )
    }
}

/// Keeps the reports of a host to its user, a line per call.
final class RecordingDelegate: LEHostDelegate {
    private(set) var lines: [String] = []
    private(set) var reports: [AdvertisingReport] = []
    var onConnect: ((LinkInformation) -> Void)?

    private func note(_ line: String) { self.lines.append(line) }

    func takeLines() -> [String] {
        defer { self.lines = [] }
        return self.lines
    }

    func host(_ host: LEHost, didChange state: LEHostState) { self.note("state \(state)") }
    func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport) {
        self.note("report \(report.address)")
        self.reports.append(report)
    }
    func host(_ host: LEHost, didStopAdvertisingBecauseOf error: LEHostError) {
        self.note("advertising ended: \(error)")
    }
    func host(_ host: LEHost, didConnect link: LinkInformation) {
        self.note("connected \(link.peer) \(link.isCentral ? "central" : "peripheral")")
        self.onConnect?(link)
    }
    func host(_ host: LEHost, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode) {
        self.note("failed \(address) \(error.rawValue)")
    }
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        self.note("disconnected \(link.peer) \(reason.rawValue)")
    }
    func host(_ host: LEHost, link: LinkID, didChangeMTU mtu: Int) { self.note("mtu \(mtu)") }
    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
        self.note("value \(handle) \(value.readableBytes)")
    }
    func host(_ host: LEHost, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange) {
        self.note("invalid \(range)")
    }
    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        self.note("read \(request.handle)")
    }
    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        self.note("write \(request.parts.map { "\($0.handle)" }.joined(separator: " "))")
    }
    func host(_ host: LEHost, link: LinkID, didSubscribe isSubscribed: Bool, toCharacteristic handle: AttributeHandle) {
        self.note("subscribed \(handle) \(isSubscribed)")
    }
    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {
        self.note("transmitted \(count) \(token.name)")
    }
}

extension TransmitToken {
    static let notification = TransmitToken(rawValue: 0x0A)
    static let writeCommand = TransmitToken(rawValue: 0x0B)

    fileprivate var name: String {
        switch self {
        case .notification: "notification"
        case .writeCommand: "writeCommand"
        default: "\(self.rawValue)"
        }
    }
}
