import BluetoothHost
import BluetoothTransport
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Supervision of a controller")
struct ControllerSupervisionTests {
    private static let failure = ChannelFailure(reason: "nobody listens", isFinal: false)

    private func time(_ amount: TimeAmount) -> NIODeadline { .uptimeNanoseconds(0) + amount }

    /// A supervision whose controller is ready at time 0.
    private func ready() -> ControllerSupervision {
        var supervision = ControllerSupervision()
        _ = supervision.begin()
        _ = supervision.opened()
        _ = supervision.hostChanged(to: .ready, now: self.time(.zero))
        return supervision
    }

    private func delays(_ actions: [ControllerSupervision.Action]) -> [TimeAmount] {
        actions.compactMap { if case .scheduleRetry(let delay) = $0 { delay } else { nil } }
    }

    @Test("the first manager opens the channel, once")
    func begin() {
        var supervision = ControllerSupervision()
        #expect(supervision.managerState == .unknown)
        #expect(supervision.begin() == [.openChannel])
        #expect(supervision.begin() == [])
        #expect(supervision.opened() == [.attachHost])
        #expect(supervision.hostChanged(to: .starting, now: self.time(.zero)) == [])
        #expect(supervision.hostChanged(to: .ready, now: self.time(.zero)) == [.openStorage, .reportState])
        #expect(supervision.managerState == .poweredOn)
    }

    @Test("a final failure makes the adapter unsupported, and nothing is tried again")
    func refused() {
        var supervision = ControllerSupervision()
        _ = supervision.begin()
        let actions = supervision.openingFailed(ChannelFailure(reason: "no such adapter", isFinal: true))
        #expect(actions == [.log("no such adapter"), .reportState])
        #expect(supervision.managerState == .unsupported)
        #expect(supervision.retryDelayElapsed() == [])
        #expect(supervision.begin() == [])
    }

    @Test("the delay doubles from 25 ms to 2 s")
    func backOff() {
        var supervision = ControllerSupervision()
        _ = supervision.begin()
        var found: [TimeAmount] = []
        for _ in 0..<10 {
            found += self.delays(supervision.openingFailed(Self.failure))
            #expect(supervision.retryDelayElapsed() == [.openChannel])
        }
        #expect(found == [25, 50, 100, 200, 400, 800, 1600, 2000, 2000, 2000].map { .milliseconds($0) })
        #expect(supervision.managerState == .poweredOff)
    }

    @Test("a controller that was ready resets the managers, silently at first")
    func lostController() {
        var supervision = self.ready()
        let first = supervision.hostChanged(to: .failed("gone"), now: self.time(.milliseconds(1)))
        #expect(first == [.reportState, .scheduleRetry(in: .milliseconds(25))])
        #expect(supervision.managerState == .resetting)
        var logged: [Bool] = []
        for _ in 0..<4 {
            _ = supervision.retryDelayElapsed()
            logged.append(supervision.openingFailed(Self.failure).contains(.log("nobody listens")))
        }
        #expect(logged == [false, false, true, false])
    }

    @Test("The reason is logged once for each loss: anew after a controller was stable, and after power on")
    func reasons() {
        var supervision = ControllerSupervision()
        _ = supervision.begin()
        /// Fails five times for a reason, and is ready again; whether the reason was logged each time.
        func lose(_ reason: String, readyFor time: TimeAmount) -> [Bool] {
            let logged = (0..<5).map { _ in
                let actions = supervision.openingFailed(ChannelFailure(reason: reason, isFinal: false))
                _ = supervision.retryDelayElapsed()
                return actions.contains(.log(reason))
            }
            _ = supervision.opened()
            _ = supervision.hostChanged(to: .ready, now: self.time(.zero))
            _ = supervision.hostChanged(to: .failed("gone"), now: self.time(time))
            _ = supervision.retryDelayElapsed()
            return logged
        }
        let stable = ControllerSupervision.stabilityInterval
        #expect(lose("nobody listens", readyFor: stable) == [true, false, false, false, false])
        // One that was stable is lost in silence at first.
        #expect(lose("nobody listens", readyFor: stable - .nanoseconds(1)) == [false, false, true, false, false])
        // It has come back for a moment: the loss goes on, and another reason is another line.
        #expect(lose("nobody listens", readyFor: .zero) == Array(repeating: false, count: 5))
        #expect(lose("no such socket", readyFor: .zero) == [true, false, false, false, false])
        _ = supervision.setPowered(false)
        _ = supervision.setPowered(true)
        #expect(lose("nobody listens", readyFor: .zero) == [true, false, false, false, false])
        // A reason whose words are another each time does not fill the log.
        let count = (0..<100).count { lose("reason \($0)", readyFor: .zero).contains(true) }
        #expect(count == 15)
    }

