// Steps of a walk: links, their data and their encryption.

import BluetoothHCI
import BluetoothTypes
import NIOCore

@testable import BluetoothAir

extension Walk {
    private static let keys = [Octets16(high: 1, low: 2), Octets16(high: 3, low: 4)]

    /// A peripheral advertises and a central connects; the link is there soon, if nothing is in the way.
    func makeLink(_ central: Int) {
        let peripheral = self.other(central)
        let interval = AdvertisingInterval(rawValue: 0x20)
        self.send(peripheral, LESetAdvertisingParameters(minimumInterval: interval, maximumInterval: interval))
        self.send(peripheral, LESetAdvertisingEnable(isEnabled: true))
        self.send(central, LECreateConnectionCancel())
        let peer = self.controllers[peripheral].publicAddress
        self.send(central, TestHost.createConnection(to: peer, parameters: self.parameters()))
        self.testbed.pass(.milliseconds(40))
    }

    /// Answers what the controller asks the host of one of its links; returns whether there was something.
    func answer(_ host: Int) -> Bool {
        for entry in self.controllers[host].links.entries {
            let handle = entry.end.handle
            if entry.end.role == .peripheral, entry.link.awaitsKey {
                switch self.number(0...7) {
                case 0: self.send(host, LELongTermKeyRequestNegativeReply(handle: handle))
                case 1: self.send(host, LELongTermKeyRequestReply(handle: handle, longTermKey: Self.keys[1]))
                default: self.send(host, LELongTermKeyRequestReply(handle: handle, longTermKey: Self.keys[0]))
                }
                return true
            }
            if case .awaitsHost = entry.end.parameterUpdate {
                if self.once(in: 3) {
                    let reason = self.one(of: [
                        HCIErrorCode.unacceptableConnectionParameters, .unsupportedRemoteFeature,
                    ])
                    self.send(host, LERemoteConnectionParameterRequestNegativeReply(handle: handle, reason: reason))
                } else {
                    let parameters = self.parameters()
                    self.send(host, LERemoteConnectionParameterRequestReply(handle: handle, parameters: parameters))
                }
                return true
            }
        }
        return false
    }

    // MARK: Procedures

    func useLink(_ host: Int) {
        if self.once(in: 2), self.answer(host) { return }
        let handle = self.handle(host)
        switch self.number(0...29) {
        case 0...3: self.send(host, LEConnectionUpdate(handle: handle, parameters: self.parameters()))
        case 4: self.send(host, LEReadRemoteFeatures(handle: handle))
        case 5: self.send(host, ReadRemoteVersionInformation(handle: handle))
        case 6...7: self.setDataLength(host, handle)
        case 8...10: self.setPHY(host, handle)
        case 11: self.send(host, LEReadPHY(handle: handle))
        case 12: self.send(host, LEReadChannelMap(handle: handle))
        case 13: self.send(host, ReadRSSI(handle: handle))
        case 14:
            let channels = ChannelMap(rawValue: self.value([0x1F_FFFF_FFFF, 1, 0x0F_0000_0001], not: [0]))
            self.send(host, LESetHostChannelClassification(channels: channels))
        case 15:
            let type = TransmitPowerLevelType(rawValue: self.value([0, 1], not: [2]))
            self.send(host, ReadTransmitPowerLevel(handle: handle, type: type))
        case 16...17: self.setPayloadTimeout(host, handle)
        case 18: self.send(host, ReadAuthenticatedPayloadTimeout(handle: handle))
        case 19...24: self.encrypt(host, handle)
        case 25: self.send(host, LELongTermKeyRequestReply(handle: handle, longTermKey: Self.keys[0]))
        case 26: self.send(host, LELongTermKeyRequestNegativeReply(handle: handle))
        case 27: self.send(host, LERemoteConnectionParameterRequestReply(handle: handle, parameters: self.parameters()))
        case 28: self.send(host, LERemoteConnectionParameterRequestNegativeReply(handle: handle))
        default: self.disconnect(host, handle)
        }
    }

