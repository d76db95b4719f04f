// Steps of a walk: scanning, initiating, the lists of devices, and privacy.

import BluetoothHCI
import BluetoothTypes
import NIOCore

@testable import BluetoothAir

extension Walk {
    private func ownAddressType() -> OwnAddressType {
        OwnAddressType(rawValue: self.value([0, 0, 0, 1, 2, 3], not: [4]))
    }

    private func scanFilterPolicy() -> ScanFilterPolicy {
        ScanFilterPolicy(rawValue: self.value([0, 0, 0, 1, 2, 2, 3], not: [4]))
    }

    /// An interval and a window, in units of 0.625 ms.
    private func plan() -> (interval: UInt16, window: UInt16) {
        self.value(
            [(0x10, 0x10), (0x10, 0x10), (0x40, 0x20), (0x64, 0x04), (0x04, 0x04), (0x4000, 0x4000)],
            not: [(0x03, 0x03), (0x10, 0x03), (0x10, 0x11), (0x4001, 0x10)]
        )
    }

    // MARK: Legacy scanning

    func scan(_ host: Int) {
        switch self.number(0...5) {
        case 0: self.send(host, LESetScanEnable(isEnabled: false))
        case 1: self.setScanEnable(host)
        default:
            if !self.once(in: 4) { self.send(host, LESetScanEnable(isEnabled: false)) }
            let plan = self.plan()
            let command = LESetScanParameters(
                type: ScanType(rawValue: self.value([0, 1], not: [2])),
                interval: ScanInterval(rawValue: plan.interval),
                window: ScanInterval(rawValue: plan.window),
                ownAddressType: self.ownAddressType(),
                filterPolicy: self.scanFilterPolicy()
            )
            self.send(host, command)
            self.setScanEnable(host)
        }
    }

    private func setScanEnable(_ host: Int) {
        let filter = DuplicateFilter(rawValue: self.value([0, 1], not: [2]))
        self.send(host, LESetScanEnable(isEnabled: true, filterDuplicates: filter))
    }

    // MARK: Extended scanning

    func scanExtended(_ host: Int) {
        switch self.number(0...5) {
        case 0: self.send(host, LESetExtendedScanEnable(isEnabled: false))
        case 1: self.setExtendedScanEnable(host)
        default:
            if !self.once(in: 4) { self.send(host, LESetExtendedScanEnable(isEnabled: false)) }
            func parameters() -> LESetExtendedScanParameters.PHYParameters {
                let plan = self.plan()
                return LESetExtendedScanParameters.PHYParameters(
                    type: ScanType(rawValue: self.value([0, 1, 1], not: [2])),
                    interval: ExtendedScanInterval(rawValue: plan.interval),
                    window: ExtendedScanInterval(rawValue: plan.window)
                )
            }
            let phys = self.value([(true, false), (true, true), (true, true), (false, true)], not: [(false, false)])
            let command = LESetExtendedScanParameters(
                ownAddressType: self.ownAddressType(),
                filterPolicy: self.scanFilterPolicy(),
                le1M: phys.0 ? parameters() : nil,
                leCoded: phys.1 ? parameters() : nil
            )
            self.send(host, command)
            self.setExtendedScanEnable(host)
        }
    }

    private func setExtendedScanEnable(_ host: Int) {
        // Units of 10 ms and of 1.28 s.
        let times = self.value(
            [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (10, 0), (50, 1), (127, 1), (255, 2)],
            not: [(0, 1), (128, 1), (256, 2)] as [(UInt16, UInt16)]
        )
        let filters: [UInt8] = times.1 > 0 ? [0, 1, 2, 2] : [0, 1]
        let command = LESetExtendedScanEnable(
            isEnabled: true,
            filterDuplicates: DuplicateFilter(rawValue: self.value(filters, not: [2, 3])),
            duration: AdvertisingDuration(rawValue: times.0),
            period: ScanPeriod(rawValue: times.1)
        )
        self.send(host, command)
    }

    // MARK: Initiating

    /// Parameters with the shortest timeout that an interval allows, and others.
    func parameters() -> ConnectionParameters {
        func make(_ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16) -> ConnectionParameters {
            ConnectionParameters(
                minimumInterval: ConnectionInterval(rawValue: minimum),
                maximumInterval: ConnectionInterval(rawValue: maximum),
                latency: latency,
                supervisionTimeout: SupervisionTimeout(rawValue: timeout)
            )
        }
        var parameters = self.value(
            [
                make(6, 6, 0, 10), make(24, 24, 0, 10), make(24, 40, 0, 11), make(24, 40, 0, 72), make(6, 6, 4, 20),
                make(80, 80, 2, 61), make(8, 3200, 0, 3200),
            ],
            not: [
                make(5, 6, 0, 10), make(40, 40, 0, 10), make(24, 23, 0, 100), make(80, 80, 2, 60),
                make(6, 6, 500, 3200),
            ]
        )
        if self.once(in: 20) { parameters.minimumEventLength = ConnectionEventLength(rawValue: 1) }
        return parameters
    }