    @Test("a controller that dies at once again and again is tried less and less often")
    func unstable() {
        var supervision = self.ready()
        var found: [TimeAmount] = []
        for round in 0..<4 {
            let now = self.time(.seconds(Int64(round)))
            found += self.delays(supervision.hostChanged(to: .failed("gone"), now: now))
            _ = supervision.retryDelayElapsed()
            _ = supervision.opened()
            _ = supervision.hostChanged(to: .ready, now: now)
        }
        #expect(found == [25, 50, 100, 200].map { .milliseconds($0) })
    }

    @Test("after the stability interval the back-off begins anew")
    func stable() {
        var supervision = self.ready()
        _ = supervision.hostChanged(to: .failed("gone"), now: self.time(.milliseconds(10)))
        _ = supervision.retryDelayElapsed()
        _ = supervision.opened()
        _ = supervision.hostChanged(to: .ready, now: self.time(.seconds(1)))
        let late = self.time(.seconds(1) + ControllerSupervision.stabilityInterval)
        #expect(self.delays(supervision.hostChanged(to: .failed("gone"), now: late)) == [.milliseconds(25)])
    }

    @Test("a controller that never was ready says why, and is powered off rather than resetting")
    func neverReady() {
        var supervision = ControllerSupervision()
        _ = supervision.begin()
        _ = supervision.opened()
        let actions = supervision.hostChanged(to: .failed("no answer to Reset"), now: self.time(.zero))
        #expect(actions == [.log("no answer to Reset"), .reportState, .scheduleRetry(in: .milliseconds(25))])
        #expect(supervision.managerState == .poweredOff)
    }

    @Test("power off in every state, and on again")
    func power() {
        var waiting = ControllerSupervision()
        _ = waiting.begin()
        _ = waiting.openingFailed(Self.failure)
        // The managers see powered off already.
        #expect(waiting.setPowered(false) == [.cancelRetry, .detachHost])
        #expect(waiting.retryDelayElapsed() == [])
        #expect(waiting.setPowered(true) == [.openChannel])

        var ready = self.ready()
        #expect(ready.setPowered(true) == [])
        #expect(ready.setPowered(false) == [.reportState, .detachHost])
        #expect(ready.managerState == .poweredOff)
        #expect(ready.setPowered(false) == [])
        #expect(ready.hostChanged(to: .detached, now: self.time(.zero)) == [])

        var opening = ControllerSupervision()
        _ = opening.begin()
        _ = opening.setPowered(false)
        #expect(opening.opened() == [.closeChannel])
        #expect(opening.openingFailed(Self.failure) == [])
    }

    @Test("after the shutdown nothing is tried and nothing reported")
    func shutDown() {
        var supervision = self.ready()
        _ = supervision.hostChanged(to: .failed("gone"), now: self.time(.zero))
        #expect(supervision.shutDown() == [.cancelRetry])
        #expect(supervision.retryDelayElapsed() == [])
        #expect(supervision.setPowered(true) == [])
        #expect(supervision.setPowered(false) == [])
        #expect(supervision.hostChanged(to: .ready, now: self.time(.zero)) == [])
        #expect(supervision.opened() == [.closeChannel])
    }

    @Test("a name that is wrong and a part that is missing stay so; all else may come right")
    func finalFailures() {
        for (code, isFinal) in [
            (.badName, true), (.unsupported, true), (.inUse, false), (.notFound, false), (.noPermission, false),
        ] as [(TransportError.Code, Bool)] {
            let failure = ChannelFailure(TransportError(code, "why"))
            #expect(failure.isFinal == isFinal && failure.reason == "why")
        }
        #expect(!ChannelFailure(CancellationError()).isFinal)
    }
}
