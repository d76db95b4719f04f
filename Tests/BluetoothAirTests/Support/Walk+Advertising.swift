// Steps of a walk: advertising and its data, by the legacy and by the extended commands.

import BluetoothHCI
import BluetoothTypes
import NIOCore

@testable import BluetoothAir

extension Walk {
    private static let intervals: [UInt16] = [0x0020, 0x0021, 0x0030, 0x00A0, 0x0100, 0x0400]

    private func ownAddressType() -> OwnAddressType {
        OwnAddressType(rawValue: self.value([0, 0, 0, 1, 1, 2, 2, 3], not: [4, 0xFF]))
    }

    private func filterPolicy() -> AdvertisingFilterPolicy {
        AdvertisingFilterPolicy(rawValue: self.value([0, 0, 0, 1, 2, 3], not: [4]))
    }

    private func channels() -> AdvertisingChannels {
        AdvertisingChannels(rawValue: self.value([7, 7, 7, 1, 2, 4, 5], not: [0, 8, 9]))
    }

    /// A random address of a host's own.
    private func ownRandomAddress(_ host: Int) -> DeviceAddress {
        self.once(in: 4) ? self.resolvableAddress(of: host) : Self.randomAddress(host)
    }

    // MARK: Legacy commands

    func advertise(_ host: Int) {
        switch self.number(0...11) {
        case 0: self.send(host, LESetRandomAddress(address: self.ownRandomAddress(host)))
        case 1...4: self.setAdvertisingParameters(host)
        case 5: self.send(host, LESetAdvertisingData(data: self.octets(self.one(of: [0, 1, 3, 30, 31]))))
        case 6: self.send(host, LESetScanResponseData(data: self.octets(self.one(of: [0, 1, 5, 30, 31]))))
        case 7...8: self.send(host, LESetAdvertisingEnable(isEnabled: false))
        default: self.send(host, LESetAdvertisingEnable(isEnabled: true))
        }
    }

    private func setAdvertisingParameters(_ host: Int) {
        if !self.once(in: 4) { self.send(host, LESetAdvertisingEnable(isEnabled: false)) }
        let minimum = self.value(Self.intervals, not: [0x001F, 0x4001])
        let maximum = self.value([max(minimum, 0x4000), minimum], not: [minimum - 1, 0x4001])
        let command = LESetAdvertisingParameters(
            minimumInterval: AdvertisingInterval(rawValue: minimum),
            maximumInterval: AdvertisingInterval(rawValue: maximum),
            type: AdvertisingType(rawValue: self.value([0, 0, 0, 1, 2, 3, 4], not: [5])),
            ownAddressType: self.ownAddressType(),
            peer: self.peer(of: host),
            channels: self.channels(),
            filterPolicy: self.filterPolicy()
        )
        self.send(host, command)
        if !self.once(in: 4) { self.send(host, LESetAdvertisingEnable(isEnabled: true)) }
    }

    // MARK: Extended commands

    func advertiseExtended(_ host: Int) {
        let existing = self.controllers[host].advertisingSets.map(\.handle)
        let set =
            existing.isEmpty || self.once(in: 3)
            ? AdvertisingHandle(rawValue: self.value([0, 1, 1, 2, 0xEF], not: [0xF0, 0xFF])) : self.one(of: existing)
        // Without a set there is nothing that could be used.
        if existing.isEmpty, !self.once(in: 8) { return self.setExtendedParameters(host, set) }
        switch self.number(0...19) {
        case 0: self.send(host, LESetRandomAddress(address: self.ownRandomAddress(host)))
        case 1...2:
            let address = self.ownRandomAddress(host)
            self.send(host, LESetAdvertisingSetRandomAddress(advertisingHandle: set, address: address))
        case 3...7: self.setExtendedParameters(host, set)
        case 8...9: self.setExtendedData(host, set)
        case 10...11: self.setExtendedScanResponse(host, set)
        case 12:
            self.send(
                host,
                LESetExtendedAdvertisingEnable(isEnabled: false, sets: self.once(in: 2) ? [] : [.init(handle: set)])
            )
        case 13: self.send(host, LERemoveAdvertisingSet(advertisingHandle: set))
        case 14:
            if self.once(in: 4) { self.send(host, LEClearAdvertisingSets()) }
        default: self.enableSets(host, set)
        }
    }

    private func properties() -> AdvertisingEventProperties {
        let legacy: [AdvertisingEventProperties] = [
            [.legacy, .connectable, .scannable], [.legacy, .connectable, .directed], [.legacy, .scannable], [.legacy],
            [.legacy, .connectable, .directed, .highDutyCycleDirected],
        ]
        let extended: [AdvertisingEventProperties] = [
            [], .connectable, .scannable, [.connectable, .directed], .directed, [.scannable, .directed], .anonymous,
            [.includeTxPower], [.connectable, .includeTxPower], [.anonymous, .directed], [.scannable, .includeTxPower],
        ]
        return self.value(
            legacy + extended + [[], .connectable, .scannable, [.legacy, .connectable, .scannable]],
            not: [
                [.connectable, .scannable], [.connectable, .anonymous], [.scannable, .anonymous],
                [.directed, .highDutyCycleDirected], [.legacy, .connectable], [.legacy, .anonymous],
                [.legacy, .includeTxPower], .decisionPDUs,
            ]
        )
    }