    func connect(_ host: Int) {
        switch self.number(0...7) {
        case 0: self.send(host, LECreateConnectionCancel())
        default:
            if self.once(in: 2) { self.send(host, LECreateConnectionCancel()) }
            let plan = self.plan()
            let command = LECreateConnection(
                scanInterval: ScanInterval(rawValue: plan.interval),
                scanWindow: ScanInterval(rawValue: plan.window),
                filterPolicy: InitiatorFilterPolicy(rawValue: self.value([0, 0, 1], not: [2])),
                peer: self.peer(of: host),
                ownAddressType: self.ownAddressType(),
                parameters: self.parameters()
            )
            self.send(host, command)
        }
    }

    func connectExtended(_ host: Int) {
        if self.once(in: 8) { return self.send(host, LECreateConnectionCancel()) }
        if self.once(in: 2) { self.send(host, LECreateConnectionCancel()) }
        func parameters() -> LEExtendedCreateConnection.PHYParameters {
            let plan = self.plan()
            return LEExtendedCreateConnection.PHYParameters(
                scanInterval: ExtendedScanInterval(rawValue: plan.interval),
                scanWindow: ExtendedScanInterval(rawValue: plan.window),
                parameters: self.parameters()
            )
        }
        let phys = self.value([[1], [1, 2], [1, 2, 3], [1, 3], [3], [2, 3]], not: [[], [2]])
        let command = LEExtendedCreateConnection(
            filterPolicy: InitiatorFilterPolicy(rawValue: self.value([0, 0, 1], not: [2])),
            ownAddressType: self.ownAddressType(),
            peer: self.peer(of: host),
            le1M: phys.contains(1) ? parameters() : nil,
            le2M: phys.contains(2) ? parameters() : nil,
            leCoded: phys.contains(3) ? parameters() : nil
        )
        self.send(host, command)
    }

    // MARK: Filter accept list

    func useAcceptList(_ host: Int) {
        let device = self.once(in: 8) ? FilterAcceptListEntry.anonymous : .device(self.peer(of: host))
        switch self.number(0...9) {
        case 0: self.send(host, LEClearFilterAcceptList())
        case 1...2: self.send(host, LERemoveDeviceFromFilterAcceptList(entry: device))
        case 3: self.send(host, LEReadFilterAcceptListSize())
        default: self.send(host, LEAddDeviceToFilterAcceptList(entry: device))
        }
    }

    // MARK: Resolving list

    func usePrivacy(_ host: Int) {
        let other = self.other(host)
        let peer = self.value(
            [self.controllers[other].publicAddress, self.controllers[other].publicAddress, Self.randomAddress(other)],
            not: [DeviceAddress(self.controllers[other].publicAddress.value, kind: .publicIdentity), .none]
        )
        switch self.number(0...19) {
        case 0...5:
            let command = LEAddDeviceToResolvingList(
                peer: peer,
                peerIdentityResolvingKey: self.one(of: [Self.key(other), Self.key(other), Self.key(other), .zero]),
                localIdentityResolvingKey: self.one(of: [Self.key(host), Self.key(host), Self.key(host), .zero])
            )
            self.send(host, command)
        case 6: self.send(host, LERemoveDeviceFromResolvingList(peer: peer))
        case 7:
            if self.once(in: 3) { self.send(host, LEClearResolvingList()) }
        case 8...9: self.send(host, LEReadPeerResolvableAddress(peer: peer))
        case 10...11: self.send(host, LEReadLocalResolvableAddress(peer: peer))
        case 12...14: self.send(host, LESetAddressResolutionEnable(isEnabled: !self.once(in: 6)))
        case 15:
            let timeout = ResolvablePrivateAddressTimeout(rawValue: self.value([1, 2, 900, 0x0E10], not: [0, 0x0E11]))
            self.send(host, LESetResolvablePrivateAddressTimeout(timeout: timeout))
        case 16: self.send(host, LEReadResolvingListSize())
        default:
            self.send(host, LESetPrivacyMode(peer: peer, mode: PrivacyMode(rawValue: self.value([0, 1, 1], not: [2]))))
        }
    }
}
