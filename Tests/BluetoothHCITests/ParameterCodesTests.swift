// The codes of parameters, as the specification assigns them.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Parameter codes")
struct ParameterCodesTests {
    @Test("codes of versions of the Core Specification (Assigned Numbers, 2.1)")
    func versions() {
        let versions: [CoreVersion] = [
            .v4_0, .v4_1, .v4_2, .v5_0, .v5_1, .v5_2, .v5_3, .v5_4, .v6_0, .v6_1, .v6_2,
        ]
        #expect(versions.map(\.rawValue) == Array(0x06...0x10))
    }

    @Test("codes of roles, clocks, encryption and transmit power (Vol 4, Part E, 7.7.8, 7.7.65.1, 7.3.35 and 7.3.38)")
    func connections() {
        #expect([ConnectionRole.central, .peripheral].map(\.rawValue) == [0, 1])
        let clocks: [ClockAccuracy] = [.ppm500, .ppm250, .ppm150, .ppm100, .ppm75, .ppm50, .ppm30, .ppm20]
        #expect(clocks.map(\.rawValue) == Array(0...7))
        #expect([EncryptionStatus.off, .on, .onAESCCM].map(\.rawValue) == [0, 1, 2])
        #expect([TransmitPowerLevelType.current, .maximum].map(\.rawValue) == [0, 1])
        let flowControl: [ControllerToHostFlowControl] = [.off, .acl, .synchronous, .aclAndSynchronous]
        #expect(flowControl.map(\.rawValue) == [0, 1, 2, 3])
        #expect([ChannelSelectionAlgorithm.algorithm1, .algorithm2].map(\.rawValue) == [0, 1])
    }

    @Test("a channel map has 37 channels, and drops higher bits (Vol 4, Part E, 7.8.19)")
    func channels() {
        #expect(ChannelMap.all.count == 37 && ChannelMap(rawValue: .max) == .all)
        #expect(ChannelMap(rawValue: 1 << 36).count == 1 && ChannelMap(rawValue: 1 << 37).count == 0)
    }

    @Test("codes of advertising and scanning (Vol 4, Part E, 7.8.5, 7.8.10, 7.8.12 and 7.8.53)")
    func advertising() {
        let types: [AdvertisingType] = [
            .connectableUndirected, .connectableDirectedHighDutyCycle, .scannableUndirected,
            .nonConnectableUndirected, .connectableDirectedLowDutyCycle,
        ]
        #expect(types.map(\.rawValue) == Array(0...4))
        let addresses: [OwnAddressType] = [.public, .random, .resolvableOrPublic, .resolvableOrRandom]
        #expect(addresses.map(\.rawValue) == Array(0...3))
        #expect([AdvertisingChannels.channel37, .channel38, .channel39, .all].map(\.rawValue) == [1, 2, 4, 7])
        let policies: [AdvertisingFilterPolicy] = [.all, .scanFromAcceptList, .connectFromAcceptList, .acceptList]
        #expect(policies.map(\.rawValue) == Array(0...3))
        #expect([ScanType.passive, .active].map(\.rawValue) == [0, 1])
        let scanPolicies: [ScanFilterPolicy] = [
            .all, .acceptList, .allAndUnresolvedDirected, .acceptListAndUnresolvedDirected,
        ]
        #expect(scanPolicies.map(\.rawValue) == Array(0...3))
        #expect([DuplicateFilter.off, .on, .resetEachPeriod].map(\.rawValue) == [0, 1, 2])
        #expect([InitiatorFilterPolicy.peer, .acceptList].map(\.rawValue) == [0, 1])
        let properties: [AdvertisingEventProperties] = [
            .connectable, .scannable, .directed, .highDutyCycleDirected, .legacy, .anonymous, .includeTxPower,
            .decisionPDUs, .includesAdvertisingAddressInDecision, .includesDataInfoInDecision,
        ]
        #expect(properties.map(\.rawValue) == (0..<10).map { 1 << $0 })
        let operations: [AdvertisingDataOperation] = [
            .intermediateFragment, .firstFragment, .lastFragment, .complete, .unchanged,
        ]
        #expect(operations.map(\.rawValue) == Array(0...4))
        let options: [AdvertisingPHYOptions] = [.noPreference, .prefersS2, .prefersS8, .requiresS2, .requiresS8]
        #expect(options.map(\.rawValue) == Array(0...4))
        #expect(AdvertisingHandle.none.rawValue == 0xFF)
    }

    @Test("codes of links, keys, privacy modes and codings (Vol 4, Part E, 7.7.26, 7.8.37, 7.8.49 and 7.8.77)")
    func others() {
        #expect([LinkType.synchronous, .acl, .isochronous].map(\.rawValue) == [0, 1, 2])
        #expect([P256KeyType.generated, .debug].map(\.rawValue) == [0, 1])
        #expect([PrivacyMode.network, .device].map(\.rawValue) == [0, 1])
        #expect([PHYOptions.noPreference, .prefersS2, .prefersS8].map(\.rawValue) == [0, 1, 2])
    }

    @Test("an entry of the accept list has seven octets, with or without an address")
    func acceptListEntries() throws {
        for (hex, entry) in [
            ("FF 00 00 00 00 00 00 AA", .anonymous), ("FF 06 05 04 03 02 01 AA", .anonymous),
            ("00 06 05 04 03 02 01 AA", .device(DeviceAddress(0x0102_0304_0506, kind: .public))),
        ] as [(String, FilterAcceptListEntry)] {
            var bytes = ByteBuffer(hex: hex)
            #expect(try FilterAcceptListEntry.read(from: &bytes, "Entry") == entry)
            #expect(bytes.readableBytes == 1)
            for count in 0..<7 {
                var part = try #require(ByteBuffer(hex: hex).getSlice(at: 0, length: count))
                #expect(throws: MalformedBytes.self) { try FilterAcceptListEntry.read(from: &part, "Entry") }
            }
        }
    }

}
