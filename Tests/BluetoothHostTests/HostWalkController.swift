// The controller of a host that walks: it answers, refuses or is silent as chance has it, and sends any event and any
// data.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore

@testable import BluetoothHost

/// A scripted controller whose behaviour follows from a seed.
struct HostWalkController {
    let controller: ScriptedController
    private var choice: WalkChoice
    private let peers: [DeviceAddress]

    init(_ controller: ScriptedController, peers: [DeviceAddress], seed: UInt64) {
        self.controller = controller
        self.peers = peers
        self.choice = WalkChoice(seed &+ 1_000_000)
        controller.features = [.dataPacketLengthExtension, .phy2M, .privacy]
        if self.choice.oneIn(3) { controller.features = [] }
        controller.dataLength = UInt16(self.choice.one([0, 23, 27, 27, 251]))
        controller.packetCount = UInt8(self.choice.one([0, 1, 2, 8]))
        controller.sharedBuffers = (UInt16(self.choice.one([0, 27, 1_021])), UInt16(self.choice.below(4)))
        controller.acceptListSize = UInt8(self.choice.one([0, 1, 2, 8]))
        controller.resolvingListSize = UInt8(self.choice.one([0, 1, 8]))
        controller.dataIsAnswered = self.choice.oneIn(2)
        controller.address = self.choice.oneIn(2) ? .none : DeviceAddress(0xAABB, kind: .public)
        if self.choice.oneIn(2) {
            var known = SupportedCommands(HCICommandTable.entries.map(\.command))
            let optional: [any HCICommand.Type] = [
                LESetPHY.self, LEReadPHY.self, LESetDataLength.self, LESetPrivacyMode.self, HostBufferSize.self,
                LEReadResolvingListSize.self, SetEventMaskPage2.self, LEReadFilterAcceptListSize.self,
            ]
            if self.choice.oneIn(2) { known.remove(self.choice.one(optional)) }
            controller.supportedCommands = known
        }
    }

    private mutating func handle() -> UInt16 { UInt16(0x40 + self.choice.below(4)) }

    /// It behaves in another way from now on.
    mutating func changeBehaviour() {
        let opcodes = [
            LECreateConnection.opcode, LECreateConnectionCancel.opcode, LESetAdvertisingEnable.opcode,
            LESetAdvertisingParameters.opcode, LESetScanEnable.opcode, LESetScanParameters.opcode, Disconnect.opcode,
            LEConnectionUpdate.opcode, ReadRSSI.opcode, LESetRandomAddress.opcode, LEAddDeviceToResolvingList.opcode,
            LEAddDeviceToFilterAcceptList.opcode, LEClearResolvingList.opcode, LESetPHY.opcode,
            LEEnableEncryption.opcode,
            LESetAddressResolutionEnable.opcode, LEReadPHY.opcode,
        ]
        let statuses: [HCIErrorCode] = [
            .commandDisallowed, .unknownConnectionIdentifier, .memoryCapacityExceeded, .unknownCommand,
            .connectionLimitExceeded,
        ]
        switch self.choice.below(6) {
        case 0, 1: self.controller.refused[self.choice.one(opcodes)] = self.choice.one(statuses)
        case 2: if self.choice.oneIn(3) { self.controller.silent.insert(self.choice.one(opcodes)) }
        default:
            self.controller.refused = [:]
            self.controller.silent = []
        }
    }

    /// An event, or data of a peer.
    mutating func speak() {
        switch self.choice.below(12) {
        case 0, 1: self.makeLink()
        case 2, 3: self.report()
        case 4, 5: self.event()
        case 6: self.changeLink()
        default: self.sendData()
        }
    }

