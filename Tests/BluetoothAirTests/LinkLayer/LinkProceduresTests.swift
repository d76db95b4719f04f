import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Link layer procedures")
struct LinkProceduresTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    private func settle(_ link: TestLink) { link.testbed.pass(.seconds(1)) }

    @Test("set Data Length is reported at both ends", arguments: allSettings)
    func dataLength(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        let command = LESetDataLength(handle: link.centralHandle, transmitOctets: 251, transmitTime: 2120)
        link.central.ok(command)
        self.settle(link)
        let atCentral = try #require(link.central.take(LEDataLengthChange.self))
        #expect(atCentral.transmitOctets == 251 && atCentral.transmitTime == 2120 && atCentral.receiveOctets == 27)
        let atPeripheral = try #require(link.peripheral.take(LEDataLengthChange.self))
        #expect(atPeripheral.receiveOctets == 251 && atPeripheral.transmitOctets == 27)
        for (host, handle) in link.ends { host.sendData([UInt8](repeating: 1, count: 251), on: handle) }
        self.settle(link)
        #expect(link.peripheral.data.map(\.octets.count) == [251])
        #expect(link.central.data.map(\.octets.count) == [27, 27, 27, 27, 27, 27, 27, 27, 27, 8])
        link.central.ok(command)
        self.settle(link)
        // Nothing has changed, so nothing is reported.
        #expect(link.central.take(LEDataLengthChange.self) == nil)
    }

    @Test(
        "another PHY carries more or less in the time of a packet, and 27 octets always",
        arguments: [(.le1M, [60, 40]), (.le2M, [100]), (.leCoded, [27, 27, 27, 19])] as [(PHYSet, [Int])]
    )
    func dataLengthOfPHYs(phy: PHYSet, lengths: [Int]) throws {
        let link = try TestLink(AirTestbed())
        // 592 microseconds on 1M are 74 octets, of which 14 are not data.
        link.central.ok(LESetDataLength(handle: link.centralHandle, transmitOctets: 251, transmitTime: 592))
        link.central.ok(LESetPHY(link.centralHandle, phy, phy))
        self.settle(link)
        link.central.sendData([UInt8](repeating: 1, count: 100), on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets.count) == lengths)
    }

    @Test("features and version of the peer, from both ends, on each new link", arguments: allSettings)
    func featuresAndVersion(settings: AirSettings) throws {
        let testbed = AirTestbed(settings)
        let (central, peripheral) = (testbed.host(), testbed.host())
        for _ in 0..<2 {
            let link = try TestLink(testbed, central: central, peripheral: peripheral)
            for (host, handle) in link.ends {
                host.ok(LEReadRemoteFeatures(handle: handle))
                host.ok(ReadRemoteVersionInformation(handle: handle))
                self.settle(link)
                let features = try #require(host.take(LEReadRemoteFeaturesComplete.self))
                #expect(features.status == .success && features.handle == handle)
                #expect(features.features == host.run(LEReadLocalSupportedFeatures())?.features)
                // The second time, the version is already known.
                host.ok(ReadRemoteVersionInformation(handle: handle))
                let versions = host.takeAll(ReadRemoteVersionInformationComplete.self)
                #expect(versions.count == 2)
                for version in versions {
                    #expect(version.handle == handle && version.version == .v5_4)
                    #expect(version.company == 0xFFFF && version.subversion == 1)
                }
                #expect(host.events.isEmpty)
            }
            central.ok(Disconnect(handle: link.centralHandle))
            self.settle(link)
            #expect(link.reasons == [.localHostTerminated, .remoteUserTerminated])
        }
    }

    @Test("each end sends its version once in a link (Vol 6, Part B, 5.1.5)", arguments: allSettings)
    func versionIsSentOnce(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        // Both ask at the same time: each takes the other's request as the answer.
        for (host, handle) in link.ends { host.send(ReadRemoteVersionInformation(handle: handle)) }
        self.settle(link)
        for (host, handle) in link.ends {
            #expect(host.takeAll(ReadRemoteVersionInformationComplete.self).map(\.handle) == [handle])
            #expect(host.takeAll(CommandStatus.self).map(\.status) == [.success])
            #expect(host.events.isEmpty)
        }
    }

    @Test("updates the PHYs of both directions", arguments: allSettings)
    func phy(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        for (host, handle) in link.ends {
            let phy = try #require(host.run(LEReadPHY(handle: handle)))
            #expect(phy.transmitter == .le1M && phy.receiver == .le1M)
        }
        /// The PHYs in the events of both ends, from the central's view.
        func updates() -> [[PHY]?] {
            self.settle(link)
            let events = link.ends.map { $0.host.take(LEPHYUpdateComplete.self) }
            return [events[0].map { [$0.transmitter, $0.receiver] }, events[1].map { [$0.receiver, $0.transmitter] }]
        }
        link.peripheral.ok(LESetPHY(link.peripheralHandle, .le2M, .leCoded))
        #expect(updates() == [[.leCoded, .le2M], [.leCoded, .le2M]])
        // An end that asked gets an event though nothing has changed; the other one does not.
        link.central.ok(LESetPHY(link.centralHandle, .leCoded, .le2M))
        #expect(updates() == [[.leCoded, .le2M], nil])
        // PHYs that the peer does not prefer are not used.
        link.peripheral.ok(LESetPHY(link.peripheralHandle, .le1M, .le1M))
        #expect(updates() == [nil, [.leCoded, .le2M]])
    }

    @Test("repeated requests fill no queue while nothing arrives")
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

    @Test("refuses lengths beyond their ranges, for a link and by default (7.8.33, 7.8.35)")
    func lengthRanges() throws {
        let link = try TestLink(AirTestbed())
        for (octets, time, isAllowed) in [
            (27, 328, true), (251, 17_040, true), (26, 328, false), (252, 328, false), (27, 327, false),
            (27, 17_041, false),
        ] as [(UInt16, UInt16, Bool)] {
            let status: HCIErrorCode = isAllowed ? .success : .invalidParameters
            let ofLink = LESetDataLength(handle: link.centralHandle, transmitOctets: octets, transmitTime: time)
            let byDefault = LEWriteSuggestedDefaultDataLength(transmitOctets: octets, transmitTime: time)
            #expect(link.central.run(ofLink)?.status == status, "\(octets) \(time)")
            #expect(link.central.run(byDefault)?.status == status, "\(octets) \(time)")
        }
    }

    @Test("reads RSSI and the transmit power levels of a link (7.3.35, 7.5.4)")
    func readings() throws {
        let link = try TestLink(AirTestbed())
        for (metres, rssi) in [(1, -45), (10, -65)] as [(Double, Int8)] {
            link.peripheral.controller.distance = .metres(metres)
            for (host, handle) in link.ends { #expect(host.run(ReadRSSI(handle: handle))?.rssi == RSSI(dBm: rssi)) }
        }
        for (type, level) in [(0, 0), (1, 10), (2, nil)] as [(UInt8, TransmitPower?)] {
            let command = ReadTransmitPowerLevel(handle: link.centralHandle, type: .init(rawValue: type))
            let answer = try #require(link.central.run(command))
            #expect(answer.status == (level == nil ? .invalidParameters : .success))
            if let level { #expect(answer.level == level) }
        }
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
            link.central.ok(LESetPHY(link.centralHandle, nil, nil))
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
            let command = LESetPHY(link.centralHandle, transmitter, receiver)
            #expect(link.central.run(command)?.status == status)
            #expect(link.central.run(LESetDefaultPHY(preference: command.preference))?.status == status)
            self.settle(link)
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
        for (index, (host, handle)) in link.ends.enumerated() {
            let event = try #require(host.take(LEDataLengthChange.self))
            let (transmit, receive) = (index == 0) == isCentral ? (100, 27) : (27, 100)
            #expect(event.handle == handle)
            #expect(event.transmitOctets == transmit && event.receiveOctets == receive)
            #expect(event.transmitTime == 328 && event.receiveTime == 328)
        }
    }

    @Test("a classification of channels that a link has already is not sent to the peer (7.8.19)")
    func sameChannels() throws {
        let link = try TestLink(AirTestbed())
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

    @Test(
        "a link uses the channels of the central's host; those of the peripheral's do not matter (7.8.19)",
        arguments: allSettings
    )
    func channels(settings: AirSettings) throws {
        let testbed = AirTestbed(settings)
        let (peripheral, central) = (testbed.host(), testbed.host())
        central.ok(LESetHostChannelClassification(channels: 0x0F))
        peripheral.ok(LESetHostChannelClassification(channels: 0xF0))
        let link = try TestLink(testbed, central: central, peripheral: peripheral)
        func check(_ channels: UInt64) {
            self.settle(link)
            for (host, handle) in link.ends {
                #expect(host.run(LEReadChannelMap(handle: handle))?.channels.rawValue == channels)
            }
        }
        check(0x0F)
        peripheral.ok(LESetHostChannelClassification(channels: 0xFF))
        check(0x0F)
        central.ok(LESetHostChannelClassification(channels: 0x01))
        check(0x01)
        central.setUp()
        testbed.pass(.seconds(1))
        peripheral.events = []
        let again = try TestLink(testbed, central: central, peripheral: peripheral)
        #expect(central.run(LEReadChannelMap(handle: again.centralHandle))?.channels == .all)
    }

    @Test("features for which no host has asked are not reported")
    func unaskedFeatures() throws {
        let link = try TestLink(AirTestbed())
        let controllers = link.testbed.air.controllers
        let ends = try zip(controllers, link.ends).map { try #require($0.links[$1.handle]) }
        link.testbed.air.enter {
            for entry in ends { entry.link.receive(LLControlPDU.featureResponse([]), at: entry.end) }
        }
        link.testbed.loop.run()
        #expect(link.central.events.isEmpty && link.peripheral.events.isEmpty)
    }
}
