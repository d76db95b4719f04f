// The ranges and the order of the commands of extended advertising (Vol 4, Part E, 7.8.52 to 7.8.60).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Commands of extended advertising")
struct ExtendedAdvertisingCommandTests: AdvertisingSetCommands {
    @Test("the parameters of a set do not change while it is enabled (7.8.53)")
    func parametersWhileEnabled() {
        let host = AirTestbed().host()
        host.ok(self.parameters([]))
        host.ok(self.enable([self.first]))
        host.refused(self.parameters([]), .commandDisallowed)
        host.ok(self.enable([self.first], isEnabled: false))
        host.ok(self.parameters([]))
    }

    @Test("allows a new random address of an enabled set that is not connectable (7.8.52)")
    func randomAddressWhileEnabled() {
        let address = DeviceAddress(0xC000_0000_0001, kind: .random)
        let command = LESetAdvertisingSetRandomAddress(advertisingHandle: self.first, address: address)
        for (properties, status) in [
            ([], .success), ([.connectable], .commandDisallowed),
        ] as [(AdvertisingEventProperties, HCIErrorCode)] {
            let host = AirTestbed().host()
            host.ok(self.parameters(properties, ownAddressType: .random))
            host.ok(command)
            host.ok(self.enable([self.first]))
            #expect(host.run(command)?.status == status)
        }
    }

    @Test("LE Set Random Address is taken while only extended sets are enabled (7.8.4)")
    func controllerAddressWhileEnabled() {
        let host = AirTestbed().host()
        host.ok(self.parameters([.connectable]))
        host.ok(self.enable([self.first]))
        host.ok(LESetRandomAddress(address: DeviceAddress(0xC000_0000_0001, kind: .random)))
    }