    private mutating func makeLink() {
        let role: ConnectionRole = self.choice.oneIn(2) ? .central : .peripheral
        let (peer, handle) = (self.choice.one(self.peers), self.handle())
        let interval = ConnectionInterval(rawValue: UInt16(self.choice.one([6, 24, 25, 800])))
        switch self.choice.below(4) {
        case 0:
            self.controller.failConnection(
                self.choice.one([.unknownConnectionIdentifier, .advertisingTimeout, .connectionFailedToBeEstablished])
            )
        case 1:
            self.controller.deliver(
                LEEnhancedConnectionComplete(
                    handle: ConnectionHandle(rawValue: handle),
                    role: role,
                    peer: DeviceAddress(peer.value, kind: self.choice.oneIn(2) ? peer.kind : .randomIdentity),
                    localResolvableAddress: self.choice.oneIn(2) ? nil : DeviceAddress(0x4000_0000_0001, kind: .random),
                    peerResolvableAddress: self.choice.oneIn(2) ? nil : DeviceAddress(0x4000_0000_0002, kind: .random),
                    interval: interval,
                    latency: 0,
                    supervisionTimeout: SupervisionTimeout(rawValue: 72)
                ).packet()
            )
        default: self.controller.connect(handle, peer: peer, role: role, interval: interval)
        }
    }

    private mutating func report() {
        let address =
            self.choice.oneIn(3) ? PrivateHost.peerAddress(UInt64(self.choice.below(4))) : self.choice.one(self.peers)
        if self.choice.oneIn(2) {
            let report = LEAdvertisingReport(
                eventType: .init(rawValue: UInt8(self.choice.below(5))),
                address: address,
                data: self.choice.bytes(self.choice.below(32)),
                rssi: RSSI(rawValue: -40)
            )
            return self.controller.deliver(LEAdvertisingReports([report, report]).packet())
        }
        var type = LEExtendedAdvertisingReport.EventType(rawValue: UInt16(self.choice.below(32)))
        type.dataStatus = self.choice.one([.complete, .incomplete, .truncated])
        let report = LEExtendedAdvertisingReport(
            eventType: type,
            address: self.choice.oneIn(8) ? nil : address,
            rssi: nil,
            target: type.contains(.directed) ? .device(address) : nil,
            data: self.choice.bytes(self.choice.below(40))
        )
        self.controller.deliver(LEExtendedAdvertisingReports([report]).packet())
    }