    func encrypt(_ host: Int) {
        if !self.answer(host) { self.encrypt(host, self.handle(host)) }
    }

    private func encrypt(_ host: Int, _ handle: ConnectionHandle) {
        let command = LEEnableEncryption(
            handle: handle,
            random: UInt64(self.number(0...9)),
            encryptedDiversifier: UInt16(self.number(0...9)),
            longTermKey: Self.keys[self.once(in: 12) ? 1 : 0]
        )
        self.send(host, command)
    }

    private func setDataLength(_ host: Int, _ handle: ConnectionHandle) {
        let octets = self.value([27, 28, 100, 251], not: [26, 252]) as UInt16
        let time = self.value([328, 329, 1_000, 2_120, 17_040], not: [327, 17_041]) as UInt16
        if self.once(in: 4) {
            self.send(host, LEWriteSuggestedDefaultDataLength(transmitOctets: octets, transmitTime: time))
            self.send(host, LEReadSuggestedDefaultDataLength())
        } else {
            self.send(host, LESetDataLength(handle: handle, transmitOctets: octets, transmitTime: time))
        }
    }

    private func setPHY(_ host: Int, _ handle: ConnectionHandle) {
        func phys() -> PHYSet? { self.value([nil, [], .le1M, .le2M, .leCoded, .all], not: [PHYSet(rawValue: 8)]) }
        let preference = PHYPreference(transmitter: phys(), receiver: phys())
        if self.once(in: 5) {
            self.send(host, LESetDefaultPHY(preference: preference))
        } else {
            self.send(host, LESetPHY(handle: handle, preference: preference))
        }
    }

    private func setPayloadTimeout(_ host: Int, _ handle: ConnectionHandle) {
        // Units of 10 ms; intervals of 30 ms and of 300 ms with latency need more than the first ones.
        let timeout = AuthenticatedPayloadTimeout(rawValue: self.value([1, 3, 10, 30, 31, 100, 3_000], not: [0]))
        self.send(host, WriteAuthenticatedPayloadTimeout(handle: handle, timeout: timeout))
    }

    private func disconnect(_ host: Int, _ handle: ConnectionHandle) {
        let reason =
            self.value(
                [.remoteUserTerminated, .remotePowerOff, .authenticationFailure, .remoteLowResources],
                not: [.connectionTimeout, .localHostTerminated]
            ) as HCIErrorCode
        self.send(host, Disconnect(handle: handle, reason: reason))
    }

    // MARK: Data

    /// Sends some packets of the stream of a link: each end has its own, and its peer knows what comes next.
    func sendData(_ host: Int) {
        let controller = self.controllers[host]
        guard let entry = controller.links[self.handle(host)] else { return }
        let configuration = controller.configuration
        let count = self.once(in: 8) ? configuration.aclDataPacketCount + 1 : self.number(1...4)
        var used = controller.transmitBuffers.used
        let key = host << 16 | Int(entry.end.handle.rawValue)
        for _ in 0..<count {
            let length = self.one(of: [0, 1, 20, 27, 28, 100, 250, 251, 252])
            let start = self.sentCounts[key, default: 0]
            let octets = (0..<length).map { Self.octet(start + $0) }
            self.hosts[host].sendData(
                octets,
                on: entry.end.handle,
                boundary: self.one(of: [.firstNonFlushable, .firstFlushable, .continuing])
            )
            guard used < configuration.aclDataPacketCount, length <= configuration.aclDataPacketLength else { continue }
            used += 1
            self.sentCounts[key] = start + length
        }
    }

    /// Changes a packet on its way, now and then, or no longer.
    func interfere(_ host: Int) {
        guard self.once(in: 3) else { return self.testbed.air.interference = nil }
        var left = self.number(1...3)
        self.testbed.air.interference = { transmission in
            guard case .sealed(var octets, let content) = transmission else { return transmission }
            left -= 1
            guard left == 0 else { return transmission }
            octets.setInteger(UInt8(0xA5), at: octets.readerIndex)
            return .sealed(octets, content)
        }
    }
}
