// What the two ends of a link keep: whether data may be passed on at once, which timers are armed, and what is left
// when the link has ended or a controller was reset; and the table in which a controller finds its links.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("States of links")
struct LinkStatesTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    /// The link, with the central's end and the peripheral's.
    private func state(_ link: TestLink) throws -> (link: AirLink, central: LinkEnd, peripheral: LinkEnd) {
        let controllers = link.testbed.air.controllers
        let central = try #require(controllers[0].links[link.centralHandle])
        let peripheral = try #require(controllers[1].links[link.peripheralHandle])
        return (central.link, central.end, peripheral.end)
    }

    private func enable(_ link: TestLink) {
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: .zero))
    }

    private func reply(_ link: TestLink) {
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: .zero))
    }

    private func setTimeouts(_ link: TestLink) {
        let timeout = AuthenticatedPayloadTimeout(rawValue: 100)
        link.central.ok(WriteAuthenticatedPayloadTimeout(handle: link.centralHandle, timeout: timeout))
        link.peripheral.ok(WriteAuthenticatedPayloadTimeout(handle: link.peripheralHandle, timeout: timeout))
    }

    // MARK: Paths

    @Test("Data may be passed on at once where nothing is in the way, from the start of a link, and only there")
    func paths() throws {
        let link = try TestLink(AirTestbed())
        let (_, central, peripheral) = try self.state(link)
        func isClear() -> [Bool] { [central.isClear, peripheral.isClear] }
        #expect(isClear() == [true, true])
        link.peripheral.controller.distance = .metres(1_000)
        #expect(isClear() == [false, false])
        link.peripheral.controller.distance = .metres(1)
        #expect(isClear() == [true, true])
        link.testbed.air.setLoss(0.5)
        #expect(isClear() == [false, false])
        link.testbed.air.setLoss(0)
        #expect(isClear() == [true, true])
        // Data that waits for the peer's host is not overtaken.
        link.peripheral.controller.isHostWritable = false
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        #expect(isClear() == [false, true])
        link.peripheral.controller.isHostWritable = true
        #expect(isClear() == [true, true])
        self.enable(link)
        #expect(isClear() == [false, false], "encryption is being set up")
        self.reply(link)
        #expect(isClear() == [false, false], "packets are encrypted")
    }

    @Test("With air time no data is passed on at once")
    func pathsWithAirTime() throws {
        let link = try TestLink(AirTestbed(.realistic))
        let (_, central, peripheral) = try self.state(link)
        #expect(!central.isClear && !peripheral.isClear)
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.pass(.seconds(1))
        #expect(!central.isClear && !peripheral.isClear)
    }

    // MARK: Ends

    @Test("A link that has ended has no timer armed and no clear path, whatever it waited for", arguments: allSettings)
    func ended(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        let (airLink, central, peripheral) = try self.state(link)
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: TestHost.parameters))
        link.testbed.pass(.milliseconds(500))
        #expect(airLink.responseTimer.deadline != nil, "the central's host does not answer")
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        #expect((airLink.eventTimer.deadline != nil) == settings.hasAirTime)
        link.central.controller.dropLinks()
        #expect(!airLink.isOpen && !airLink.isConnected)
        #expect(airLink.responseTimer.deadline == nil && airLink.eventTimer.deadline == nil)
        #expect(!central.isClear && !peripheral.isClear)
        link.testbed.pass(.seconds(60))
        for host in [link.central, link.peripheral] {
            #expect(host.takeAll(DisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
        }
    }

    @Test("A link that has ended out of reach has no timer armed")
    func endedOutOfReach() throws {
        let link = try TestLink(AirTestbed())
        let (airLink, central, peripheral) = try self.state(link)
        self.enable(link)
        self.reply(link)
        #expect(central.payloadTimer.deadline != nil && peripheral.payloadTimer.deadline != nil)
        link.peripheral.controller.distance = .metres(1_000)
        #expect(airLink.supervision.deadline != nil)
        link.central.controller.dropLinks()
        #expect(airLink.supervision.deadline == nil)
        #expect(central.payloadTimer.deadline == nil && peripheral.payloadTimer.deadline == nil)
    }

    @Test("The end of a controller that was reset has nothing left to send", arguments: 0..<3)
    func reset(work: Int) throws {
        let link = try TestLink(AirTestbed())
        let (_, central, peripheral) = try self.state(link)
        link.peripheral.controller.distance = .metres(1_000)
        switch work {
        case 0:
            link.central.sendData([1], on: link.centralHandle)
            link.testbed.loop.run()
        case 1: link.central.ok(LEReadRemoteFeatures(handle: link.centralHandle))
        default: link.central.ok(Disconnect(handle: link.centralHandle))
        }
        #expect(central.hasWork && central.isPresent)
        link.central.ok(Reset())
        #expect(!central.hasWork && !central.isPresent && peripheral.isPresent)
    }

    // MARK: Procedures

    @Test("The features of the peer are read as often as a host asks for them", arguments: allSettings)
    func featuresAgain(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        for (host, handle) in [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)] {
            for _ in 0..<3 {
                host.ok(LEReadRemoteFeatures(handle: handle))
                link.testbed.pass(.seconds(1))
                #expect(host.takeAll(LEReadRemoteFeaturesComplete.self).map(\.handle) == [handle])
            }
        }
    }

    @Test("Features for which no host has asked are not reported")
    func unaskedFeatures() throws {
        let link = try TestLink(AirTestbed())
        let (airLink, central, peripheral) = try self.state(link)
        link.testbed.air.enter {
            for end in [central, peripheral] { airLink.receive(LLControlPDU.featureResponse([]), at: end) }
        }
        link.testbed.loop.run()
        #expect(link.central.events.isEmpty && link.peripheral.events.isEmpty)
    }

    // MARK: Authenticated payloads

    @Test("The timer for authenticated payloads is armed while packets are encrypted, and not before or in between")
    func payloadTimers() throws {
        let link = try TestLink(AirTestbed())
        let (_, central, peripheral) = try self.state(link)
        func isArmed() -> [Bool] { [central, peripheral].map { $0.payloadTimer.deadline != nil } }
        #expect(isArmed() == [false, false])
        self.setTimeouts(link)
        #expect(isArmed() == [false, false])
        self.enable(link)
        #expect(isArmed() == [false, false])
        self.reply(link)
        #expect(isArmed() == [true, true])
        self.enable(link)
        #expect(isArmed() == [false, false])
        self.setTimeouts(link)
        #expect(isArmed() == [false, false])
        self.reply(link)
        #expect(isArmed() == [true, true])
    }

    @Test("An end whose encryption is paused in the moment of its ping reports no timeout while it is")
    func pausedAtPing() throws {
        let link = try TestLink(
            AirTestbed(),
            parameters: ConnectionParameters(
                minimumInterval: ConnectionInterval(rawValue: 24),
                maximumInterval: ConnectionInterval(rawValue: 24),
                supervisionTimeout: SupervisionTimeout(rawValue: 3_200)
            )
        )
        self.enable(link)
        self.reply(link)
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        link.central.ok(SetEventMaskPage2(mask: EventMaskPage2([.authenticatedPayloadTimeoutExpired])))
        let timeout = AuthenticatedPayloadTimeout(rawValue: 100)
        link.central.ok(WriteAuthenticatedPayloadTimeout(handle: link.centralHandle, timeout: timeout))
        // The ping is due after 820 ms. What is lost one connection interval before is sent again in this moment.
        link.testbed.pass(.milliseconds(790))
        link.testbed.air.setLoss(0.999_999_999)
        self.enable(link)
        link.testbed.air.setLoss(0)
        link.peripheral.events = []
        link.testbed.pass(.milliseconds(29))
        #expect(link.peripheral.events.isEmpty)
        link.testbed.pass(.milliseconds(1))
        #expect(link.peripheral.take(LELongTermKeyRequest.self)?.handle == link.peripheralHandle)
        link.testbed.pass(.seconds(5))
        #expect(link.central.take(AuthenticatedPayloadTimeoutExpired.self) == nil)
        self.reply(link)
        #expect(link.central.takeAll(EncryptionKeyRefreshComplete.self).map(\.status) == [.success])
    }

    // MARK: Table

    @Test("A link is found and removed by its own handle, not by another one of its place")
    func table() {
        let pair = ControllerPair()
        let (central, peripheral) = (pair.end(.central), pair.end(.peripheral))
        let link = AirLink(
            air: pair.testbed.air,
            central: central,
            peripheral: peripheral,
            timing: LinkTiming(TestHost.parameters),
            channels: .all,
            phy: .le1M,
            anchor: pair.testbed.air.now
        )
        var table = LinkTable(limit: 4)
        table.insert(LinkTable.Entry(link: link, end: central))
        let (own, other) = (ConnectionHandle(rawValue: 0x001), ConnectionHandle(rawValue: 0x801))
        #expect(table[own] != nil && table[other] == nil)
        table.remove(other)
        #expect(table[own] != nil && table.count == 1)
        table.remove(own)
        table.remove(own)
        #expect(table[own] == nil && table.count == 0)
        table.insert(LinkTable.Entry(link: link, end: central))
        #expect(table.removeAll().count == 1)
        #expect(table[own] == nil && table.count == 0 && table.entries.isEmpty)
        table.insert(LinkTable.Entry(link: link, end: central))
        #expect(table.entries.count == 1 && table[own] != nil)
    }
}
