// Rules of links at their edges: reasons, PHYs, lengths and data that a host may and may not give, the times of pings
// and of the response timeout, and what is reported of encryption (Vol 4, Part E, 7.1 to 7.8; Vol 6, Part B, 5).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Rules of links")
struct LinkRulesTests {
    private static let key = Octets16(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00)

    private func encrypt(_ link: TestLink) {
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key))
        link.testbed.loop.run()
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        link.testbed.loop.run()
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        #expect(link.peripheral.take(EncryptionChange.self)?.encryption == .on)
    }

    // MARK: End and strength

    @Test(
        "Each reason that a host may give reaches the peer (7.1.6)",
        arguments: [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]
    )
    func reasons(reason: UInt8) throws {
        let link = try TestLink(AirTestbed())
        link.central.ok(Disconnect(handle: link.centralHandle, reason: HCIErrorCode(rawValue: reason)))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason.rawValue == reason)
        #expect(link.central.take(DisconnectionComplete.self)?.reason.rawValue == 0x16)
    }

    @Test("A peer that is gone, or out of reach, is read with the weakest strength (7.5.4)", arguments: [true, false])
    func weakestStrength(isGone: Bool) throws {
        let link = try TestLink(AirTestbed())
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == -45)
        if isGone {
            link.peripheral.controller.close()
        } else {
            link.peripheral.controller.distance = .metres(1_000)
        }
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == -95)
    }

    // MARK: PHYs and lengths

    @Test("The PHYs that a host prefers for all its links are those of a new link, in each direction (7.8.48)")
    func defaultPHYs() throws {
        for (transmitter, receiver, phys) in [
            (nil, nil, [.le2M, .le2M]), (.le1M, nil, [.le2M, .le1M]), (nil, .le1M, [.le1M, .le2M]),
            ([.le1M, .leCoded], .leCoded, [.leCoded, .le1M]),
        ] as [(PHYSet?, PHYSet?, [PHY])] {
            let testbed = AirTestbed()
            let peripheral = testbed.host()
            peripheral.ok(LESetDefaultPHY(preference: PHYPreference(transmitter: transmitter, receiver: receiver)))
            let link = try TestLink(testbed, peripheral: peripheral)
            let preference = PHYPreference(transmitter: nil, receiver: nil)
            link.central.ok(LESetPHY(handle: link.centralHandle, preference: preference))
            testbed.pass(.seconds(1))
            let event = try #require(link.central.take(LEPHYUpdateComplete.self))
            #expect([event.transmitter, event.receiver] == phys)
        }
    }

    @Test("PHYs of a link: no preference is all, an empty one is malformed, an unknown one is not supported (7.8.49)")
    func phyPreferences() throws {
        let link = try TestLink(AirTestbed())
        for (transmitter, receiver, status) in [
            ([], nil, .invalidParameters), (nil, [], .invalidParameters), (nil, nil, .success),
            (PHYSet(rawValue: 0x08), nil, .unsupportedFeature), (nil, PHYSet(rawValue: 0x09), .unsupportedFeature),
        ] as [(PHYSet?, PHYSet?, HCIErrorCode)] {
            let preference = PHYPreference(transmitter: transmitter, receiver: receiver)
            #expect(link.central.run(LESetPHY(handle: link.centralHandle, preference: preference))?.status == status)
            #expect(link.central.run(LESetDefaultPHY(preference: preference))?.status == status)
            link.testbed.pass(.seconds(1))
        }
    }

    @Test("A data length that a host suggests is agreed on when the link begins (7.8.35)", arguments: [true, false])
    func suggestedLength(isCentral: Bool) throws {
        let testbed = AirTestbed()
        let (central, peripheral) = (testbed.host(), testbed.host())
        let host = isCentral ? central : peripheral
        host.ok(LEWriteSuggestedDefaultDataLength(transmitOctets: 100, transmitTime: 328))
        let link = try TestLink(testbed, central: central, peripheral: peripheral)
        testbed.loop.run()
        let events = try [central, peripheral].map { try #require($0.take(LEDataLengthChange.self)) }
        #expect(events.map(\.transmitOctets) == (isCentral ? [100, 27] : [27, 100]))
        #expect(events.map(\.receiveOctets) == (isCentral ? [27, 100] : [100, 27]))
        #expect(events.map(\.transmitTime) == [328, 328] && events.map(\.receiveTime) == [328, 328])
        #expect(events.map(\.handle) == [link.centralHandle, link.peripheralHandle])
    }

    // MARK: Data

    @Test("A data packet that is longer than the controller takes is dropped with Data Buffer Overflow")
    func longData() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.aclDataPacketLength = 30
        let testbed = AirTestbed()
        let link = try TestLink(testbed, central: testbed.host(configuration: configuration))
        for (count, isTaken) in [(30, true), (31, false), (1, true)] {
            link.peripheral.data = []
            link.central.sendData([UInt8](repeating: 1, count: count), on: link.centralHandle)
            testbed.loop.run()
            #expect(link.peripheral.data.reduce(0) { $0 + $1.octets.count } == (isTaken ? count : 0))
            let overflows = link.central.takeAll(DataBufferOverflow.self)
            #expect(overflows == (isTaken ? [] : [DataBufferOverflow(linkType: .acl)]))
        }
    }

    @Test("A data packet for all links, and one with a wrong length, are ignored (5.4.2)")
    func malformedData() throws {
        let link = try TestLink(AirTestbed())
        let low = UInt8(truncatingIfNeeded: link.centralHandle.rawValue)
        let high = UInt8(link.centralHandle.rawValue >> 8)
        for octets in [
            // Both broadcast flags, no octet too many and none too few.
            [0x02, low, high | 0x40, 0x01, 0x00, 0x07], [0x02, low, high | 0x80, 0x01, 0x00, 0x07],
            [0x02, low, high, 0x01, 0x00, 0x07, 0x08], [0x02, low, high, 0x02, 0x00, 0x07],
        ] {
            link.central.send(HCIPacket(h4: ByteBuffer(bytes: octets)))
        }
        link.testbed.loop.run()
        #expect(link.peripheral.data.isEmpty && link.central.events.isEmpty)
        link.central.send(HCIPacket(h4: ByteBuffer(bytes: [0x02, low, high, 0x01, 0x00, 0x07])))
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets) == [[7]])
    }

    @Test("Only data of links can be asked for packet by packet (7.3.38)")
    func flowControlModes() {
        let host = AirTestbed().host()
        host.ok(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: 1))
        for (mode, status) in [
            (0, .success), (1, .success), (2, .unsupportedFeature), (3, .unsupportedFeature), (4, .invalidParameters),
        ] as [(UInt8, HCIErrorCode)] {
            let command = SetControllerToHostFlowControl(mode: ControllerToHostFlowControl(rawValue: mode))
            #expect(host.run(command)?.status == status, "\(mode)")
        }
    }

    @Test("Flow control that is turned off gives the host everything, and takes no more reports of it (7.3.40)")
    func flowControlOff() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host()
        peripheral.ok(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: 2))
        peripheral.ok(SetControllerToHostFlowControl(mode: .acl))
        peripheral.ok(SetControllerToHostFlowControl(mode: .off))
        let link = try TestLink(testbed, peripheral: peripheral)
        for value in 0..<5 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        testbed.loop.run()
        #expect(peripheral.data.count == 5)
        let completed = CompletedPackets.Element(handle: link.peripheralHandle, count: 1)
        peripheral.refused(
            HostNumberOfCompletedPackets(completed: CompletedPackets([completed])),
            .commandDisallowed
        )
    }

    @Test("A report of completed packets for a link that is not there does not keep the others from being counted")
    func unknownCompleted() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host()
        peripheral.ok(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: 3))
        peripheral.ok(SetControllerToHostFlowControl(mode: .acl))
        let link = try TestLink(testbed, peripheral: peripheral)
        for value in 0..<5 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        testbed.loop.run()
        #expect(peripheral.data.count == 3)
        let elements = [
            CompletedPackets.Element(handle: ConnectionHandle(rawValue: 0x0EFF), count: 3),
            CompletedPackets.Element(handle: link.peripheralHandle, count: 2),
        ]
        peripheral.send(HostNumberOfCompletedPackets(completed: CompletedPackets(elements)))
        testbed.loop.run()
        #expect(peripheral.data.count == 5)
    }

    // MARK: Encryption

    @Test("Only the peripheral's host gives the key, while it is asked for (7.8.25, 7.8.26)")
    func keyOfCentral() throws {
        let link = try TestLink(AirTestbed())
        for _ in 0..<2 {
            link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key))
            link.central.refused(
                LELongTermKeyRequestReply(handle: link.centralHandle, longTermKey: Self.key),
                .commandDisallowed
            )
            link.central.refused(LELongTermKeyRequestNegativeReply(handle: link.centralHandle), .commandDisallowed)
            link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
            link.peripheral.refused(
                LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key),
                .commandDisallowed
            )
            #expect(link.central.take(EncryptionChange.self)?.status == .pinOrKeyMissing)
        }
    }

    @Test("Encryption that has failed is reported without a key size, in the second version of the event (7.7.8)")
    func failedSecondVersion() throws {
        let link = try TestLink(AirTestbed())
        link.central.ok(SetEventMaskPage2(mask: EventMaskPage2([.encryptionChangeV2])))
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key))
        link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
        #expect(
            link.central.takeAll(EncryptionChangeV2.self) == [
                EncryptionChangeV2(
                    status: .pinOrKeyMissing,
                    handle: link.centralHandle,
                    encryption: .off,
                    keySize: 0
                )
            ]
        )
        #expect(link.central.take(EncryptionChange.self) == nil)
    }

    // MARK: Times

    @Test("Of two procedures that wait, the later one has its own 40 s when the first one is over")
    func twoProcedures() throws {
        let link = try TestLink(AirTestbed())
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key))
        link.testbed.pass(.seconds(20))
        link.peripheral.ok(
            LEConnectionUpdate(
                handle: link.peripheralHandle,
                parameters: ConnectionParameters(
                    minimumInterval: ConnectionInterval(rawValue: 80),
                    maximumInterval: ConnectionInterval(rawValue: 80),
                    supervisionTimeout: SupervisionTimeout(rawValue: 300)
                )
            )
        )
        link.testbed.pass(.seconds(10))
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        #expect(link.central.take(LERemoteConnectionParameterRequest.self) != nil)
        link.testbed.pass(.milliseconds(29_999))
        #expect(link.peripheral.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(1))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .linkLayerResponseTimeout)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
    }

    @Test(
        "A quiet link is pinged six attended events before the timeout, but not in its first half (Vol 6, Part B, 5.4)",
        arguments: [
            (100, 0, 820), (100, 2, 500), (200, 2, 1_460), (35, 0, 175), (37, 0, 190),
        ] as [(UInt16, UInt16, Int64)]
    )
    func pingTime(timeout: UInt16, latency: UInt16, milliseconds: Int64) throws {
        let link = try TestLink(
            AirTestbed(),
            parameters: ConnectionParameters(
                minimumInterval: ConnectionInterval(rawValue: 24),
                maximumInterval: ConnectionInterval(rawValue: 24),
                latency: latency,
                supervisionTimeout: SupervisionTimeout(rawValue: 3_200)
            )
        )
        self.encrypt(link)
        for (host, handle) in [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)] {
            let timeout = AuthenticatedPayloadTimeout(rawValue: timeout)
            host.ok(WriteAuthenticatedPayloadTimeout(handle: handle, timeout: timeout))
        }
        let start = link.testbed.loop.now
        var pings: [Int64] = []
        link.testbed.air.interference = { transmission in
            if case .sealed(_, .control(.pingRequest)) = transmission {
                pings.append((link.testbed.loop.now - start).nanoseconds / 1_000_000)
            }
            return nil
        }
        link.testbed.pass(.milliseconds(2 * milliseconds + 1))
        // The ping of one end and its answer are packets for both.
        #expect(pings == [milliseconds, 2 * milliseconds])
        link.testbed.air.interference = nil
    }
}
