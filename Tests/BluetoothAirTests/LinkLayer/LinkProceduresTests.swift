import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Link layer procedures")
struct LinkProceduresTests: LongTimeoutLinks {
    private static let allSettings = [AirSettings.instant, .realistic]

    private func settle(_ link: TestLink) { link.testbed.pass(.seconds(1)) }

    @Test("set Data Length is reported at both ends", arguments: allSettings)
    func dataLength(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.central.ok(LESetDataLength(handle: link.centralHandle, transmitOctets: 251, transmitTime: 2120))
        self.settle(link)
        let atCentral = try #require(link.central.take(LEDataLengthChange.self))
        #expect(atCentral.transmitOctets == 251)
        #expect(atCentral.transmitTime == 2120)
        #expect(atCentral.receiveOctets == 27)
        let atPeripheral = try #require(link.peripheral.take(LEDataLengthChange.self))
        #expect(atPeripheral.receiveOctets == 251)
        #expect(atPeripheral.transmitOctets == 27)
        link.central.sendData([UInt8](repeating: 1, count: 251), on: link.centralHandle)
        link.peripheral.sendData([UInt8](repeating: 2, count: 251), on: link.peripheralHandle)
        self.settle(link)
        #expect(link.peripheral.data.map(\.octets.count) == [251])
        #expect(link.central.data.map(\.octets.count) == [27, 27, 27, 27, 27, 27, 27, 27, 27, 8])
        link.central.ok(LESetDataLength(handle: link.centralHandle, transmitOctets: 251, transmitTime: 2120))
        self.settle(link)
        // Nothing has changed, so nothing is reported.
        #expect(link.central.take(LEDataLengthChange.self) == nil)
        link.central.refused(
            LESetDataLength(handle: link.centralHandle, transmitOctets: 252, transmitTime: 2120),
            .invalidParameters
        )
    }

