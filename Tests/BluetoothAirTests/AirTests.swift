// The air itself: its timers, its tables, its path loss, and what idle links cost.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import BluetoothAir

@Suite("Air")
struct AirTests {
    @Test("timers fire once, in order, at the time they were last given")
    func timers() {
        let testbed = AirTestbed()
        var fired: [(Int, Int64)] = []
        func timer(_ number: Int) -> AirTimer {
            let timer = AirTimer()
            timer.action = { fired.append((number, Int64(testbed.loop.now.uptimeNanoseconds) / 1_000_000)) }
            return timer
        }
        func at(_ milliseconds: Int64) -> NIODeadline { .uptimeNanoseconds(UInt64(milliseconds) * 1_000_000) }
        let timers = (0..<6).map { timer($0) }
        testbed.air.arm(timers[0], at: at(50))
        testbed.air.arm(timers[1], at: at(20))
        testbed.air.arm(timers[2], at: at(20))
        // Later, earlier, and taken back.
        testbed.air.arm(timers[3], at: at(10))
        testbed.air.arm(timers[3], at: at(60))
        testbed.air.arm(timers[4], at: at(80))
        testbed.air.arm(timers[4], at: at(30))
        testbed.air.arm(timers[5], at: at(40))
        timers[5].cancel()
        testbed.pass(.milliseconds(100))
        #expect(fired.map(\.0) == [1, 2, 4, 0, 3])
        #expect(fired.map(\.1) == [20, 20, 30, 50, 60])
        // Moved earlier and back to the time of the entry that was overtaken.
        fired = []
        testbed.air.arm(timers[0], at: at(130))
        testbed.air.arm(timers[0], at: at(110))
        testbed.air.arm(timers[0], at: at(130))
        testbed.pass(.milliseconds(100))
        #expect(fired.map(\.1) == [130])
    }

    @Test("handles stay in their range and are not used again soon")
    func handles() throws {
        let testbed = AirTestbed()
        let controllers = [0, 1].map {
            Controller(air: testbed.air, index: $0, slot: $0, configuration: VirtualControllerConfiguration())
        }
        var table = LinkTable(limit: 3)
        var seen: [UInt16] = []
        func insert() -> ConnectionHandle {
            let handle = table.makeHandle()
            let ends = controllers.map {
                LinkEnd(controller: $0, handle: handle, role: .central, peerAddress: .none)
            }
            let link = AirLink(
                air: testbed.air,
                central: ends[0],
                peripheral: ends[1],
                timing: LinkTiming(TestHost.parameters),
                channels: .all,
                phy: .le1M,
                anchor: testbed.air.now
            )
            table.insert(LinkTable.Entry(link: link, end: ends[0]))
            return handle
        }
        let fixed = insert()
        for _ in 0..<5_000 {
            let handle = insert()
            #expect(handle != fixed)
            #expect(handle.rawValue < 0x0F00)
            #expect(table[handle]?.end.handle == handle)
            table.remove(handle)
            #expect(table[handle] == nil)
            seen.append(handle.rawValue)
        }
        #expect(Set(seen.prefix(2_000)).count == 2_000)
        #expect(table[fixed] != nil)
        #expect(table[ConnectionHandle(rawValue: fixed.rawValue ^ 0x800)] == nil)
        _ = insert()
        #expect(!table.isFull)
        _ = insert()
        #expect(table.isFull)
        #expect(table.count == 3)
        #expect(table.removeAll().count == 3)
        #expect(table.count == 0)
    }

    @Test("the signal falls with the square of the distance")
    func pathLoss() {
        #expect(PathLoss.strength(distance: .metres(1), txPower: 0) == -45)
        #expect(PathLoss.strength(distance: .metres(2), txPower: 0) == -51)
        #expect(PathLoss.strength(distance: .metres(10), txPower: 0) == -65)
        #expect(PathLoss.strength(distance: .metres(30), txPower: 0) == -75)
        #expect(PathLoss.strength(distance: .metres(30), txPower: 10) == -65)
        #expect(PathLoss.strength(distance: .metres(316), txPower: 0) == -95)
        #expect(PathLoss.strength(distance: .metres(0), txPower: 0) == -25)
    }

