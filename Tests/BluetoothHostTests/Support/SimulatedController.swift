// The controller of a host in simulations: it randomly answers, refuses or stays silent, and sends any event and any
// data.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore

@testable import BluetoothHost

/// A scripted controller whose behaviour follows from a seed.
struct SimulatedController {
    private static let commands = [
        LECreateConnection.opcode, LECreateConnectionCancel.opcode, LESetAdvertisingEnable.opcode,
        LESetAdvertisingParameters.opcode, LESetScanEnable.opcode, LESetScanParameters.opcode, Disconnect.opcode,
        LEConnectionUpdate.opcode, ReadRSSI.opcode, LESetRandomAddress.opcode, LEAddDeviceToResolvingList.opcode,
        LEAddDeviceToFilterAcceptList.opcode, LEClearResolvingList.opcode, LESetPHY.opcode, LEEnableEncryption.opcode,
        LESetAddressResolutionEnable.opcode, LEReadPHY.opcode,
    ]
    private static let optionalCommands: [any HCICommand.Type] = [
        LESetPHY.self, LEReadPHY.self, LESetDataLength.self, LESetPrivacyMode.self, HostBufferSize.self,
        LEReadResolvingListSize.self, SetEventMaskPage2.self, LEReadFilterAcceptListSize.self,
    ]
    private static let statuses: [HCIErrorCode] = [
        .commandDisallowed, .unknownConnectionIdentifier, .memoryCapacityExceeded, .unknownCommand,
        .connectionLimitExceeded,
    ]
    /// Frames of a peer: the channel and the octets; X stands for any octet, I for an identifier, C for a channel.
    private static let frames: [(UInt16, String)] = [
        (4, "1B 03 00 01"), (4, "52 03 00 01"), (4, "02 40 00"), (4, "03 40 00"), (4, "0A 03 00"), (4, "X X X"),
        (6, "01 03 00 05 10 07 07"), (6, "02 04 00 X 10 07 07"), (6, "0B X"), (6, "05 05"),
        (6, "03 X X X X X X X X X X X X X X X X"), (6, "04 X X X X X X X X X X X X X X X X"), (6, "X X X"),
        (5, "14 I 0A 00 80 00 C 00 40 00 20 00 04 00"), (5, "14 I 0A 00 81 00 C 00 16 00 17 00 X 00"),
        (5, "15 I 0A 00 C 00 40 00 20 00 04 00 00 00"), (5, "15 I 0A 00 00 00 00 00 00 00 00 00 08 00"),
        (5, "16 I 04 00 C 00 X X"), (5, "06 I 04 00 C 00 C 00"), (5, "07 I 04 00 C 00 C 00"),
        (5, "12 I 08 00 06 00 06 00 00 00 0A 00"), (5, "13 I 02 00 00 00"), (5, "01 I 02 00 00 00"), (5, "X X X X"),
        (0x40, "02 00 X X"), (0x41, "X 00 X X X"), (0x42, "X"),
    ]

    private let controller: ScriptedController
    private let peers: [DeviceAddress]
    private var choices: SeededChoices

    init(_ controller: ScriptedController, peers: [DeviceAddress], seed: UInt64) {
        self.controller = controller
        self.peers = peers
        self.choices = SeededChoices(seed: seed &+ 1_000_000)
        if !self.choices.once(in: 3) { controller.features = [.dataPacketLengthExtension, .phy2M, .privacy] }
        controller.dataLength = UInt16(self.choices.pick([0, 23, 27, 27, 251]))
        controller.packetCount = UInt8(self.choices.pick([0, 1, 2, 8]))
        controller.sharedBuffers = (UInt16(self.choices.pick([0, 27, 1_021])), UInt16(self.choices.below(4)))
        controller.acceptListSize = UInt8(self.choices.pick([0, 1, 2, 8]))
        controller.resolvingListSize = UInt8(self.choices.pick([0, 1, 8]))
        controller.dataIsAnswered = self.choices.once(in: 2)
        if self.choices.once(in: 2) { controller.address = DeviceAddress(0xAABB, kind: .public) }
        if self.choices.once(in: 2) { controller.listsCommands(without: [self.choices.pick(Self.optionalCommands)]) }
    }

    /// Refuses or leaves commands unanswered from now on.
    mutating func changeBehaviour() {
        switch self.choices.below(6) {
        case 0, 1: self.controller.refused[self.choices.pick(Self.commands)] = self.choices.pick(Self.statuses)
        case 2: if self.choices.once(in: 3) { self.controller.silent.insert(self.choices.pick(Self.commands)) }
        default: (self.controller.refused, self.controller.silent) = ([:], [])
        }
    }

    /// Sends an event, or data of a peer.
    mutating func speak() {
        switch self.choices.below(12) {
        case 0, 1: self.makeLink()
        case 2, 3: self.report()
        case 4, 5: self.changeLink()
        case 6: self.misbehave()
        default: self.sendData()
        }
    }

    private mutating func handle() -> ConnectionHandle {
        ConnectionHandle(rawValue: UInt16(0x40 + self.choices.below(4)))
    }

    private mutating func privateAddress() -> DeviceAddress? {
        self.choices.once(in: 2) ? nil : DeviceAddress(0x4000_0000_0001, kind: .random)
    }