    @Test("the time of a packet limits its length too")
    func dataLengthTime() throws {
        let link = try TestLink(AirTestbed())
        // 592 microseconds on 1M are 74 octets, less 14 around the data.
        link.central.ok(LESetDataLength(handle: link.centralHandle, transmitOctets: 251, transmitTime: 592))
        link.central.sendData([UInt8](repeating: 1, count: 100), on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets.count) == [60, 40])
    }

    @Test(
        "another PHY carries more or less in the time of a packet, and 27 octets always",
        arguments: [(.le1M, [60, 40]), (.le2M, [100]), (.leCoded, [27, 27, 27, 19])] as [(PHYSet, [Int])]
    )
    func dataLengthOfPHYs(phy: PHYSet, lengths: [Int]) throws {
        let link = try TestLink(AirTestbed())
        link.central.ok(LESetDataLength(handle: link.centralHandle, transmitOctets: 251, transmitTime: 592))
        link.central.ok(
            LESetPHY(
                handle: link.centralHandle,
                preference: PHYPreference(transmitter: phy, receiver: phy),
                options: .noPreference
            )
        )
        self.settle(link)
        link.central.sendData([UInt8](repeating: 1, count: 100), on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets.count) == lengths)
    }

    @Test("features and version of the peer, from both ends", arguments: allSettings)
    func featuresAndVersion(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        for (host, handle) in link.ends {
            host.ok(LEReadRemoteFeatures(handle: handle))
            host.ok(ReadRemoteVersionInformation(handle: handle))
            self.settle(link)
            let features = try #require(host.take(LEReadRemoteFeaturesComplete.self))
            #expect(features.status == .success)
            #expect(features.handle == handle)
            #expect(features.features == host.run(LEReadLocalSupportedFeatures())?.features)
            let version = try #require(host.take(ReadRemoteVersionInformationComplete.self))
            #expect(version.company == 0xFFFF)
            // A second time it is known already.
            host.ok(ReadRemoteVersionInformation(handle: handle))
            #expect(host.take(ReadRemoteVersionInformationComplete.self)?.version == version.version)
        }
        #expect(link.central.events.isEmpty)
        #expect(link.peripheral.events.isEmpty)
    }

    @Test("each end sends its version once in a link (Vol 6, Part B, 5.1.5)", arguments: allSettings)
    func versionIsSentOnce(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        let ends = link.ends
        // Both ask at once: each takes the other's for its answer.
        for (host, handle) in ends { host.send(ReadRemoteVersionInformation(handle: handle)) }
        self.settle(link)
        for (host, handle) in ends {
            #expect(host.takeAll(ReadRemoteVersionInformationComplete.self).map(\.handle) == [handle])
            #expect(host.takeAll(CommandStatus.self).map(\.status) == [.success])
        }
        #expect(link.central.events.isEmpty && link.peripheral.events.isEmpty)
    }

    @Test("a host asks for the version of its peer once at a time")
    func versionIsAskedOnceAtATime() throws {
        let link = try TestLink(AirTestbed(.realistic))
        link.central.ok(ReadRemoteVersionInformation(handle: link.centralHandle))
        link.central.refused(ReadRemoteVersionInformation(handle: link.centralHandle), .commandDisallowed)
        self.settle(link)
        #expect(link.central.takeAll(ReadRemoteVersionInformationComplete.self).count == 1)
        link.central.ok(ReadRemoteVersionInformation(handle: link.centralHandle))
    }

    @Test("updates the PHYs of both directions", arguments: allSettings)
    func phy(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        for (host, handle) in link.ends {
            let phy = try #require(host.run(LEReadPHY(handle: handle)))
            #expect(phy.transmitter == .le1M)
            #expect(phy.receiver == .le1M)
        }
        link.peripheral.ok(
            LESetPHY(
                handle: link.peripheralHandle,
                preference: PHYPreference(transmitter: .le2M, receiver: .leCoded),
                options: .noPreference
            )
        )
        self.settle(link)
        let atPeripheral = try #require(link.peripheral.take(LEPHYUpdateComplete.self))
        #expect(atPeripheral.transmitter == .le2M)
        #expect(atPeripheral.receiver == .leCoded)
        let atCentral = try #require(link.central.take(LEPHYUpdateComplete.self))
        #expect(atCentral.transmitter == .leCoded)
        #expect(atCentral.receiver == .le2M)
        // An end that asked hears of it though nothing has changed; the other does not.
        link.central.ok(
            LESetPHY(
                handle: link.centralHandle,
                preference: PHYPreference(transmitter: .leCoded, receiver: .le2M),
                options: .noPreference
            )
        )
        self.settle(link)
        #expect(link.central.take(LEPHYUpdateComplete.self)?.receiver == .le2M)
        #expect(link.peripheral.take(LEPHYUpdateComplete.self) == nil)
        // What the peer does not like is not used.
        link.peripheral.ok(
            LESetPHY(
                handle: link.peripheralHandle,
                preference: PHYPreference(transmitter: .le1M, receiver: .le1M),
                options: .noPreference
            )
        )
        self.settle(link)
        #expect(link.peripheral.take(LEPHYUpdateComplete.self)?.transmitter == .le2M)
        link.central.refused(
            LESetPHY(
                handle: link.centralHandle,
                preference: PHYPreference(transmitter: PHYSet(rawValue: 0x10), receiver: nil),
                options: .noPreference
            ),
            .unsupportedFeature
        )
    }

    @Test("a host that repeats itself while nothing gets across fills no queue")
    func repetition() throws {
        let link = try TestLink(AirTestbed())
        link.peripheral.controller.distance = .metres(1_000)
        for octets in UInt16(27)...251 {
            link.central.send(LESetDataLength(handle: link.centralHandle, transmitOctets: octets, transmitTime: 2120))
            link.central.send(LESetHostChannelClassification(channels: ChannelMap(rawValue: UInt64(octets))))
        }
        link.testbed.loop.run()
        link.peripheral.controller.distance = .metres(1)
        link.testbed.loop.run()
        #expect(link.peripheral.takeAll(LEDataLengthChange.self).map(\.receiveOctets) == [251])
        #expect(link.peripheral.run(LEReadChannelMap(handle: link.peripheralHandle))?.channels.rawValue == 251)
    }

    @Test("the channel map of the central's host reaches the peripheral", arguments: allSettings)
    func channelMap(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        #expect(link.central.run(LEReadChannelMap(handle: link.centralHandle))?.channels == .all)
        link.central.ok(LESetHostChannelClassification(channels: 0xFF))
        self.settle(link)
        #expect(link.peripheral.run(LEReadChannelMap(handle: link.peripheralHandle))?.channels.rawValue == 0xFF)
    }

    @Test("lengths beyond their ranges are refused")
    func lengthRanges() throws {
        let link = try TestLink(AirTestbed())
        for (octets, time) in [(26, 328), (252, 328), (27, 327), (27, 17_041)] as [(UInt16, UInt16)] {
            link.central.refused(
                LESetDataLength(handle: link.centralHandle, transmitOctets: octets, transmitTime: time),
                .invalidParameters
            )
        }
        link.central.ok(LESetDataLength(handle: link.centralHandle, transmitOctets: 27, transmitTime: 328))
        link.central.ok(LESetDataLength(handle: link.centralHandle, transmitOctets: 251, transmitTime: 17_040))
    }

    @Test("reads RSSI, power and the authenticated payload timeout of a link")
    func readings() throws {
        let link = try TestLink(AirTestbed())
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == -45)
        link.peripheral.controller.distance = .metres(10)
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == -65)
        #expect(link.peripheral.run(ReadRSSI(handle: link.peripheralHandle))?.rssi == -65)
        #expect(link.central.run(ReadTransmitPowerLevel(handle: link.centralHandle))?.level == 0)
        let timeout = try #require(link.central.run(ReadAuthenticatedPayloadTimeout(handle: link.centralHandle)))
        #expect(timeout.timeout.timeAmount == .seconds(30))
        link.central.ok(WriteAuthenticatedPayloadTimeout(handle: link.centralHandle, timeout: 100))
        link.central.refused(
            WriteAuthenticatedPayloadTimeout(handle: link.centralHandle, timeout: 1),
            .invalidParameters
        )
        #expect(
            link.central.run(ReadAuthenticatedPayloadTimeout(handle: link.centralHandle))?.timeout.rawValue == 100
        )
    }

    @Test("the PHYs that a host prefers for all its links are those of a new link, in each direction (7.8.48)")
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

    @Test("a data length that a host suggests is agreed on when the link begins (7.8.35)", arguments: [true, false])
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

    @Test("checks the ranges of LE Write Suggested Default Data Length (7.8.35)")
    func suggestedDataLength() {
        for (octets, time, isAllowed) in [
            (27, 328, true), (251, 17_040, true), (26, 328, false), (27, 327, false), (252, 17_040, false),
            (251, 17_041, false),
        ] {
            let command = LEWriteSuggestedDefaultDataLength(transmitOctets: UInt16(octets), transmitTime: UInt16(time))
            #expect(freshStatus(command) == (isAllowed ? .success : .invalidParameters), "\(octets) \(time)")
        }
    }

    @Test("reads the current and the maximum transmit power level (7.3.35)")
    func powerLevel() throws {
        let link = try TestLink(AirTestbed())
        for (type, level) in [(0, 0), (1, 10), (2, nil)] as [(UInt8, TransmitPower?)] {
            let command = ReadTransmitPowerLevel(handle: link.centralHandle, type: .init(rawValue: type))
            let answer = try #require(link.central.run(command))
            #expect(answer.status == (level == nil ? .invalidParameters : .success))
            if let level { #expect(answer.level == level) }
        }
    }

    @Test("a classification of channels that a link has already is not sent to the peer (7.8.19)")
    func sameChannels() throws {
        let link = try self.link()
        var maps: [UInt64] = []
        link.testbed.air.interference = { transmission in
            if case .control(.channelMap(let channels)) = transmission { maps.append(channels.rawValue) }
            return nil
        }
        for channels in [0x1F_FFFF_FFFF, 0xFF, 0xFF, 0x1F_FFFF_FFFF, 0x1F_FFFF_FFFF] as [UInt64] {
            link.central.ok(LESetHostChannelClassification(channels: ChannelMap(rawValue: channels)))
        }
        #expect(maps == [0xFF, 0x1F_FFFF_FFFF])
    }

    @Test("a link begins with the channels of the central's host; those of the peripheral's do not matter (7.8.19)")
    func channels() throws {
        let testbed = AirTestbed()
        let (peripheral, central) = (testbed.host(), testbed.host())
        central.ok(LESetHostChannelClassification(channels: 0x0F))
        peripheral.ok(LESetHostChannelClassification(channels: 0xF0))
        let link = try TestLink(testbed, central: central, peripheral: peripheral)
        func check(_ channels: UInt64) {
            for (host, handle) in [(central, link.centralHandle), (peripheral, link.peripheralHandle)] {
                #expect(host.run(LEReadChannelMap(handle: handle))?.channels.rawValue == channels)
            }
        }
        check(0x0F)
        peripheral.ok(LESetHostChannelClassification(channels: 0xFF))
        check(0x0F)
        central.ok(LESetHostChannelClassification(channels: 0x01))
        check(0x01)
        central.setUp(leEvents: TestHost.usualEvents)
        testbed.pass(.seconds(1))
        peripheral.events = []
        let again = try TestLink(testbed, central: central, peripheral: peripheral)
        #expect(central.run(LEReadChannelMap(handle: again.centralHandle))?.channels == .all)
    }

    @Test("features and version are asked for again on a new link with the same device")
    func secondLink() throws {
        let testbed = AirTestbed()
        let (central, peripheral) = (testbed.host(), testbed.host())
        for _ in 0..<2 {
            let link = try TestLink(testbed, central: central, peripheral: peripheral)
            central.ok(LEReadRemoteFeatures(handle: link.centralHandle))
            central.ok(ReadRemoteVersionInformation(handle: link.centralHandle))
            let features = try #require(central.take(LEReadRemoteFeaturesComplete.self))
            #expect(features.handle == link.centralHandle && features.features.contains(.encryption))
            let version = try #require(central.take(ReadRemoteVersionInformationComplete.self))
            #expect(version.handle == link.centralHandle && version.version == .v5_4)
            #expect(version.company == 0xFFFF && version.subversion == 1)
            central.ok(Disconnect(handle: link.centralHandle))
            #expect(central.take(DisconnectionComplete.self)?.reason == .localHostTerminated)
            #expect(peripheral.take(DisconnectionComplete.self)?.reason == .remoteUserTerminated)
        }
    }

    /// The link, with the central's end and the peripheral's.
    private func state(_ link: TestLink) throws -> (link: AirLink, central: LinkEnd, peripheral: LinkEnd) {
        let controllers = link.testbed.air.controllers
        let central = try #require(controllers[0].links[link.centralHandle])
        let peripheral = try #require(controllers[1].links[link.peripheralHandle])
        return (central.link, central.end, peripheral.end)
    }

    @Test("features for which no host has asked are not reported")
    func unaskedFeatures() throws {
        let link = try TestLink(AirTestbed())
        let (airLink, central, peripheral) = try self.state(link)
        link.testbed.air.enter {
            for end in [central, peripheral] { airLink.receive(LLControlPDU.featureResponse([]), at: end) }
        }
        link.testbed.loop.run()
        #expect(link.central.events.isEmpty && link.peripheral.events.isEmpty)
    }
}
