import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Air")
struct AirTests {
    @Test("keeps handles in their range, and does not reuse them soon")
    func handles() {
        let pair = ControllerPair()
        let link = pair.link()
        var table = AirLinkTable(limit: 3)
        func insert() -> ConnectionHandle {
            let handle = table.makeHandle()
            table.insert(AirLinkTable.Entry(link: link, end: pair.end(.central, handle: handle)))
            return handle
        }
        let fixed = insert()
        var seen: [UInt16] = []
        for _ in 0..<5_000 {
            let handle = insert()
            #expect(handle != fixed && handle.rawValue < 0x0F00 && table[handle]?.end.handle == handle)
            table.remove(ConnectionHandle(rawValue: handle.rawValue ^ 0x800))
            #expect(table[handle] != nil)
            table.remove(handle)
            #expect(table[handle] == nil)
            seen.append(handle.rawValue)
        }
        #expect(Set(seen.prefix(2_000)).count == 2_000)
        #expect(table[fixed] != nil && table[ConnectionHandle(rawValue: fixed.rawValue ^ 0x800)] == nil)
        for isFull in [false, true] {
            _ = insert()
            #expect(table.isFull == isFull)
        }
        #expect(table.count == 3 && table.removeAll().count == 3 && table.count == 0)
    }

    @Test("a controller leaves the air when it is released")
    func release() throws {
        let testbed = AirTestbed()
        let scanner = testbed.host()
        scanner.scan()
        var host: TestHost? = testbed.host()
        host?.advertise()
        testbed.pass(.milliseconds(200))
        #expect(!scanner.reports.isEmpty)
        weak let controller = host?.controller
        host = nil
        #expect(controller == nil)
        testbed.pass(.seconds(1))
        #expect(scanner.reports.isEmpty)
        #expect(testbed.air.controllers.count == 1)
    }

    @Test("drops packets for a deallocated host")
    func hostGone() throws {
        let testbed = AirTestbed()
        let controller = testbed.air.makeController()
        var host: TestHost? = TestHost(testbed, controller)
        host?.setUp(leEvents: TestHost.usualEvents)
        host?.scan()
        host = nil
        _ = host
        let advertiser = testbed.host()
        advertiser.advertise()
        testbed.pass(.seconds(10))
        // A new host on the same controller receives packets from now on.
        let successor = TestHost(testbed, controller)
        testbed.loop.run()
        #expect(successor.events.isEmpty)
        testbed.pass(.seconds(1))
        #expect(!successor.reports.isEmpty)
    }

    @Test("an air may be released while its controllers live")
    func airReleased() {
        let loop = EmbeddedEventLoop()
        var air: Air? = Air(eventLoop: loop)
        let controller = air?.makeController()
        air = nil
        controller?.send(Reset().packet())
        loop.run()
        controller?.close()
        loop.advanceTime(by: .seconds(1))
        #expect(controller?.linkCount == 0)
    }

    @Test("fires no timer of a released air")
    func released() {
        let loop = EmbeddedEventLoop()
        var air: Air? = Air(eventLoop: loop)
        weak let reference = air
        let timer = AirTimer()
        timer.action = { Issue.record("a timer of a released air") }
        air?.arm(timer, at: loop.now + .seconds(1))
        air = nil
        #expect(reference == nil)
        loop.advanceTime(by: .seconds(2))
    }

    @Test("loses a packet if the drawn number is below the probability")
    func lossEdge() {
        // The first number of SplitMix64 with seed 0; its upper 53 bits are used.
        let drawn = Double(0xE220_A839_7B1D_CDAF as UInt64 >> 11) * 0x1p-53
        for (loss, isLost) in [(drawn.nextDown, false), (drawn, false), (drawn.nextUp, true), (0, false), (1, true)] {
            let air = AirTestbed(AirSettings(hasAirTime: false, loss: LossProbability(loss)), seed: 0).air
            #expect(air.losesPacket() == isLost, "\(loss)")
        }
    }

    @Test("varies strengths by up to the fading around the mean, and hears the same packets", arguments: [1, 300])
    func fading(distance: Double) {
        func strengths(_ fading: Double) -> [Int] {
            let testbed = AirTestbed(seed: 1)
            testbed.air.setFading(fading)
            let (advertiser, scanner) = (testbed.host(), testbed.host())
            advertiser.controller.location = .distance(.metres(distance))
            advertiser.advertise(interval: 0x20)
            scanner.scan(type: .passive)
            testbed.pass(.seconds(20))
            return scanner.reports.compactMap { $0.rssi?.dBm }
        }
        let steady = strengths(0)
        let mean = steady[0]
        #expect(steady.count > 500 && Set(steady) == [mean])
        let faded = strengths(10)
        #expect(faded.count == steady.count)
        let lowest = max(mean - 10, -95)
        #expect(faded.min() == lowest && faded.max() == mean + 10)
        #expect(Set(faded).count == mean + 10 - lowest + 1)
        #expect(strengths(-1) == steady && strengths(.nan) == steady)
    }

