// The procedures of the link layer, as both hosts see them.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@Suite("Link layer procedures")
struct LinkProceduresTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    private func settle(_ link: TestLink) { link.testbed.pass(.seconds(1)) }

    @Test("Set Data Length is reported at both ends", arguments: allSettings)
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

    @Test("a suggested data length is put to use on every new link", arguments: allSettings)
    func suggestedDataLength(settings: AirSettings) throws {
        let testbed = AirTestbed(settings)
        let peripheral = testbed.host()
        peripheral.ok(LEWriteSuggestedDefaultDataLength(transmitOctets: 251, transmitTime: 2120))
        let link = try TestLink(testbed, peripheral: peripheral)
        self.settle(link)
        #expect(link.peripheral.take(LEDataLengthChange.self)?.transmitOctets == 251)
        #expect(link.central.take(LEDataLengthChange.self)?.receiveOctets == 251)
    }

    @Test("features and version of the peer, from both ends", arguments: allSettings)
    func featuresAndVersion(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        for (host, handle) in [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)] {
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
        let ends = [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)]
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

    @Test("PHY update", arguments: allSettings)
    func phy(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        for (host, handle) in [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)] {
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

    private static let slower = ConnectionParameters(
        minimumInterval: ConnectionInterval(rawValue: 80),
        maximumInterval: ConnectionInterval(rawValue: 100),
        latency: 2,
        supervisionTimeout: SupervisionTimeout(rawValue: 300)
    )

    @Test("a connection update of the central is reported at both ends", arguments: allSettings)
    func connectionUpdate(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.central.ok(LEConnectionUpdate(handle: link.centralHandle, parameters: Self.slower))
        self.settle(link)
        for (host, handle) in [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)] {
            let event = try #require(host.take(LEConnectionUpdateComplete.self))
            #expect(event.status == .success)
            #expect(event.handle == handle)
            #expect(event.interval.rawValue == 80)
            #expect(event.latency == 2)
            #expect(event.supervisionTimeout.rawValue == 300)
        }
        link.peripheral.sendData([1], on: link.peripheralHandle)
        link.central.sendData([2], on: link.centralHandle)
        self.settle(link)
        #expect(link.central.data.count == 1)
        #expect(link.peripheral.data.count == 1)
        var wrong = Self.slower
        wrong.supervisionTimeout = SupervisionTimeout(rawValue: 20)
        link.central.refused(LEConnectionUpdate(handle: link.centralHandle, parameters: wrong), .invalidParameters)
    }

    @Test("a connection parameter request of the peripheral is accepted by the central's host", arguments: allSettings)
    func parameterRequest(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
        self.settle(link)
        let request = try #require(link.central.take(LERemoteConnectionParameterRequest.self))
        #expect(request.minimumInterval.rawValue == 80)
        #expect(request.maximumInterval.rawValue == 100)
        #expect(request.latency == 2)
        link.peripheral.refused(
            LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower),
            .commandDisallowed
        )
        link.central.ok(
            LERemoteConnectionParameterRequestReply(handle: link.centralHandle, parameters: Self.slower)
        )
        self.settle(link)
        for host in [link.central, link.peripheral] {
            #expect(host.take(LEConnectionUpdateComplete.self)?.interval.rawValue == 80)
        }
        link.central.refused(
            LERemoteConnectionParameterRequestReply(handle: link.centralHandle, parameters: Self.slower),
            .commandDisallowed
        )
    }

    @Test("a connection parameter request of the peripheral is rejected, each time", arguments: allSettings)
    func parameterRefusal(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        // It may be asked for again.
        for _ in 0..<2 {
            link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
            self.settle(link)
            _ = try #require(link.central.take(LERemoteConnectionParameterRequest.self))
            link.central.ok(
                LERemoteConnectionParameterRequestNegativeReply(
                    handle: link.centralHandle,
                    reason: .unacceptableConnectionParameters
                )
            )
            self.settle(link)
            let event = try #require(link.peripheral.take(LEConnectionUpdateComplete.self))
            #expect(event.status == .unacceptableConnectionParameters)
            #expect(event.interval.rawValue == 24)
            #expect(link.central.take(LEConnectionUpdateComplete.self) == nil)
        }
    }

    @Test("a central's host that does not want the question refuses it by its mask")
    func parameterRequestMasked() throws {
        let testbed = AirTestbed()
        let link = try TestLink(testbed)
        link.central.ok(LESetEventMask(mask: LEEventMask([.connectionComplete, .connectionUpdateComplete])))
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
        #expect(link.peripheral.take(LEConnectionUpdateComplete.self)?.status == .unsupportedRemoteFeature)
        #expect(link.central.events.isEmpty)
    }

    @Test("a peer whose host never answers is lost after 40 s with 0x22", arguments: allSettings)
    func responseTimeout(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
        link.testbed.pass(.milliseconds(39_990))
        #expect(link.central.take(LERemoteConnectionParameterRequest.self) != nil)
        #expect(link.peripheral.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(10))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .linkLayerResponseTimeout)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(720))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
    }

    @Test("a host that repeats itself while nothing gets across fills no queue")
    func repetition() throws {
        let link = try TestLink(AirTestbed())
        link.peripheral.controller.distance = .metres(1_000)
        for octets in UInt16(27)...251 {
            link.central.send(
                LESetDataLength(handle: link.centralHandle, transmitOctets: octets, transmitTime: 2120)
            )
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
        link.central.ok(LESetHostChannelClassification(channels: ChannelMap(rawValue: 0xFF)))
        self.settle(link)
        #expect(link.peripheral.run(LEReadChannelMap(handle: link.peripheralHandle))?.channels.rawValue == 0xFF)
    }

    @Test("a connection parameter request that crosses a change of the PHYs is rejected")
    func parameterRequestDuringChange() throws {
        var collisions = 0
        for delay in stride(from: 0, through: 300, by: 10) as StrideThrough<Int64> {
            let link = try TestLink(AirTestbed(.realistic))
            link.central.ok(
                LESetPHY(
                    handle: link.centralHandle,
                    preference: PHYPreference(transmitter: .le2M, receiver: .le2M),
                    options: .noPreference
                )
            )
            link.testbed.pass(.milliseconds(delay))
            link.peripheral.run(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
            self.settle(link)
            guard let event = link.peripheral.take(LEConnectionUpdateComplete.self) else { continue }
            // Asked before, its host has the request, or else the event says why not.
            #expect(event.status == .differentTransactionCollision)
            #expect(link.central.take(LERemoteConnectionParameterRequest.self) == nil)
            collisions += 1
        }
        #expect(collisions > 0)
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

    @Test("the authenticated payload timeout leaves a peripheral with latency time to answer")
    func authenticatedPayloadWithLatency() throws {
        var parameters = TestHost.parameters
        parameters.latency = 4
        let link = try TestLink(AirTestbed(), parameters: parameters)
        // 30 ms and four events left out: 150 ms.
        for (units, isTaken) in [(14, false), (15, true)] as [(UInt16, Bool)] {
            let command = WriteAuthenticatedPayloadTimeout(
                handle: link.centralHandle,
                timeout: AuthenticatedPayloadTimeout(rawValue: units)
            )
            if isTaken { link.central.ok(command) } else { link.central.refused(command, .invalidParameters) }
        }
    }

    @Test("RSSI, power and the authenticated payload timeout of a link")
    func readings() throws {
        let link = try TestLink(AirTestbed())
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == -45)
        link.peripheral.controller.distance = .metres(10)
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == -65)
        #expect(link.peripheral.run(ReadRSSI(handle: link.peripheralHandle))?.rssi == -65)
        #expect(link.central.run(ReadTransmitPowerLevel(handle: link.centralHandle))?.level == 0)
        let timeout = try #require(link.central.run(ReadAuthenticatedPayloadTimeout(handle: link.centralHandle)))
        #expect(timeout.timeout.timeAmount == .seconds(30))
        link.central.ok(
            WriteAuthenticatedPayloadTimeout(
                handle: link.centralHandle,
                timeout: AuthenticatedPayloadTimeout(rawValue: 100)
            )
        )
        link.central.refused(
            WriteAuthenticatedPayloadTimeout(
                handle: link.centralHandle,
                timeout: AuthenticatedPayloadTimeout(rawValue: 1)
            ),
            .invalidParameters
        )
        #expect(
            link.central.run(ReadAuthenticatedPayloadTimeout(handle: link.centralHandle))?.timeout.rawValue == 100
        )
    }
}