    private mutating func makeLink() {
        guard !self.choices.once(in: 4) else {
            return self.controller.failConnection(
                self.choices.pick([.unknownConnectionIdentifier, .advertisingTimeout, .connectionFailedToBeEstablished])
            )
        }
        let peer = self.choices.pick(self.peers)
        self.controller.deliver(
            LEEnhancedConnectionComplete(
                handle: self.handle(),
                role: self.choices.once(in: 2) ? .central : .peripheral,
                peer: DeviceAddress(peer.value, kind: self.choices.once(in: 4) ? .randomIdentity : peer.kind),
                localResolvableAddress: self.privateAddress(),
                peerResolvableAddress: self.privateAddress(),
                interval: ConnectionInterval(rawValue: UInt16(self.choices.pick([6, 24, 25, 800]))),
                latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72)
            ).packet()
        )
    }

    private mutating func report() {
        let isPrivate = self.choices.once(in: 3)
        let address = isPrivate ? PrivateHost.peerAddress(UInt64(self.choices.below(4))) : self.choices.pick(self.peers)
        let data = ByteBuffer(bytes: self.choices.octets(self.choices.below(32)))
        if self.choices.once(in: 2) {
            let type = LEAdvertisingReport.EventType(rawValue: UInt8(self.choices.below(5)))
            let report = LEAdvertisingReport(eventType: type, address: address, data: data, rssi: -40)
            return self.controller.deliver(LEAdvertisingReports([report, report]).packet())
        }
        var type = LEExtendedAdvertisingReport.EventType(rawValue: UInt16(self.choices.below(4)))
        type.dataStatus = self.choices.pick([.complete, .incomplete, .truncated])
        let anonymous = self.choices.once(in: 8)
        let report = LEExtendedAdvertisingReport(
            eventType: type,
            address: anonymous ? nil : address,
            rssi: nil,
            data: data
        )
        self.controller.deliver(LEExtendedAdvertisingReports([report]).packet())
    }

    private mutating func changeLink() {
        let handle = self.handle()
        let status: HCIErrorCode = self.choices.once(in: 3) ? .unsupportedRemoteFeature : .success
        let interval = ConnectionInterval(rawValue: UInt16(6 + self.choices.below(34)))
        let timeout = SupervisionTimeout(rawValue: 100)
        switch self.choices.below(9) {
        case 0: self.controller.disconnect(handle.rawValue, reason: .remoteUserTerminated)
        case 1, 2: self.controller.complete(handle.rawValue, count: UInt16(self.choices.below(5)))
        case 3:
            self.controller.deliver(
                LEConnectionUpdateComplete(
                    status: status,
                    handle: handle,
                    interval: interval,
                    latency: 1,
                    supervisionTimeout: timeout
                ).packet()
            )
        case 4:
            let event = LEPHYUpdateComplete(status: status, handle: handle, transmitter: .le2M, receiver: .le1M)
            self.controller.deliver(event.packet())
        case 5:
            let encryption: EncryptionStatus = self.choices.once(in: 3) ? .off : .on
            self.controller.deliver(EncryptionChange(status: status, handle: handle, encryption: encryption).packet())
        case 6:
            self.controller.deliver(LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet())
        case 7:
            self.controller.deliver(
                LERemoteConnectionParameterRequest(
                    handle: handle,
                    minimumInterval: interval,
                    maximumInterval: interval,
                    latency: 0,
                    supervisionTimeout: timeout
                ).packet()
            )
        default: self.controller.deliver(AuthenticatedPayloadTimeoutExpired(handle: handle).packet())
        }
    }

    /// Breaks a rule, or fails.
    private mutating func misbehave() {
        switch self.choices.below(8) {
        case 0:
            let credits = UInt8(self.choices.pick([0, 2]))
            self.controller.deliver(CommandComplete(numberOfCommandPackets: credits, opcode: .none).packet())
        case 1 where self.choices.once(in: 8):
            switch self.choices.below(3) {
            case 0: self.controller.deliver(HardwareError(hardwareCode: 7).packet())
            case 1: self.controller.deliver(CommandComplete.packet(Reset.self, .init(status: .success)))
            default: self.controller.fail("unplugged")
            }
        case 2...5:
            // An event of the right length with invalid parameters.
            let parameters = self.choices.octets(self.choices.below(20))
            let code: UInt8 = self.choices.pick([0x05, 0x08, 0x0E, 0x0F, 0x13, 0x30, 0x3E, 0x3E, 0x57, 0xFF])
            let bytes = [4, code, UInt8(parameters.count)] + parameters
            self.controller.deliver(HCIPacket(h4: ByteBuffer(bytes: bytes)))
        default:
            let bytes = [UInt8(self.choices.below(6))] + self.choices.octets(self.choices.below(40))
            self.controller.deliver(HCIPacket(h4: ByteBuffer(bytes: bytes)))
        }
    }

    private mutating func sendData() {
        let handle = self.handle()
        guard !self.choices.once(in: 5) else {
            let boundary: ACLDataHeader.Boundary = self.choices.once(in: 2) ? .firstFlushable : .continuing
            let fragment = ByteBuffer(bytes: self.choices.octets(self.choices.below(24)))
            return self.controller.deliver(.aclData(handle: handle, boundary: boundary, fragment: fragment))
        }
        let (channel, text) = self.choices.pick(Self.frames)
        let octets = text.split(separator: " ").map { word -> UInt8 in
            switch word {
            case "X": self.choices.octets(1)[0]
            case "I": UInt8(1 + self.choices.below(4))
            case "C": UInt8(0x3F + self.choices.below(5))
            default: UInt8(word, radix: 16) ?? 0
            }
        }
        self.controller.receive(handle.rawValue, channel: channel, octets)
    }
}
