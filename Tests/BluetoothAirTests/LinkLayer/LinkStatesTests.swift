import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
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

    @Test("passes data on at once only if nothing is in the way")
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
        link.enableEncryption()
        #expect(isClear() == [false, false], "encryption is being set up")
        link.giveKey()
        #expect(isClear() == [false, false], "packets are encrypted")
    }

    @Test("disarms the timers of an ended link", arguments: allSettings)
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

    private let pair = ControllerPair()

    @Test("a link, an advertising set and a controller cancel their timers when they are released")
    func releasedTimers() {
        let (air, controller) = (self.pair.testbed.air, self.pair.controllers[0])
        let (central, peripheral) = (self.pair.end(.central), self.pair.end(.peripheral))
        var link: AirLink? = self.pair.link(central, peripheral)
        var set: AdvertisingSet? = AdvertisingSet(
            handle: 1,
            controller: controller,
            parameters: AdvertisingSetParameters()
        )
        var other: Controller? = Controller(air: air, index: 2, slot: 2, configuration: .init())
        var timers = [central.payloadTimer, peripheral.payloadTimer]
        if let link { timers += [link.supervision, link.responseTimer, link.eventTimer] }
        if let set { timers.append(set.timer) }
        if let other { timers += [other.scanTimer, other.completedPacketsTimer] }
        for timer in timers { air.arm(timer, at: air.now + .seconds(1)) }
        #expect(timers.allSatisfy { $0.deadline != nil })
        (link, set, other) = (nil, nil, nil)
        #expect(link == nil && set == nil && other == nil)
        #expect(timers.count == 8 && timers.allSatisfy { $0.deadline == nil })
    }
}
