import BluetoothHCI
import BluetoothTransport
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import BluetoothAir
@testable import CoreBluetooth

@Suite("Sources of controllers")
struct ChannelSourceTests {
    /// Counts its calls.
    private final class CountedSource: ChannelSource {
        private let air: Air
        private(set) var openCount = 0
        private(set) var closeCount = 0
        /// Why no channel can be opened.
        var failure: ChannelFailure?

        init(air: Air) { self.air = air }

        func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
            self.openCount += 1
            completion(self.failure.map { .failure($0) } ?? .success(self.air.makeController()))
        }

        func close() { self.closeCount += 1 }
    }

    private struct Setup {
        let testbed = Testbed()
        let source: CountedSource
        let adapter: BluetoothAdapter

        init() {
            self.source = CountedSource(air: self.testbed.air)
            self.adapter = BluetoothAdapter(
                eventLoop: self.testbed.loop,
                configuration: BluetoothAdapter.Configuration(identity: "Crystal"),
                source: self.source,
                storage: MemoryStorage()
            )
            self.testbed.loop.run()
        }
    }

    @Test("opens one channel for all managers, when the first is made or Bluetooth is switched on")
    func first() {
        let setup = Setup()
        setup.testbed.run(.seconds(1))
        #expect(setup.source.openCount == 0)
        let first = CentralApp(on: setup.adapter)
        let second = CentralApp(on: setup.adapter)
        setup.testbed.run(.seconds(1))
        #expect(setup.source.openCount == 1 && first.calls == ["state 5"] && second.calls == ["state 5"])

        let switched = Setup()
        switched.adapter.setPowered(false)
        switched.testbed.run(.seconds(1))
        #expect(switched.source.openCount == 0)
        switched.adapter.setPowered(true)
        switched.testbed.run(.seconds(1))
        #expect(switched.source.openCount == 1)
        let third = CentralApp(on: switched.adapter)
        switched.testbed.run(.milliseconds(1))
        #expect(switched.source.openCount == 1 && third.calls == ["state 5"])
    }

    @Test("opens the source again after a delay, which switching Bluetooth off cancels")
    func retry() {
        let setup = Setup()
        setup.source.failure = ChannelFailure(reason: "nobody listens", isFinal: false)
        CapturedLog().capture {
            let app = CentralApp(on: setup.adapter)
            setup.testbed.run(.milliseconds(10))
            #expect(setup.source.openCount == 1 && app.calls == ["state 4"])
            // Switching cancels the delay of 25 ms; the next one is twice as long.
            setup.adapter.setPowered(false)
            setup.adapter.setPowered(true)
            setup.testbed.run(.milliseconds(1))
            #expect(setup.source.openCount == 2)
            setup.testbed.run(.milliseconds(40))
            #expect(setup.source.openCount == 2)
            setup.testbed.run(.milliseconds(15))
            #expect(setup.source.openCount == 3)
            setup.adapter.setPowered(false)
            setup.testbed.run(.minutes(1))
            #expect(setup.source.openCount == 3 && app.calls == ["state 4"])
            setup.source.failure = nil
            setup.adapter.setPowered(true)
            setup.testbed.run(.milliseconds(100))
            #expect(setup.source.openCount == 4 && app.calls == ["state 4", "state 5"])
        }
    }

    @Test("closes the source with the adapter, however that ends, and never opens it again", arguments: 0...3)
    func end(how: Int) {
        let setup = Setup()
        if how == 3 { setup.source.failure = ChannelFailure(reason: "nobody listens", isFinal: false) }
        CapturedLog().capture {
            let app = CentralApp(on: setup.adapter)
            setup.testbed.run(.milliseconds(10))
            #expect(setup.source.openCount == 1 && setup.source.closeCount == 0)
            let completions = NIOLockedValueBox(0)
            if how == 0 || how == 3 {
                setup.adapter.kill()
            } else {
                setup.adapter.shutDown(within: .seconds(1)) { completions.withLockedValue { $0 += 1 } }
            }
            setup.testbed.run(.seconds(2))
            #expect(setup.source.closeCount == 1)
            #expect(completions.withLockedValue { $0 } == (how == 1 || how == 2 ? 1 : 0))
            if how == 2 { setup.adapter.kill() }
            setup.adapter.setPowered(false)
            setup.adapter.setPowered(true)
            setup.testbed.run(.minutes(1))
            #expect(setup.source.openCount == 1 && setup.source.closeCount == 1)
            #expect(app.calls == [how == 3 ? "state 4" : "state 5"])
            #expect(setup.testbed.air.controllers.isEmpty)
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
