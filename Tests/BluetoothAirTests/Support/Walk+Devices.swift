// Steps of a walk: what a host wants to get and can take, where its device is, and what the controller says of itself.

import BluetoothHCI
import BluetoothTypes
import NIOCore

@testable import BluetoothAir

extension Walk {
    // MARK: Events

    func setMasks(_ host: Int) {
        switch self.number(0...13) {
        case 0: self.send(host, SetEventMask(mask: self.once(in: 2) ? .initial : EventMask(rawValue: 0)))
        case 1: self.send(host, SetEventMask(mask: EventMask(rawValue: .max & ~(1 << UInt64(self.number(0...61))))))
        case 2: self.send(host, SetEventMaskPage2(mask: EventMaskPage2(rawValue: self.once(in: 2) ? .max : 0)))
        case 3: self.send(host, LESetEventMask(mask: LEEventMask(rawValue: .max)))
        case 4: self.send(host, LESetEventMask(mask: LEEventMask(rawValue: .max & ~(1 << UInt64(self.number(0...40))))))
        case 5: self.send(host, LESetEventMask(mask: .initial))
        default:
            self.send(host, SetEventMask(mask: EventMask(rawValue: .max)))
            self.send(host, LESetEventMask(mask: TestHost.usualEvents))
        }
    }

    func reset(_ host: Int) {
        if self.once(in: 8) { self.replace(host) } else { self.setUp(host) }
    }

    // MARK: Flow control

    func controlFlow(_ host: Int) {
        switch self.number(0...9) {
        case 0:
            let length = UInt16(self.value([27, 251, 1_000], not: [26, 250]))
            let count = UInt16(self.value([1, 2, 3, 5, 12, 1_000], not: [0]))
            self.send(host, HostBufferSize(aclDataPacketLength: length, aclDataPacketCount: count))
            fallthrough
        case 1:
            let mode = ControllerToHostFlowControl(rawValue: self.value([0, 1, 1, 1], not: [2, 3, 4]))
            self.send(host, SetControllerToHostFlowControl(mode: mode))
        case 2: self.hosts[host].controller.isHostWritable = self.once(in: 2)
        default: self.completePackets(host)
        }
    }

    /// The host is done with packets of its links: some, all, or more than it has.
    func completePackets(_ host: Int) {
        let elements = self.controllers[host].links.entries.map { entry in
            let count = self.once(in: 3) ? entry.end.unreportedPackets : self.number(0...2)
            return CompletedPackets.Element(handle: entry.end.handle, count: UInt16(count))
        }
        let unknown = CompletedPackets.Element(handle: ConnectionHandle(rawValue: 0x0ABC), count: 1)
        let completed = CompletedPackets(self.once(in: 8) ? [unknown] + elements : elements)
        self.send(host, HostNumberOfCompletedPackets(completed: completed))
    }

    // MARK: Places

    func move(_ host: Int) {
        let controller = self.hosts[host].controller
        // At 334 m a device is heard, at 335 m it is not.
        let metres = self.one(of: [0, 0.05, 0.1, 1, 10, 100, 333, 334, 334.9, 335, 400])
        switch self.number(0...17) {
        case 0: self.send(host, AirSetDistance(centimetres: UInt32(metres * 100)))
        case 1: self.send(host, AirSetPosition(x: Int32(metres * 100), y: Int32(self.number(-2...2) * 10_000)))
        case 2...3: controller.distance = .metres(metres)
        case 4...5:
            controller.location = .position(AirPosition(x: self.once(in: 2) ? metres : -metres, y: Double(host) * 30))
        case 6:
            let attenuation = self.one(of: [0, 3.4, 6.9, 49.4, 49.5, 50.6, .infinite] as [Attenuation])
            controller.setAttenuation(attenuation, to: self.hosts[self.other(host)].controller)
        case 7:
            self.testbed.air.walls = (0..<self.number(0...3)).map { _ in
                AirWall(
                    from: AirPosition(x: Double(self.number(-50...50)), y: -100),
                    to: AirPosition(x: Double(self.number(-50...50)), y: 200),
                    attenuation: self.one(of: [3.4, 40, .infinite])
                )
            }
        default: controller.location = .distance(.metres(1))
        }
    }

    func setLoss(_ host: Int) {
        self.testbed.air.setLoss(self.one(of: [0, 0, 0.1, 0.3, 0.9, 1]))
    }

    func disturb(_ host: Int) {
        let controller = self.hosts[host].controller
        switch self.number(0...4) {
        case 0: controller.dropLinks()
        case 1: controller.refusesConnections = self.once(in: 3)
        default:
            controller.setReportNeed(self.one(of: [.all, .all, .changes(1), .changes(2)]))
        }
    }

    // MARK: Information

    func ask(_ host: Int) {
        switch self.number(0...23) {
        case 0: self.send(host, ReadLEHostSupport())
        case 1: self.send(host, WriteLEHostSupport(isLESupported: self.once(in: 2)))
        case 2: self.send(host, ReadLocalVersionInformation())
        case 3: self.send(host, ReadLocalSupportedCommands())
        case 4: self.send(host, ReadLocalSupportedFeatures())
        case 5: self.send(host, ReadBufferSize())
        case 6: self.send(host, ReadBDADDR())
        case 7: self.send(host, LEReadBufferSize())
        case 8: self.send(host, LEReadBufferSizeV2())
        case 9: self.send(host, LEReadLocalSupportedFeatures())
        case 10: self.send(host, LEReadSupportedStates())
        case 11: self.send(host, LEReadTransmitPower())
        case 12:
            self.send(
                host,
                LEWriteRFPathCompensation(
                    transmitCompensation: self.value([-1_280, 0, 1_280], not: [-1_281, 1_281]),
                    receiveCompensation: self.value([-1_280, 0, 1_280], not: [-1_281, 1_281])
                )
            )
            self.send(host, LEReadRFPathCompensation())
        case 13: self.send(host, LESetHostFeature(bit: self.one(of: [0, 32, 63, 64]), isSupported: true))
        case 14: self.send(host, LEReadAdvertisingChannelTxPower())
        case 15: self.send(host, LEReadMaximumAdvertisingDataLength())
        case 16: self.send(host, LEReadNumberOfSupportedAdvertisingSets())
        case 17: self.send(host, LEReadMaximumDataLength())
        case 18: self.send(host, LERand())
        case 19...20: self.send(host, LEReadLocalP256PublicKey())
        case 21: self.send(host, LEGenerateDHKey(x: .zero, y: .zero))
        case 22:
            let type = P256KeyType(rawValue: self.value([0, 1], not: [2]))
            self.send(host, LEGenerateDHKeyV2(x: .zero, y: .zero, keyType: type))
        default: self.send(host, LEEncrypt(key: Self.key(host), plaintext: Octets16(high: 1, low: UInt64(host))))
        }
    }
}
