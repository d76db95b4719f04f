import BluetoothTransport
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import BluetoothAir
@testable import CoreBluetooth

@Suite("Sources of controllers")
struct ChannelSourceTests {
    private let testbed = Testbed()
    private let source: BreakableSource
    private let adapter: BluetoothAdapter

    init() {
        self.source = BreakableSource(air: self.testbed.air)
        self.adapter = self.source.adapter("Crystal", self.testbed)
        self.testbed.run(.seconds(1))
    }

    @Test(
        "opens one channel for all managers, when the first is created or Bluetooth is switched on",
        arguments: [0, 1]
    )
    func first(isSwitched: Int) {
        if isSwitched == 1 { self.adapter.setPowered(false) }
        self.testbed.run(.seconds(1))
        #expect(self.source.openCount == 0)
        if isSwitched == 1 { self.adapter.setPowered(true) }
        self.testbed.run(.seconds(1))
        #expect(self.source.openCount == isSwitched)
        let apps = [CentralApp(on: self.adapter), CentralApp(on: self.adapter)]
        self.testbed.run(.seconds(1))
        #expect(self.source.openCount == 1 && apps.allSatisfy { $0.calls == ["state 5"] })
    }

    @Test("opens the source again after a delay, which switching Bluetooth off cancels")
    func retry() {
        self.source.failure = ChannelFailure(reason: "nobody listens", isFinal: false)
        CapturedLog().capture {
            let app = CentralApp(on: self.adapter)
            func openCount(after time: TimeAmount) -> Int {
                self.testbed.run(time)
                return self.source.openCount
            }
            #expect(openCount(after: .milliseconds(10)) == 1 && app.calls == ["state 4"])
            // Switching cancels the delay of 25 ms; the next one is twice as long.
            self.adapter.setPowered(false)
            self.adapter.setPowered(true)
            #expect(openCount(after: .milliseconds(1)) == 2 && openCount(after: .milliseconds(40)) == 2)
            #expect(openCount(after: .milliseconds(15)) == 3)
            self.adapter.setPowered(false)
            #expect(openCount(after: .minutes(1)) == 3 && app.calls == ["state 4"])
            self.source.failure = nil
            self.adapter.setPowered(true)
            #expect(openCount(after: .milliseconds(100)) == 4 && app.calls == ["state 4", "state 5"])
        }
    }

    @Test("closes the source with the adapter, however that ends, and never opens it again", arguments: 0...3)
    func end(how: Int) {
        if how == 3 { self.source.failure = ChannelFailure(reason: "nobody listens", isFinal: false) }
        CapturedLog().capture {
            let app = CentralApp(on: self.adapter)
            self.testbed.run(.milliseconds(10))
            #expect(self.source.openCount == 1 && self.source.closeCount == 0)
            let completions = NIOLockedValueBox(0)
            if how == 0 || how == 3 {
                self.adapter.kill()
            } else {
                self.adapter.shutDown(within: .seconds(1)) { completions.withLockedValue { $0 += 1 } }
            }
            self.testbed.run(.seconds(2))
            #expect(self.source.closeCount == 1)
            #expect(completions.withLockedValue { $0 } == (how == 1 || how == 2 ? 1 : 0))
            if how == 2 { self.adapter.kill() }
            self.adapter.setPowered(false)
            self.adapter.setPowered(true)
            self.testbed.run(.minutes(1))
            #expect(self.source.openCount == 1 && self.source.closeCount == 1)
            #expect(app.calls == [how == 3 ? "state 4" : "state 5"] && self.testbed.air.controllers.isEmpty)
        }
    }

    @Test("treats a wrong name and a missing feature as final, and every other error as temporary")
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
