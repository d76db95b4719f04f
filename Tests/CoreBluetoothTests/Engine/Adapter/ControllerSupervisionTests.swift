import BluetoothHost
import NIOCore
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

    @Test("opens the channel once, when the first manager is created")
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

    @Test("reports unsupported after a final failure or for a controller without LE, and does not retry")
    func unsupported() {
        for isOpened in [false, true] {
            var supervision = ControllerSupervision()
            _ = supervision.begin()
            if isOpened { _ = supervision.opened() }
            let actions =
                isOpened
                ? supervision.hostChanged(to: .unsupported("why"), now: self.time(.zero))
                : supervision.openingFailed(ChannelFailure(reason: "why", isFinal: true))
            #expect(actions == [.log("why"), .reportState] && supervision.managerState == .unsupported)
            #expect(supervision.retryDelayElapsed() == [] && supervision.begin() == [])
        }
    }

    @Test("doubles the retry delay from 25 ms to 2 s")
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

    @Test("reports resetting when a controller that was ready fails, and logs from the third failure on")
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

    @Test("logs a reason once per loss, and again after a stable controller or a power cycle")
    func reasons() {
        var supervision = ControllerSupervision()
        _ = supervision.begin()
        /// Fails five times, then becomes ready; returns whether each failure was logged.
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
        #expect(lose("nobody listens", readyFor: stable - .nanoseconds(1)) == [false, false, true, false, false])
        // A controller that was ready for a moment continues the loss.
        #expect(lose("nobody listens", readyFor: .zero) == Array(repeating: false, count: 5))
        #expect(lose("no such socket", readyFor: .zero) == [true, false, false, false, false])
        _ = supervision.setPowered(false)
        _ = supervision.setPowered(true)
        #expect(lose("nobody listens", readyFor: .zero) == [true, false, false, false, false])
        // Changing reasons do not fill the log.
        let count = (0..<100).count { lose("reason \($0)", readyFor: .zero).contains(true) }
        #expect(count == 15)
    }

    @Test("restarts the back-off only after a controller was ready for the stability interval")
    func stable() {
        var supervision = self.ready()
        var found: [TimeAmount] = []
        let stability = ControllerSupervision.stabilityInterval
        for lifetime in [.zero, .milliseconds(10), .seconds(1), stability - .nanoseconds(1), stability, .zero] {
            found += self.delays(supervision.hostChanged(to: .failed("gone"), now: self.time(lifetime)))
            _ = supervision.retryDelayElapsed()
            _ = supervision.opened()
            _ = supervision.hostChanged(to: .ready, now: self.time(.zero))
        }
        #expect(found == [25, 50, 100, 200, 25, 50].map { .milliseconds($0) })
    }

    @Test("logs why a controller never became ready, and reports powered off")
    func neverReady() {
        var supervision = ControllerSupervision()
        _ = supervision.begin()
        _ = supervision.opened()
        let actions = supervision.hostChanged(to: .failed("no answer to Reset"), now: self.time(.zero))
        #expect(actions == [.log("no answer to Reset"), .reportState, .scheduleRetry(in: .milliseconds(25))])
        #expect(supervision.managerState == .poweredOff)
    }

    @Test("detaches the host on power off in every state, and opens the channel on power on")
    func power() {
        var waiting = ControllerSupervision()
        _ = waiting.begin()
        _ = waiting.openingFailed(Self.failure)
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

    @Test("does nothing after the shutdown but close a late channel")
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
}