    @Test("each combination of properties is taken or refused with 0x12 (7.8.53)")
    func combinations() {
        let taken: [AdvertisingEventProperties] = [
            [.legacy, .connectable, .scannable], [.legacy, .connectable, .directed],
            [.legacy, .connectable, .directed, .highDutyCycleDirected], [.legacy, .scannable], [.legacy], [],
            [.connectable], [.scannable], [.directed], [.connectable, .directed], [.scannable, .directed],
            [.anonymous], [.anonymous, .directed], [.includeTxPower], [.connectable, .includeTxPower],
        ]
        let refused: [AdvertisingEventProperties] = [
            [.legacy, .connectable], [.legacy, .directed], [.legacy, .scannable, .directed], [.legacy, .anonymous],
            [.legacy, .includeTxPower], [.legacy, .connectable, .highDutyCycleDirected],
            [.connectable, .scannable], [.connectable, .anonymous], [.scannable, .anonymous],
            [.highDutyCycleDirected], [.connectable, .directed, .highDutyCycleDirected],
        ]
        for properties in taken {
            #expect(AirTestbed().host().run(self.parameters(properties))?.status == .success, "\(properties)")
        }
        for properties in refused {
            #expect(
                AirTestbed().host().run(self.parameters(properties))?.status == .invalidParameters,
                "\(properties)"
            )
        }
    }

    @Test("only PDUs that can carry data get some: no directed legacy ones, no scannable extended ones (7.8.54)")
    func dataByProperties() {
        for (properties, status) in [
            ([.legacy, .connectable, .directed], .invalidParameters), ([.legacy, .scannable], .success),
            ([.legacy], .success), ([.scannable], .invalidParameters), ([.connectable, .directed], .success),
        ] as [(AdvertisingEventProperties, HCIErrorCode)] {
            let host = AirTestbed().host()
            host.ok(self.parameters(properties))
            #expect(host.run(self.data([1]))?.status == status, "\(properties)")
        }
    }

    @Test("only a scannable set has a scan response, a legacy one of at most 31 octets in one piece (7.8.55)")
    func responseByProperties() {
        let long = [UInt8](repeating: 1, count: 32)
        for (properties, octets, operation, status) in [
            ([], [1], .complete, .invalidParameters), ([.connectable], [1], .complete, .invalidParameters),
            ([.legacy], [1], .complete, .invalidParameters), ([.scannable], long, .complete, .success),
            ([.scannable], [1], .firstFragment, .success),
            ([.legacy, .scannable], Array(long.dropLast()), .complete, .success),
            ([.legacy, .scannable], long, .complete, .invalidParameters),
            ([.legacy, .scannable], [1], .firstFragment, .invalidParameters),
        ] as [(AdvertisingEventProperties, [UInt8], AdvertisingDataOperation, HCIErrorCode)] {
            let host = AirTestbed().host()
            host.ok(self.parameters(properties))
            #expect(host.run(self.response(octets, operation))?.status == status, "\(properties) \(octets.count)")
        }
    }

    @Test("a first fragment begins the data anew, and the others follow it in their order")
    func fragments() {
        let testbed = AirTestbed()
        let (host, scanner) = (testbed.host(), testbed.host())
        host.ok(self.parameters([]))
        for (octets, operation) in [
            ([1, 2], .firstFragment), ([3], .firstFragment), ([4, 5], .intermediateFragment), ([6], .lastFragment),
        ] as [([UInt8], AdvertisingDataOperation)] {
            host.ok(self.data(octets, operation))
        }
        host.refused(self.data([7], .intermediateFragment), .commandDisallowed)
        host.refused(self.data([7], .lastFragment), .commandDisallowed)
        host.ok(self.enable([self.first]))
        scanner.extendedScan()
        testbed.pass(.milliseconds(150))
        #expect(scanner.extendedReports.map { Array($0.data.readableBytesView) } == [[3, 4, 5, 6]])
    }

    @Test("replaces fragments by complete data")
    func wholeAfterFragment() {
        let plain = AirTestbed().host()
        plain.ok(self.parameters([]))
        plain.ok(self.data([1], .firstFragment))
        plain.refused(self.enable([self.first]), .commandDisallowed)
        plain.ok(self.data([2]))
        plain.refused(self.data([3], .lastFragment), .commandDisallowed)
        plain.ok(self.enable([self.first]))
        let scannable = AirTestbed().host()
        scannable.ok(self.parameters([.scannable]))
        scannable.ok(self.response([1], .firstFragment))
        scannable.ok(self.response([2]))
        scannable.refused(self.response([3], .lastFragment), .commandDisallowed)
        scannable.ok(self.enable([self.first]))
    }

    @Test("an enabled set to which one connects takes 245 octets of data at most, another one more")
    func dataWhileEnabled() {
        for (properties, count, status) in [
            ([.connectable], 245, .success), ([.connectable], 246, .packetTooLong), ([], 246, .success),
        ] as [(AdvertisingEventProperties, Int, HCIErrorCode)] {
            let host = AirTestbed().host()
            host.ok(self.parameters(properties))
            host.ok(self.enable([self.first]))
            #expect(host.run(self.data([UInt8](repeating: 0, count: count)))?.status == status, "\(count)")
        }
    }

    private static let set = AdvertisingHandle(rawValue: 1)

    private func extended(
        _ properties: AdvertisingEventProperties = [],
        _ change: (inout LESetExtendedAdvertisingParameters) -> Void = { _ in }
    ) -> LESetExtendedAdvertisingParameters {
        var command = LESetExtendedAdvertisingParameters(
            advertisingHandle: Self.set,
            properties: properties,
            minimumInterval: 0x20,
            maximumInterval: 0xFF_FFFF,
            txPower: 20,
            setIdentifier: 0x0F
        )
        change(&command)
        return command
    }

    @Test("checks the ranges of LE Set Extended Advertising Parameters (7.8.53)")
    func extendedAdvertising() {
        #expect(freshStatus(self.extended()) == .success)
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
            #expect(freshStatus(self.extended([], change)) == .success, "change \(index)")
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
            #expect(freshStatus(self.extended([], change)) == .invalidParameters, "change \(index)")
        }
        // Legacy PDUs are on 1M alone.
        #expect(freshStatus(self.extended([.legacy]) { $0.primaryPHY = .leCoded }) == .invalidParameters)
        #expect(freshStatus(self.extended([.legacy])) == .success)
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

    @Test("checks the options of a coded PHY in the second version of the command (7.8.53)")
    func options() {
        for (primary, secondary, status) in [
            (4, 4, HCIErrorCode.success), (5, 4, .invalidParameters), (4, 5, .invalidParameters),
        ] as [(UInt8, UInt8, HCIErrorCode)] {
            let command = LESetExtendedAdvertisingParametersV2(
                parameters: self.extended(),
                primaryPHYOptions: .init(rawValue: primary),
                secondaryPHYOptions: .init(rawValue: secondary)
            )
            #expect(freshStatus(command) == status)
        }
    }

    @Test("checks the operations of LE Set Extended Advertising Data (7.8.54)")
    func dataOperations() {
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
        #expect(freshStatus(data(.complete, 31), after: legacy) == .success)
        #expect(freshStatus(data(.complete, 32), after: legacy) == .invalidParameters)
        #expect(freshStatus(data(.firstFragment, 1), after: legacy) == .invalidParameters)
        #expect(freshStatus(data(.firstFragment, 1), after: extended) == .success)
        #expect(freshStatus(data(.firstFragment, 0), after: extended) == .invalidParameters)
        #expect(freshStatus(data(AdvertisingDataOperation(rawValue: 5), 1), after: extended) == .invalidParameters)
        #expect(freshStatus(data(.lastFragment, 1), after: extended) == .commandDisallowed)
        #expect(freshStatus(data(.firstFragment, 1), after: extended + [enable]) == .commandDisallowed)
        // Unchanged: while it advertises extended PDUs with data, and with nothing in the command.
        let advertising = extended + [data(.complete, 1), enable]
        #expect(freshStatus(data(.unchanged, 0), after: advertising) == .success)
        #expect(freshStatus(data(.unchanged, 1), after: advertising) == .invalidParameters)
        #expect(freshStatus(data(.unchanged, 0), after: extended + [data(.complete, 1)]) == .invalidParameters)
        #expect(freshStatus(data(.unchanged, 0), after: extended + [enable]) == .invalidParameters)
        #expect(freshStatus(data(.unchanged, 0), after: legacy + [data(.complete, 1), enable]) == .invalidParameters)
        // Data or a scan response that is there in part is not advertised.
        #expect(freshStatus(enable, after: extended + [data(.firstFragment, 1)]) == .commandDisallowed)
        let response = LESetExtendedScanResponseData(
            advertisingHandle: Self.set,
            operation: .firstFragment,
            data: ByteBuffer(bytes: [1])
        )
        #expect(freshStatus(enable, after: [self.extended([.scannable]), response]) == .commandDisallowed)
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
            #expect(freshStatus(enable, after: [directed]) == status, "\(duration)")
        }
    }
}