    @Test("reuses the slot of a closed controller, but not its number")
    func places() {
        let air = AirTestbed().air
        let controllers = (0..<3).map { _ in air.makeController() }
        #expect(air.controllers.map(\.slot) == [0, 1, 2] && air.controllers.map(\.index) == [0, 1, 2])
        controllers[1].close()
        #expect(air.controller(1) == nil && air.controllers.map(\.index) == [0, 2])
        let next = air.makeController()
        #expect(air.controllers.map(\.slot) == [0, 2, 1] && air.controllers.map(\.index) == [0, 2, 3])
        #expect(air.controller(1)?.publicAddress == next.address)
        let another = air.makeController()
        #expect(air.controllers.map(\.slot) == [0, 2, 1, 3])
        for controller in controllers + [next, another] { controller.close() }
        #expect(air.controllers.isEmpty && air.map.all.isEmpty)
    }

    @Test("forgets the attenuations of a closed controller")
    func attenuationOfClosed() {
        let air = AirTestbed().air
        let controllers = (0..<3).map { _ in air.makeController() }
        let place = AirLocation.distance(.metres(1))
        func attenuation(_ one: Int, _ other: Int) -> Attenuation {
            air.obstacles.attenuation(between: (one, place), and: (other, place))
        }
        controllers[0].setAttenuation(20, to: controllers[1])
        controllers[0].setAttenuation(30, to: controllers[2])
        #expect(attenuation(0, 1) == 20 && attenuation(0, 2) == 30)
        controllers[1].close()
        #expect(attenuation(0, 1) == 0 && attenuation(0, 2) == 30)
        controllers[0].setAttenuation(20, to: controllers[1])
        controllers[1].setAttenuation(20, to: controllers[2])
        #expect(attenuation(0, 1) == 0 && attenuation(1, 2) == 0)
        #expect(air.walls.isEmpty)
    }

    @Test("a controller that was closed answers nothing, hears nothing, and may be closed again")
    func closedTwice() {
        let testbed = AirTestbed()
        let (host, advertiser) = (testbed.host(), testbed.host())
        advertiser.advertise()
        host.scan()
        host.controller.close()
        host.controller.close()
        host.events = []
        host.send(LERand())
        host.controller.location = .position(AirPosition(x: 1, y: 1))
        testbed.pass(.seconds(1))
        #expect(host.events.isEmpty)
        #expect(testbed.air.controllers.count == 1 && testbed.air.map.all.count == 1)
    }

    /// A host that answers each packet with a command and counts them.
    private final class Answering {
        let host: TestHost
        var count = 0

        init(_ host: TestHost, limit: Int, _ onCount: @escaping (Int) -> Void = { _ in }) {
            self.host = host
            host.onPacket = { [unowned self, unowned host] _ in
                guard self.count < limit else { return }
                self.count += 1
                onCount(self.count)
                host.send(LERand())
            }
        }
    }

    @Test("handles packets of two hosts in one turn of 16 exchanges")
    func twoHosts() {
        let testbed = AirTestbed()
        let (first, second) = (testbed.host(), testbed.host())
        let answering = Answering(first, limit: 100)
        first.send(LERand())
        second.send(LERand())
        var seen: [Int] = []
        func others() {
            seen.append(answering.count)
            if seen.count < 3 { testbed.loop.execute { others() } }
        }
        testbed.loop.execute { others() }
        testbed.loop.run()
        #expect(seen == [16, 32, 48])
        #expect(answering.count == 100)
    }

    @Test("runs a task of a host after this turn and before the next one")
    func taskOfHost() {
        let testbed = AirTestbed()
        let host = testbed.host()
        var seen: [Int] = []
        var current: () -> Int = { 0 }
        let answering = Answering(host, limit: 60) { count in
            if [5, 20, 33].contains(count) { testbed.loop.execute { seen.append(current()) } }
        }
        current = { [unowned answering] in answering.count }
        host.send(LERand())
        testbed.loop.run()
        #expect(seen == [16, 32, 48])
        #expect(answering.count == 60)
    }
}
