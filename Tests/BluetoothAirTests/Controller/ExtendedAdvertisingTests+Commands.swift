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
        host.ok(LESetExtendedAdvertisingEnable(self.first))
        host.refused(self.parameters([]), .commandDisallowed)
        host.ok(LESetExtendedAdvertisingEnable(self.first, isEnabled: false))
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
            host.ok(LESetExtendedAdvertisingEnable(self.first))
            #expect(host.run(command)?.status == status)
        }
    }

    @Test("accepts LE Set Random Address while only extended sets are enabled (7.8.4)")
    func controllerAddressWhileEnabled() {
        let host = AirTestbed().host()
        host.ok(self.parameters([.connectable]))
        host.ok(LESetExtendedAdvertisingEnable(self.first))
        host.ok(LESetRandomAddress(address: DeviceAddress(0xC000_0000_0001, kind: .random)))
    }

    @Test("accepts each combination of properties or rejects it with 0x12 (7.8.53)")
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
        for properties in taken { #expect(freshStatus(self.parameters(properties)) == .success, "\(properties)") }
        for properties in refused {
            #expect(freshStatus(self.parameters(properties)) == .invalidParameters, "\(properties)")
        }
    }

    @Test("accepts data only for PDUs that carry it: not for directed legacy and scannable extended ones (7.8.54)")
    func dataByProperties() {
        for (properties, status) in [
            ([.legacy, .connectable, .directed], .invalidParameters), ([.legacy, .scannable], .success),
            ([.legacy], .success), ([.scannable], .invalidParameters), ([.connectable, .directed], .success),
        ] as [(AdvertisingEventProperties, HCIErrorCode)] {
            #expect(freshStatus(self.data([1]), after: [self.parameters(properties)]) == status, "\(properties)")
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
            let response = self.response(octets, operation)
            #expect(freshStatus(response, after: [self.parameters(properties)]) == status, "\(properties)")
        }
    }

    @Test("a first fragment starts new data, and the others follow in order")
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
        host.ok(LESetExtendedAdvertisingEnable(self.first))
        scanner.extendedScan()
        testbed.pass(.milliseconds(150))
        #expect(scanner.extendedReports.map { Array($0.data.readableBytesView) } == [[3, 4, 5, 6]])
    }

    private func extended(
        _ properties: AdvertisingEventProperties = [],
        _ change: (inout LESetExtendedAdvertisingParameters) -> Void = { _ in }
    ) -> LESetExtendedAdvertisingParameters {
        var command = LESetExtendedAdvertisingParameters(
            advertisingHandle: self.first,
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

    @Test("selects the nearest power that the controller supports")
    func power() {
        for (wanted, selected) in [
            (-127, -20), (-21, -20), (-20, -20), (0, 0), (10, 10), (11, 10), (20, 10), (nil, 0),
        ] as [(TransmitPower?, TransmitPower)] {
            let answer = AirTestbed().host().run(self.extended { $0.txPower = wanted })
            #expect(answer?.selectedTxPower == selected)
        }
    }

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
            self.data([UInt8](repeating: 1, count: count), operation)
        }
        let (extended, legacy, scannable) = (self.extended(), self.extended([.legacy]), self.extended([.scannable]))
        let connectable = self.extended([.connectable])
        let enable = LESetExtendedAdvertisingEnable(self.first)
        let (whole, first, last) = (data(.complete, 1), data(.firstFragment, 1), data(.lastFragment, 1))
        let cases: [(any HCICommand, [any HCICommand], HCIErrorCode)] = [
            (data(.complete, 31), [legacy], .success), (data(.complete, 32), [legacy], .invalidParameters),
            (first, [legacy], .invalidParameters), (first, [extended], .success),
            (data(.firstFragment, 0), [extended], .invalidParameters),
            (data(AdvertisingDataOperation(rawValue: 5), 1), [extended], .invalidParameters),
            (last, [extended], .commandDisallowed), (first, [extended, enable], .commandDisallowed),
            // Unchanged: while it advertises extended PDUs with data, and with nothing in the command.
            (data(.unchanged, 0), [extended, whole, enable], .success),
            (data(.unchanged, 1), [extended, whole, enable], .invalidParameters),
            (data(.unchanged, 0), [extended, whole], .invalidParameters),
            (data(.unchanged, 0), [extended, enable], .invalidParameters),
            (data(.unchanged, 0), [legacy, whole, enable], .invalidParameters),
            // Partial data or a partial scan response is not advertised, and complete data replaces it.
            (enable, [extended, first], .commandDisallowed), (enable, [extended, first, whole], .success),
            (last, [extended, first, whole], .commandDisallowed),
            (enable, [scannable, self.response([1], .firstFragment)], .commandDisallowed),
            (enable, [scannable, self.response([1], .firstFragment), self.response([2])], .success),
            (self.response([3], .lastFragment), [scannable, self.response([2])], .commandDisallowed),
            // A connectable set has at most 245 octets.
            (enable, [connectable, data(.complete, 245)], .success),
            (enable, [connectable, data(.complete, 246)], .packetTooLong),
            (data(.complete, 245), [connectable, enable], .success),
            (data(.complete, 246), [connectable, enable], .packetTooLong),
            (data(.complete, 246), [extended, enable], .success),
        ]
        for (index, (command, others, status)) in cases.enumerated() {
            #expect(freshStatus(command, after: others) == status, "case \(index)")
        }
    }

    @Test("a set whose data or scan response is longer than 31 octets does not become a legacy one")
    func longSet() {
        let legacy = self.extended([.legacy, .scannable])
        for (count, status) in [(31, HCIErrorCode.success), (32, .invalidParameters)] {
            let octets = [UInt8](repeating: 1, count: count)
            #expect(freshStatus(legacy, after: [self.extended(), self.data(octets)]) == status)
            #expect(freshStatus(legacy, after: [self.extended([.scannable]), self.response(octets)]) == status)
        }
    }

    @Test("high duty cycle directed advertising lasts 1.28 s at most (7.8.56)")
    func highDutyCycle() {
        let directed = self.extended([.legacy, .connectable, .directed, .highDutyCycleDirected]) {
            $0.peer = DeviceAddress(1, kind: .public)
        }
        for (duration, status) in [
            (0, .invalidParameters), (1, .success), (128, .success), (129, .invalidParameters),
        ] as [(UInt16, HCIErrorCode)] {
            let enable = LESetExtendedAdvertisingEnable(self.first, duration: duration)
            #expect(freshStatus(enable, after: [directed]) == status, "\(duration)")
        }
    }
}