    @Test("B22: 334 m is still heard, and 335 m is not, as the documentation says")
    func range() {
        #expect(PathLoss.strength(distance: .metres(334), txPower: 0) == -95)
        #expect(PathLoss.strength(distance: .metres(335), txPower: 0) == nil)
    }

    @Test("B22: between two positions their distance counts, else the larger distance of the two devices")
    func locations() {
        let origin = AirLocation.position(AirPosition(x: 0, y: 0))
        let other = AirLocation.position(AirPosition(x: 30, y: -40))
        #expect(origin.distance(to: other) == .metres(50))
        #expect(other.distance(to: origin) == .metres(50))
        #expect(other.distance(to: .distance(.metres(1))) == .metres(1))
        #expect(AirLocation.distance(.metres(7)).distance(to: other) == .metres(7))
        #expect(AirLocation.distance(.metres(7)).distance(to: .distance(.metres(2))) == .metres(7))
        #expect(AirPosition(x: .nan, y: -.infinity) == AirPosition(x: 0, y: 0))
    }

    @Test("a distance that is no number is one metre")
    func oddDistances() {
        let controller = AirTestbed().host().controller
        controller.distance = .metres(-3)
        #expect(controller.distance == .metres(0))
        controller.distance = .metres(.nan)
        #expect(controller.distance == .metres(1))
        controller.distance = .metres(.infinity)
        #expect(controller.distance == .metres(1))
    }

    @Test("coordinates and probabilities outside of their range become the nearer end of it")
    func nearestEnds() {
        for (value, taken) in [
            (-10_000_001, -10_000_000), (-10_000_000, -10_000_000), (-1.5, -1.5), (10_000_000, 10_000_000),
            (10_000_001, 10_000_000), (.infinity, 0), (-.infinity, 0), (.nan, 0),
        ] as [(Double, Double)] {
            #expect(AirPosition(x: value, y: 0).x == taken && AirPosition(x: 0, y: value).y == taken)
        }
        for (value, taken) in [(-0.1, 0), (0, 0), (0.25, 0.25), (1, 1), (1.1, 1), (.nan, 0)] as [(Double, Double)] {
            #expect(LossProbability(value).value == taken)
        }
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

    /// What a test passes from thread to thread. Unchecked: the test waits for one thread before the next one begins.
    private final class Handover: @unchecked Sendable {
        var air: Air?
        var controller: VirtualController?
    }

    @Test("a controller may be released on any thread")
    func releaseElsewhere() throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let handover = Handover()
        func count() throws -> Int? { try loop.submit { handover.air?.controllers.count }.wait() }
        try loop.submit {
            let air = Air(eventLoop: loop)
            handover.air = air
            handover.controller = air.makeController()
        }.wait()
        #expect(try count() == 1)
        handover.controller = nil
        #expect(try count() == 0)
        try loop.submit { handover.air = nil }.wait()
    }

    @Test("a host that answers each packet leaves the event loop to others after 16 exchanges")
    func turns() {
        let testbed = AirTestbed()
        let host = testbed.host()
        var count = 0
        host.onPacket = { _ in
            guard count < 100 else { return }
            count += 1
            host.send(LERand())
        }
        host.send(LERand())
        var seen: [Int] = []
        func others() {
            seen.append(count)
            if seen.count < 8 { testbed.loop.execute { others() } }
        }
        testbed.loop.execute { others() }
        testbed.loop.run()
        #expect(seen == [16, 32, 48, 64, 80, 96, 100, 100])
    }

    @Test("packets for a host that is gone are not kept")
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
        // A new host on the same controller hears from now on.
        let successor = TestHost(testbed, controller)
        testbed.loop.run()
        #expect(successor.events.isEmpty)
        testbed.pass(.seconds(1))
        #expect(!successor.reports.isEmpty)
    }

    @Test("100 idle links cost nothing in a second of virtual time")
    func idleLinks() throws {
        let testbed = AirTestbed()
        let central = testbed.host()
        var peripherals: [TestHost] = []
        for _ in 0..<100 {
            let peripheral = testbed.host()
            _ = try TestLink(testbed, central: central, peripheral: peripheral)
            peripherals.append(peripheral)
        }
        #expect(central.controller.linkCount == 100)
        let clock = ContinuousClock()
        let time = clock.measure { testbed.pass(.seconds(1)) }
        #expect(time < .milliseconds(100))
        #expect(central.controller.linkCount == 100)
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
}
