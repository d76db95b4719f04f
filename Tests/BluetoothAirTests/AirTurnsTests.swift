// Turns of an air on its event loop: one at a time, however many send, so that others on the loop get theirs in
// between. And what is left on the loop of an air that is gone.

import BluetoothHCI
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Turns of an air")
struct AirTurnsTests {
    /// A host that answers each packet with a command, and how many it has answered.
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

    @Test("What two hosts send before a turn is one turn, of 16 exchanges")
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

    @Test("What a host puts on the event loop while it is called comes behind this turn, and before the next one")
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

    @Test("The timers of an air that was released are not its event loop's any more")
    func released() {
        let loop = EmbeddedEventLoop()
        var air: Air? = Air(eventLoop: loop)
        weak let reference = air
        let timer = AirTimer()
        var isFired = false
        timer.action = { isFired = true }
        air?.arm(timer, at: loop.now + .seconds(1))
        #expect(reference != nil)
        air = nil
        #expect(reference == nil)
        loop.advanceTime(by: .seconds(2))
        #expect(!isFired)
    }
}