    private mutating func changeLink() {
        let number = self.handle()
        let handle = ConnectionHandle(rawValue: number)
        let status: HCIErrorCode = self.choice.oneIn(3) ? .unsupportedRemoteFeature : .success
        let interval = ConnectionInterval(rawValue: UInt16(self.choice.number(6...40)))
        let timeout = SupervisionTimeout(rawValue: 100)
        switch self.choice.below(9) {
        case 0:
            self.controller.disconnect(number, reason: self.choice.one([.remoteUserTerminated, .connectionTimeout]))
        case 1, 2: self.controller.complete(number, count: UInt16(self.choice.below(5)))
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
            self.controller.deliver(
                LEPHYUpdateComplete(status: status, handle: handle, transmitter: .le2M, receiver: .le1M).packet()
            )
        case 5:
            self.controller.deliver(
                EncryptionChange(status: status, handle: handle, encryption: self.choice.oneIn(3) ? .off : .on).packet()
            )
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

    private mutating func event() {
        switch self.choice.below(20) {
        case 0: self.controller.deliver(CommandComplete(numberOfCommandPackets: 0, opcode: .none).packet())
        case 1: self.controller.deliver(CommandComplete(numberOfCommandPackets: 2, opcode: .none).packet())
        case 2 where self.choice.oneIn(8): self.controller.deliver(HardwareError(hardwareCode: 7).packet())
        case 3 where self.choice.oneIn(8):
            self.controller.deliver(CommandComplete.packet(Reset.self, .init(status: .success)))
        case 4 where self.choice.oneIn(8): self.controller.fail("unplugged")
        case 5...8:
            // An event of any kind whose length is right and whose parameters are not.
            let parameters = self.choice.octets(self.choice.below(20))
            let code = self.choice.one([0x05, 0x08, 0x0E, 0x0F, 0x13, 0x30, 0x3E, 0x3E, 0x57, 0xFF])
            self.controller.deliver(
                HCIPacket(h4: ByteBuffer(bytes: [4, UInt8(code), UInt8(parameters.count)] + parameters))
            )
        case 9:
            self.controller.deliver(
                HCIPacket(h4: ByteBuffer(bytes: [UInt8(self.choice.below(6))] + self.choice.octets(5)))
            )
        default: self.changeLink()
        }
    }

    // MARK: Data

    private mutating func sendData() {
        let handle = self.handle()
        switch self.choice.below(10) {
        case 0, 1:
            // Any fragment.
            var fragment = ByteBuffer()
            if self.choice.oneIn(2) {
                fragment.writeInteger(UInt16(self.choice.below(24)), endianness: .little)
                fragment.writeInteger(UInt16(self.choice.one([4, 5, 6, 0x40, 0x41])), endianness: .little)
            }
            fragment.writeBytes(self.choice.octets(self.choice.below(24)))
            let boundary: ACLDataHeader.Boundary = self.choice.oneIn(2) ? .firstFlushable : .continuing
            self.controller.deliver(
                .aclData(handle: ConnectionHandle(rawValue: handle), boundary: boundary, fragment: fragment)
            )
        case 2, 3: self.controller.receive(handle, channel: 6, self.securityCommand())
        case 4:
            // A notification, a value without response, an exchange of the MTU, a read.
            let pdu = self.choice.one(
                [[0x1B, 3, 0, 1], [0x52, 3, 0, 1], [0x02, 64, 0], [0x03, 64, 0], [0x0A, 3, 0]] as [[UInt8]]
            )
            self.controller.receive(handle, channel: 4, pdu)
        case 5, 6:
            var frame = ByteBuffer(integer: UInt16(self.choice.below(30)), endianness: .little)
            frame.writeBytes(self.choice.octets(self.choice.below(30)))
            self.controller.receive(
                handle,
                channel: UInt16(self.choice.number(0x3F...0x42)),
                Array(frame.readableBytesView)
            )
        default: self.controller.receive(handle, channel: 5, self.signallingCommand())
        }
    }

    private mutating func securityCommand() -> [UInt8] {
        let features: [UInt8] = [UInt8(self.choice.below(5)), 0, UInt8(self.choice.below(32)), 16, 7, 7]
        switch self.choice.below(8) {
        case 0, 1: return [0x01] + features
        case 2: return [0x02] + features
        case 3: return [0x0B, UInt8(self.choice.below(16))]
        case 4: return [0x05, UInt8(self.choice.below(16))]
        case 5: return [UInt8(self.choice.number(3...4))] + self.choice.octets(16)
        default: return [UInt8(self.choice.below(16))] + self.choice.octets(self.choice.below(18))
        }
    }

    private mutating func signallingCommand() -> [UInt8] {
        let identifier = UInt8(self.choice.number(1...4))
        let parameters = CreditBasedParameters(
            mtu: UInt16(self.choice.one([22, 23, 100])),
            mps: UInt16(self.choice.one([22, 23, 64])),
            initialCredits: UInt16(self.choice.below(5))
        )
        let (own, other) = (
            CID(rawValue: UInt16(self.choice.number(0x40...0x43))),
            CID(rawValue: UInt16(self.choice.number(0x3F...0x43)))
        )
        let command: LESignallingCommand
        switch self.choice.below(9) {
        case 0, 1:
            let spsm = SPSM(rawValue: UInt16(self.choice.number(0x80...0x82)))
            command = .leCreditBasedConnectionRequest(.init(spsm: spsm, source: other, parameters: parameters))
        case 2, 3:
            let result = L2CAPConnectionResult(rawValue: UInt16(self.choice.one([0, 0, 2, 5, 8])))
            command = .leCreditBasedConnectionResponse(
                .init(destination: other, parameters: parameters, result: result)
            )
        case 4: command = .flowControlCredit(channel: other, credits: self.choice.short())
        case 5: command = .disconnectionRequest(destination: own, source: other)
        case 6: command = .disconnectionResponse(destination: other, source: own)
        case 7:
            let interval = ConnectionInterval(rawValue: UInt16(self.choice.number(5...7)))
            command = .connectionParameterUpdateRequest(
                .init(
                    minimumInterval: interval,
                    maximumInterval: interval,
                    latency: 0,
                    supervisionTimeout: SupervisionTimeout(rawValue: UInt16(self.choice.number(9...11)))
                )
            )
        default:
            command =
                self.choice.oneIn(2)
                ? .commandReject(.notUnderstood) : .connectionParameterUpdateResponse(isAccepted: true)
        }
        return Array(command.encoded(identifier: identifier).readableBytesView)
    }
}