    private func setExtendedParameters(_ host: Int, _ set: AdvertisingHandle) {
        if !self.once(in: 4) {
            self.send(host, LESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(handle: set)]))
        }
        let minimum = UInt32(self.value(Self.intervals, not: [0x001F]))
        let maximum = self.value([minimum, 0xFF_FFFF], not: [minimum - 1])
        let properties = self.properties()
        let isLegacy = properties.contains(.legacy)
        let command = LESetExtendedAdvertisingParameters(
            advertisingHandle: set,
            properties: properties,
            minimumInterval: ExtendedAdvertisingInterval(rawValue: minimum),
            maximumInterval: ExtendedAdvertisingInterval(rawValue: maximum),
            channels: self.channels(),
            ownAddressType: self.ownAddressType(),
            peer: self.peer(of: host),
            filterPolicy: self.filterPolicy(),
            txPower: self.value([nil, 0, -20, -21, 10, 11, 20], not: [21]),
            primaryPHY: PHY(rawValue: self.value(isLegacy ? [1] : [1, 1, 3], not: [0, 2, 4])),
            secondaryMaximumSkip: 0,
            secondaryPHY: PHY(rawValue: self.value([1, 2, 3], not: [0, 4])),
            setIdentifier: self.value([0, 1, 0x0F], not: [0x10]),
            notifiesScanRequests: self.once(in: 3)
        )
        if self.once(in: 3) {
            let second = LESetExtendedAdvertisingParametersV2(
                parameters: command,
                primaryPHYOptions: .init(rawValue: self.value([0, 4], not: [5])),
                secondaryPHYOptions: .init(rawValue: self.value([0, 4], not: [5]))
            )
            self.send(host, second)
        } else {
            self.send(host, command)
        }
        if !self.once(in: 4) { self.setExtendedData(host, set) }
        if !self.once(in: 4) { self.setExtendedScanResponse(host, set) }
        if !self.once(in: 4) { self.enableSets(host, set) }
    }

    /// Data that comes whole, in fragments, or as what it was.
    private func data(_ body: (AdvertisingDataOperation, ByteBuffer) -> Void) {
        switch self.number(0...9) {
        case 0: body(.unchanged, self.octets(self.value([0], not: [1])))
        case 1: body(AdvertisingDataOperation(rawValue: self.one(of: [0, 2, 5])), self.octets(self.one(of: [0, 7])))
        case 2...4:
            // 1,650 octets are the most, and one more is too much.
            let counts = self.one(of: [
                [1, 1], [229, 1], [251, 251, 100], [251, 251, 251, 251, 251, 251, 144 + self.number(0...1)],
            ])
            for (index, count) in counts.enumerated() {
                let isLast = index == counts.count - 1
                if isLast, self.once(in: 6) { return }
                body(index == 0 ? .firstFragment : isLast ? .lastFragment : .intermediateFragment, self.octets(count))
            }
        default: body(.complete, self.octets(self.one(of: [0, 1, 31, 31, 32, 229, 230, 245, 246, 251])))
        }
    }

    private func setExtendedData(_ host: Int, _ set: AdvertisingHandle) {
        self.data { operation, data in
            self.send(host, LESetExtendedAdvertisingData(advertisingHandle: set, operation: operation, data: data))
        }
    }

    private func setExtendedScanResponse(_ host: Int, _ set: AdvertisingHandle) {
        self.data { operation, data in
            self.send(host, LESetExtendedScanResponseData(advertisingHandle: set, operation: operation, data: data))
        }
    }

    private func enableSets(_ host: Int, _ set: AdvertisingHandle) {
        func item(_ handle: AdvertisingHandle) -> LESetExtendedAdvertisingEnable.AdvertisingSet {
            LESetExtendedAdvertisingEnable.AdvertisingSet(
                handle: handle,
                duration: AdvertisingDuration(rawValue: self.one(of: [0, 0, 0, 0, 0, 0, 0, 0, 1, 10, 127, 128, 129])),
                maximumEvents: self.one(of: [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 255])
            )
        }
        var sets = [item(set)]
        if self.once(in: 6) { sets.append(item(self.one(of: [set, AdvertisingHandle(rawValue: 0)]))) }
        self.send(host, LESetExtendedAdvertisingEnable(isEnabled: true, sets: self.once(in: 24) ? [] : sets))
    }
}
