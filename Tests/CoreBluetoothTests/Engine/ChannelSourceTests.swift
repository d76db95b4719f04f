// Where an adapter's controller comes from: when its source is asked, when it is asked again, what becomes of a channel
// that comes too late, and that the source is closed with the adapter.

import BluetoothHCI
import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testbed
import Testing

@testable import BluetoothAir
@testable import CoreBluetooth

@Suite("Sources of controllers")
struct ChannelSourceTests {
    /// A source that counts what is asked of it, and answers at once or later.
    private final class CountedSource: ChannelSource {
        private let air: Air
        private(set) var openCount = 0
        private(set) var closeCount = 0
        /// Why no channel can be opened.
        var failure: ChannelFailure?
        /// Whether answers wait for ``answer()``.
        var isLate = false
        private var waiting: [() -> Void] = []
        /// The controllers that were given out.
        private(set) var controllers: [VirtualController] = []

        init(air: Air) { self.air = air }

        func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
            self.openCount += 1
            if self.isLate { return self.waiting.append { self.complete(completion) } }
            self.complete(completion)
        }

        private func complete(_ completion: (Result<any HCIChannel, ChannelFailure>) -> Void) {
            if let failure = self.failure { return completion(.failure(failure)) }
            let controller = self.air.makeController()
            self.controllers.append(controller)
            completion(.success(controller))
        }

        func answer() {
            let waiting = self.waiting
            self.waiting = []
            for answer in waiting { answer() }
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

    @Test("a source is asked when the first manager is made, or when Bluetooth is switched on before, and once")
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
        // Who comes later hears of the state that there is.
        let third = CentralApp(on: switched.adapter)
        switched.testbed.run(.milliseconds(1))
        #expect(switched.source.openCount == 1 && third.calls == ["state 5"])
    }

    @Test("a channel that comes when Bluetooth is off is closed, and the next one is used")
    func late() {
        let setup = Setup()
        setup.source.isLate = true
        let app = CentralApp(on: setup.adapter)
        setup.testbed.run()
        #expect(setup.source.openCount == 1 && app.calls.isEmpty)
        setup.adapter.setPowered(false)
        setup.testbed.run()
        #expect(app.calls == ["state 4"])
        setup.source.answer()
        setup.testbed.run()
        #expect(setup.source.controllers.count == 1 && setup.testbed.air.controllers.isEmpty)
        setup.source.isLate = false
        setup.adapter.setPowered(true)
        setup.testbed.run()
        #expect(app.calls == ["state 4", "state 5"] && setup.testbed.air.controllers.count == 1)
    }

    @Test("a source that fails is asked again after a delay, which Bluetooth's switching off ends")
    func retry() {
        let setup = Setup()
        setup.source.failure = ChannelFailure(reason: "nobody listens", isFinal: false)
        CapturedLog().capture {
            let app = CentralApp(on: setup.adapter)
            setup.testbed.run(.milliseconds(10))
            #expect(setup.source.openCount == 1 && app.calls == ["state 4"])
            // The delay of 25 ms counts no longer; that of the next failure is twice as long.
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

    @Test("a source is closed with its adapter, however that ends, and asked no more", arguments: 0...3)
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
            // What is asked of an adapter that has ended has no effect.
            if how == 2 { setup.adapter.kill() }
            setup.adapter.setPowered(false)
            setup.adapter.setPowered(true)
            setup.testbed.run(.minutes(1))
            #expect(setup.source.openCount == 1 && setup.source.closeCount == 1)
            #expect(app.calls == [how == 3 ? "state 4" : "state 5"])
            #expect(setup.testbed.air.controllers.isEmpty)
        }
    }

    @Test("a source of an air gives a new controller each time, where the device is")
    func air() throws {
        let testbed = Testbed()
        let place = AirLocation.position(AirPosition(x: 3, y: 4))
        for location in [nil, place] as [AirLocation?] {
            let source = AirSource(air: testbed.air, location: location)
            var found: [VirtualController] = []
            for _ in 1...2 {
                source.open { result in
                    if case .success(let channel) = result, let controller = channel as? VirtualController {
                        found.append(controller)
                    }
                }
            }
            source.close()
            try #require(found.count == 2)
            #expect(found[0] !== found[1])
            #expect(found.allSatisfy { $0.location == location ?? .distance(.metres(1)) })
        }
    }

    @Test("a source that is refused says why, for good")
    func refused() {
        var reasons: [String] = []
        let source = RefusedSource("there is no adapter")
        source.open { result in
            if case .failure(let failure) = result { reasons.append("\(failure.reason) \(failure.isFinal)") }
        }
        source.close()
        #expect(reasons == ["there is no adapter true"])
    }

    /// Counts packets.
    private final class Recorder: PacketRecorder {
        private(set) var count = 0

        func record(_ packet: HCIPacket, _ direction: BTSnoop.Direction) { self.count += 1 }
        func flush() {}
    }

    @Test("a source with a recorder gives recorded channels, passes failures on, and ends once it is closed")
    func capturing() {
        let testbed = Testbed()
        let source = CountedSource(air: testbed.air)
        let recorder = Recorder()
        var ends = 0
        let capturing = CapturingSource(source, into: recorder) { ends += 1 }
        var outcomes: [String] = []
        func open() {
            capturing.open { result in
                switch result {
                case .success(let channel): outcomes.append(channel is CapturingChannel ? "recorded" : "bare")
                case .failure(let failure): outcomes.append("\(failure.reason) \(failure.isFinal)")
                }
            }
        }
        open()
        source.failure = ChannelFailure(reason: "gone", isFinal: false)
        open()
        source.failure = ChannelFailure(reason: "wrong", isFinal: true)
        open()
        #expect(outcomes == ["recorded", "gone false", "wrong true"] && source.openCount == 3)
        #expect(ends == 0 && source.closeCount == 0 && recorder.count == 0)
        capturing.close()
        #expect(ends == 1 && source.closeCount == 1)
    }

    @Test("what an adapter is made of follows from its configuration")
    func components() throws {
        let testbed = Testbed()
        let loop = EmbeddedEventLoop()
        let address = try #require(DeviceAddress("C0:11:22:33:44:55", kind: .random))
        for usesCachedDatabases in [true, false] {
            var configuration = BluetoothAdapter.Configuration(identity: "Crystal")
            configuration.usesCachedDatabases = usesCachedDatabases
            let onAir = AdapterComponents(air: testbed.air, configuration, address: address)
            let name = try AdapterName(parsing: "h4:unix:/nowhere")
            let behindSocket = AdapterComponents(name, configuration, on: loop)
            for components in [onAir, behindSocket] {
                #expect(components.usesCachedDatabases == usesCachedDatabases)
                #expect(components.pairingAgent == nil && components.retained == nil)
                #expect(components.configuration.commandTimeout == .seconds(2))
            }
            #expect(onAir.source is AirSource && behindSocket.source is NamedSource)
            #expect(onAir.configuration.address == address && behindSocket.configuration.address == nil)
            let adapter = BluetoothAdapter(air: testbed.air, configuration: configuration)
            let isUsed = adapter.readEngine(in: testbed) { core -> Bool in core.databaseCache.isUsed }
            #expect(isUsed == usesCachedDatabases)
        }
        let refused = AdapterComponents(refused: "there is none")
        #expect(refused.source is RefusedSource && refused.usesCachedDatabases && refused.pairingAgent == nil)
    }
}
