// Each parameter of a command at the ends of its range and one beyond: each limit by itself (Vol 4, Part E, 7.3 to 7.8).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Limits of commands")
struct CommandLimitsTests {
    /// What a controller that was just reset answers to a command, after others that it takes.
    private func status<Command: HCICommand>(
        _ command: Command,
        after others: [any HCICommand] = []
    ) -> HCIErrorCode? {
        let host = AirTestbed().host()
        for other in others { host.ok(other) }
        return host.run(command)?.status
    }

    // MARK: Advertising

    private static let set = AdvertisingHandle(rawValue: 1)

    private func extended(
        _ properties: AdvertisingEventProperties = [],
        _ change: (inout LESetExtendedAdvertisingParameters) -> Void = { _ in }
    ) -> LESetExtendedAdvertisingParameters {
        var command = LESetExtendedAdvertisingParameters(
            advertisingHandle: Self.set,
            properties: properties,
            minimumInterval: ExtendedAdvertisingInterval(rawValue: 0x20),
            maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xFF_FFFF),
            txPower: 20,
            setIdentifier: 0x0F
        )
        change(&command)
        return command
    }

    @Test("LE Set Extended Advertising Parameters (7.8.53)")
    func extendedAdvertising() {
        #expect(self.status(self.extended()) == .success)
        let allowed: [(inout LESetExtendedAdvertisingParameters) -> Void] = [
            { $0.advertisingHandle = AdvertisingHandle(rawValue: 0xEF) },
            { $0.ownAddressType = OwnAddressType(rawValue: 3) },
            { $0.filterPolicy = AdvertisingFilterPolicy(rawValue: 3) },
            { $0.channels = AdvertisingChannels(rawValue: 0x01) },
            { $0.maximumInterval = $0.minimumInterval },
            { $0.txPower = -127 },
            { $0.primaryPHY = .leCoded },
            { $0.secondaryPHY = .leCoded },
        ]
        for (index, change) in allowed.enumerated() {
            #expect(self.status(self.extended([], change)) == .success, "change \(index)")
        }
        let refused: [(inout LESetExtendedAdvertisingParameters) -> Void] = [
            { $0.advertisingHandle = AdvertisingHandle(rawValue: 0xF0) },
            { $0.ownAddressType = OwnAddressType(rawValue: 4) },
            { $0.filterPolicy = AdvertisingFilterPolicy(rawValue: 4) },
            { $0.channels = AdvertisingChannels(rawValue: 0x00) },
            { $0.channels = AdvertisingChannels(rawValue: 0x09) },
            { $0.minimumInterval = ExtendedAdvertisingInterval(rawValue: 0x1F) },
            {
                $0.minimumInterval = ExtendedAdvertisingInterval(rawValue: 0x21)
                $0.maximumInterval = ExtendedAdvertisingInterval(rawValue: 0x20)
            },
            { $0.setIdentifier = 0x10 },
            { $0.txPower = 21 },
            { $0.primaryPHY = .le2M },
            { $0.secondaryPHY = PHY(rawValue: 0) },
            { $0.secondaryPHY = PHY(rawValue: 4) },
        ]
        for (index, change) in refused.enumerated() {
            #expect(self.status(self.extended([], change)) == .invalidParameters, "change \(index)")
        }
        // Legacy PDUs are on 1M alone.
        #expect(self.status(self.extended([.legacy]) { $0.primaryPHY = .leCoded }) == .invalidParameters)
        #expect(self.status(self.extended([.legacy])) == .success)
    }

    @Test("the power in use is the nearest one that the controller has")
    func power() {
        for (wanted, selected) in [(-127, -20), (-21, -20), (-20, -20), (0, 0), (10, 10), (11, 10), (20, 10)] {
            let host = AirTestbed().host()
            let answer = host.run(self.extended { $0.txPower = TransmitPower(dBm: Int8(wanted)) })
            #expect(answer?.selectedTxPower == TransmitPower(dBm: Int8(selected)), "\(wanted)")
        }
        let host = AirTestbed().host()
        #expect(host.run(self.extended { $0.txPower = nil })?.selectedTxPower == 0, "no preference")
    }

    private func extended(
        _ change: (inout LESetExtendedAdvertisingParameters) -> Void
    )
        -> LESetExtendedAdvertisingParameters
    { self.extended([], change) }

    @Test("options of a coded PHY, in the second version of the command (7.8.53)")
    func options() {
        for (primary, secondary, status) in [
            (4, 4, HCIErrorCode.success), (5, 4, .invalidParameters), (4, 5, .invalidParameters),
        ] as [(UInt8, UInt8, HCIErrorCode)] {
            let command = LESetExtendedAdvertisingParametersV2(
                parameters: self.extended(),
                primaryPHYOptions: .init(rawValue: primary),
                secondaryPHYOptions: .init(rawValue: secondary)
            )
            #expect(self.status(command) == status)
        }
    }

    @Test("LE Set Extended Advertising Data: fragments, and a new identifier for the same data (7.8.54)")
    func data() {
        func data(_ operation: AdvertisingDataOperation, _ count: Int) -> LESetExtendedAdvertisingData {
            LESetExtendedAdvertisingData(
                advertisingHandle: Self.set,
                operation: operation,
                data: ByteBuffer(repeating: 1, count: count)
            )
        }
        let extended: [any HCICommand] = [self.extended()]
        let legacy: [any HCICommand] = [self.extended([.legacy])]
        let enable = LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: Self.set)])
        #expect(self.status(data(.complete, 31), after: legacy) == .success)
        #expect(self.status(data(.complete, 32), after: legacy) == .invalidParameters)
        #expect(self.status(data(.firstFragment, 1), after: legacy) == .invalidParameters)
        #expect(self.status(data(.firstFragment, 1), after: extended) == .success)
        #expect(self.status(data(.firstFragment, 0), after: extended) == .invalidParameters)
        #expect(self.status(data(AdvertisingDataOperation(rawValue: 5), 1), after: extended) == .invalidParameters)
        #expect(self.status(data(.lastFragment, 1), after: extended) == .commandDisallowed)
        #expect(self.status(data(.firstFragment, 1), after: extended + [enable]) == .commandDisallowed)
        // Unchanged: while it advertises extended PDUs with data, and with nothing in the command.
        let advertising = extended + [data(.complete, 1), enable]
        #expect(self.status(data(.unchanged, 0), after: advertising) == .success)
        #expect(self.status(data(.unchanged, 1), after: advertising) == .invalidParameters)
        #expect(self.status(data(.unchanged, 0), after: extended + [data(.complete, 1)]) == .invalidParameters)
        #expect(self.status(data(.unchanged, 0), after: extended + [enable]) == .invalidParameters)
        #expect(
            self.status(data(.unchanged, 0), after: legacy + [data(.complete, 1), enable]) == .invalidParameters
        )
        // Data or a scan response that is there in part is not advertised.
        #expect(self.status(enable, after: extended + [data(.firstFragment, 1)]) == .commandDisallowed)
        let response = LESetExtendedScanResponseData(
            advertisingHandle: Self.set,
            operation: .firstFragment,
            data: ByteBuffer(bytes: [1])
        )
        #expect(self.status(enable, after: [self.extended([.scannable]), response]) == .commandDisallowed)
    }

    @Test("a set whose data or scan response is longer than 31 octets does not become a legacy one")
    func longSet() {
        for (data, response, status) in [
            (31, 0, HCIErrorCode.success), (32, 0, .invalidParameters), (0, 31, .success), (0, 32, .invalidParameters),
        ] {
            let host = AirTestbed().host()
            host.ok(self.extended(response > 0 ? [.scannable] : []))
            if data > 0 {
                let octets = ByteBuffer(repeating: 1, count: data)
                host.ok(LESetExtendedAdvertisingData(advertisingHandle: Self.set, data: octets))
            } else {
                let octets = ByteBuffer(repeating: 1, count: response)
                host.ok(LESetExtendedScanResponseData(advertisingHandle: Self.set, data: octets))
            }
            #expect(host.run(self.extended([.legacy, .scannable]))?.status == status, "\(data) \(response)")
        }
    }

    @Test("high duty cycle directed advertising lasts 1.28 s at most (7.8.56)")
    func highDutyCycle() {
        let directed = self.extended([.legacy, .connectable, .directed, .highDutyCycleDirected]) {
            $0.peer = DeviceAddress(1, kind: .public)
        }
        for (duration, status) in [
            (0, HCIErrorCode.invalidParameters), (1, .success), (128, .success), (129, .invalidParameters),
        ] {
            let item = LESetExtendedAdvertisingEnable.AdvertisingSet(
                handle: Self.set,
                duration: AdvertisingDuration(rawValue: UInt16(duration))
            )
            let enable = LESetExtendedAdvertisingEnable(isEnabled: true, sets: [item])
            #expect(self.status(enable, after: [directed]) == status, "\(duration)")
        }
    }

    // MARK: Scanning and initiating

    @Test("LE Set Scan Parameters (7.8.10)")
    func scan() {
        func scan(
            type: UInt8 = 1,
            interval: UInt16 = 4,
            window: UInt16 = 4,
            own: UInt8 = 3,
            policy: UInt8 = 3
        ) -> LESetScanParameters {
            LESetScanParameters(
                type: ScanType(rawValue: type),
                interval: ScanInterval(rawValue: interval),
                window: ScanInterval(rawValue: window),
                ownAddressType: OwnAddressType(rawValue: own),
                filterPolicy: ScanFilterPolicy(rawValue: policy)
            )
        }
        #expect(self.status(scan()) == .success)
        #expect(self.status(scan(interval: 0x4000, window: 0x4000)) == .success)
        for wrong in [
            scan(type: 2), scan(interval: 3, window: 3), scan(window: 3), scan(interval: 4, window: 5), scan(own: 4),
            scan(policy: 4), scan(interval: 0x4001),
        ] {
            #expect(self.status(wrong) == .invalidParameters)
        }
    }

    @Test("LE Set Extended Scan Parameters (7.8.64)")
    func extendedScan() {
        func scan(
            type: UInt8 = 1,
            interval: UInt16 = 4,
            window: UInt16 = 4,
            own: UInt8 = 3,
            policy: UInt8 = 3
        ) -> LESetExtendedScanParameters {
            LESetExtendedScanParameters(
                ownAddressType: OwnAddressType(rawValue: own),
                filterPolicy: ScanFilterPolicy(rawValue: policy),
                le1M: .init(
                    type: ScanType(rawValue: type),
                    interval: ExtendedScanInterval(rawValue: interval),
                    window: ExtendedScanInterval(rawValue: window)
                )
            )
        }
        #expect(self.status(scan()) == .success)
        #expect(self.status(scan(interval: 0xFFFF, window: 0xFFFF)) == .success)
        for wrong in [
            scan(type: 2), scan(interval: 3, window: 3), scan(window: 3), scan(interval: 4, window: 5), scan(own: 4),
            scan(policy: 4),
        ] {
            #expect(self.status(wrong) == .invalidParameters)
        }
    }

    @Test("LE Extended Create Connection (7.8.66)")
    func extendedCreateConnection() {
        func channel(
            interval: UInt16 = 4,
            window: UInt16 = 4,
            latency: UInt16 = 0
        )
            -> LEExtendedCreateConnection.PHYParameters
        {
            var parameters = TestHost.parameters
            parameters.latency = latency
            return .init(
                scanInterval: ExtendedScanInterval(rawValue: interval),
                scanWindow: ExtendedScanInterval(rawValue: window),
                parameters: parameters
            )
        }
        func create(
            _ le1M: LEExtendedCreateConnection.PHYParameters?,
            leCoded: LEExtendedCreateConnection.PHYParameters? = nil,
            own: UInt8 = 0,
            policy: UInt8 = 0
        ) -> LEExtendedCreateConnection {
            LEExtendedCreateConnection(
                filterPolicy: InitiatorFilterPolicy(rawValue: policy),
                ownAddressType: OwnAddressType(rawValue: own),
                peer: DeviceAddress(1, kind: .public),
                le1M: le1M,
                leCoded: leCoded
            )
        }
        for allowed in [
            create(channel()), create(nil, leCoded: channel()), create(channel(), own: 2), create(channel(), policy: 1),
            create(channel(interval: 0xFFFF, window: 0xFFFF)),
        ] {
            #expect(self.status(allowed) == .success)
        }
        for wrong in [
            create(nil), create(channel(interval: 3, window: 3)), create(channel(window: 3)),
            create(channel(interval: 4, window: 5)), create(nil, leCoded: channel(window: 5)),
            create(channel(), own: 4), create(channel(), policy: 2), create(channel(latency: 500)),
        ] {
            #expect(self.status(wrong) == .invalidParameters)
        }
    }

    // MARK: Others

    @Test("Host Buffer Size: packets as long as the controller's, and one of them at least (7.3.39)")
    func hostBuffers() {
        let length = UInt16(VirtualControllerConfiguration().aclDataPacketLength)
        for (length, count, status) in [
            (length, 1, HCIErrorCode.success), (length + 1, 1, .success), (length - 1, 1, .invalidParameters),
            (length, 0, .invalidParameters),
        ] as [(UInt16, UInt16, HCIErrorCode)] {
            let command = HostBufferSize(aclDataPacketLength: length, aclDataPacketCount: count)
            #expect(self.status(command) == status, "\(length) \(count)")
        }
        #expect(self.status(SetControllerToHostFlowControl(mode: .acl)) == .commandDisallowed)
    }

    @Test("LE Write Suggested Default Data Length: 27 to 251 octets, 328 to 17,040 µs, each by itself (7.8.35)")
    func suggestedDataLength() {
        for (octets, time, isAllowed) in [
            (27, 328, true), (251, 17_040, true), (26, 328, false), (27, 327, false), (252, 17_040, false),
            (251, 17_041, false),
        ] {
            let command = LEWriteSuggestedDefaultDataLength(transmitOctets: UInt16(octets), transmitTime: UInt16(time))
            #expect(self.status(command) == (isAllowed ? .success : .invalidParameters), "\(octets) \(time)")
        }
    }

    @Test("LE Write RF Path Compensation: 128 dB at most, in either direction (7.8.76); features of a host (7.8.115)")
    func compensationAndHostFeature() {
        for (transmit, receive, isAllowed) in [
            (-1_280, 1_280, true), (1_280, -1_280, true), (-1_281, 0, false), (1_281, 0, false), (0, -1_281, false),
            (0, 1_281, false),
        ] as [(Int16, Int16, Bool)] {
            let command = LEWriteRFPathCompensation(transmitCompensation: transmit, receiveCompensation: receive)
            #expect(self.status(command) == (isAllowed ? .success : .invalidParameters), "\(transmit) \(receive)")
        }
        #expect(self.status(LESetHostFeature(bit: 63, isSupported: true)) == .unsupportedFeature)
        #expect(self.status(LESetHostFeature(bit: 64, isSupported: true)) == .invalidParameters)
    }

    @Test("Read Transmit Power Level: of now, or the maximum (7.3.35)")
    func powerLevel() throws {
        let link = try TestLink(AirTestbed())
        for (type, level) in [(0, 0), (1, 10), (2, nil)] as [(UInt8, TransmitPower?)] {
            let command = ReadTransmitPowerLevel(handle: link.centralHandle, type: .init(rawValue: type))
            let answer = try #require(link.central.run(command))
            #expect(answer.status == (level == nil ? .invalidParameters : .success))
            if let level { #expect(answer.level == level) }
        }
    }
}
