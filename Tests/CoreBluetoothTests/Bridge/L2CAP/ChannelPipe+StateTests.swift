import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("12.3 A channel's pipe")
struct ChannelPipeStateTests {
    private typealias Actions = ChannelPipe.Actions

    private typealias State = ChannelPipe.State

    private static let window = (frames: 8, length: 100)

    private static func open() -> State {
        var state = State(window: self.window)
        for side in [ChannelPipe.Side.input, .output] {
            _ = self.actions(&state) { $0.open(side, &$1) }
            while state.takeEvent(side, excluding: []) != nil {}
        }
        return state
    }

    private static func actions(_ state: inout State, _ body: (inout State, inout Actions) -> Void) -> Actions {
        var actions = Actions()
        body(&state, &actions)
        return actions
    }

    private static func write(_ count: Int, _ state: inout State, _ actions: inout Actions) -> ChannelPipe.Attempt {
        [UInt8](repeating: 1, count: count).withUnsafeBytes { state.write($0, &actions) }
    }

    private static func read(_ count: Int, _ state: inout State, _ actions: inout Actions) -> ChannelPipe.Attempt {
        var octets = [UInt8](repeating: 0, count: count)
        return octets.withUnsafeMutableBytes { state.read(into: $0, &actions) }
    }

    @Test("wakes the event loop once for all written octets")
    func writing() {
        var state = Self.open()
        var actions = Actions()
        #expect(Self.write(10, &state, &actions) == .done(10))
        #expect(actions == Actions(wakesLoop: true, reports: .output))
        actions = Actions()
        #expect(Self.write(20, &state, &actions) == .done(20))
        #expect(!actions.wakesLoop)
        let work = state.takeWork()
        #expect(work.written.reduce(0) { $0 + $1.readableBytes } == 30 && !work.isClosing && work.consumed == 0)
        #expect(state.takeWork().written.isEmpty)
        actions = Actions()
        #expect(Self.write(1, &state, &actions) == .done(1) && actions.wakesLoop)
    }

    @Test("blocks when it is full, and reports capacity when half of it is free")
    func full() {
        var state = Self.open()
        var actions = Actions()
        #expect(Self.write(SendBuffer.limit + 1, &state, &actions) == .done(SendBuffer.limit))
        #expect(Self.write(1, &state, &actions) == .wouldBlock && !state.isReady(.output))
        _ = state.takeWork()
        #expect(Self.actions(&state) { $0.sent(SendBuffer.limit / 2 - 1, &$1) } == Actions())
        #expect(Self.actions(&state) { $0.sent(1, &$1) } == Actions(reports: .output, resumes: .output))
        #expect(state.isReady(.output) && state.takeEvent(.output, excluding: []) == .hasSpaceAvailable)
        #expect(state.takeEvent(.output, excluding: []) == nil)
    }

    @Test("wakes the event loop when enough was read for credits")
    func reading() {
        var state = Self.open()
        var actions = Actions()
        #expect(Self.read(1, &state, &actions) == .wouldBlock && actions == Actions())
        let pieces = (0..<3).map { _ in ByteBuffer(repeating: 2, count: 100) }
        #expect(Self.actions(&state) { $0.receive(pieces, &$1) } == Actions(reports: .input, resumes: .input))
        #expect(state.takeEvent(.input, excluding: []) == .hasBytesAvailable)
        #expect(Self.read(199, &state, &actions) == .done(199) && actions == Actions(reports: .input))
        #expect(Self.read(1, &state, &actions) == .done(1) && actions.wakesLoop)
        #expect(state.takeWork().consumed == 200)
        actions = Actions()
        #expect(Self.read(100, &state, &actions) == .done(100) && actions.wakesLoop)
    }

    @Test("is ready for nothing before it is open, and closes one stream without the other")
    func sides() {
        var state = State(window: Self.window)
        _ = Self.actions(&state) { $0.receive([ByteBuffer(repeating: 2, count: 10)], &$1) }
        for side in [ChannelPipe.Side.input, .output] {
            #expect(!state.isReady(side))
            _ = Self.actions(&state) { $0.open(side, &$1) }
            #expect(state.isReady(side))
        }
        #expect(Self.actions(&state) { $0.close(.output, &$1) }.resumes == .output)
        #expect(!state.isReady(.output) && state.isReady(.input))
        var actions = Actions()
        #expect(Self.read(20, &state, &actions) == .done(10))
    }

    @Test("drops what comes for a closed input, and counts it as read")
    func closedInput() {
        var state = Self.open()
        let piece = [ByteBuffer(repeating: 2, count: 70)]
        _ = Self.actions(&state) { $0.receive(piece, &$1) }
        #expect(Self.actions(&state) { $0.close(.input, &$1) } == Actions(wakesLoop: true, resumes: .input))
        #expect(Self.actions(&state) { $0.receive(piece, &$1) } == Actions())
        let work = state.takeWork()
        #expect(work.consumed == 140 && !work.isClosing)
        #expect(Self.actions(&state) { $0.receive(piece, &$1) } == Actions(wakesLoop: true))
        #expect(Self.actions(&state) { $0.close(.output, &$1) }.resumes == .output)
        #expect(state.takeWork().isClosing)
    }

    @Test("closes the channel behind written octets when the app or the adapter ends it")
    func ends() {
        typealias End = (inout State, inout Actions) -> Void
        let released: End = { $0.release(&$1) }
        let ended: End = { $0.end(&$1) }
        let closed: End = {
            $0.close(.input, &$1)
            $0.close(.output, &$1)
        }
        for (end, wasInUse) in [(released, true), (ended, false), (closed, false)] {
            var state = Self.open()
            var actions = Actions()
            _ = Self.write(10, &state, &actions)
            actions = Self.actions(&state, end)
            #expect(actions.resumes == [.input, .output])
            #expect([.done(-1)].contains(Self.write(1, &state, &actions)))
            let work = state.takeWork()
            #expect(work.isClosing && work.written.count == 1)
            actions = Self.actions(&state) {
                $0.release(&$1)
                $0.end(&$1)
            }
            #expect(actions.reports.isEmpty)
            actions = Actions()
            #expect(state.detach(&actions) == wasInUse)
            #expect(Self.actions(&state, released) == Actions() && Self.actions(&state, ended) == Actions())
        }
    }

    @Test("delivers what came before the end, then reports the end of each stream once")
    func readingAfterTheEnd() {
        var state = Self.open()
        var actions = Actions()
        _ = Self.actions(&state) { $0.receive([ByteBuffer(repeating: 2, count: 30)], &$1) }
        #expect(!state.detach(&actions) && actions.reports == [.input, .output] && !actions.wakesLoop)
        #expect(state.takeEvent(.input, excluding: []) == .hasBytesAvailable && state.status(.input) == .open)
        #expect(state.takeEvent(.output, excluding: []) == .endEncountered && state.status(.output) == .atEnd)
        actions = Actions()
        #expect(Self.read(40, &state, &actions) == .done(30) && actions == Actions(reports: .input))
        #expect(state.takeEvent(.input, excluding: []) == .endEncountered)
        #expect(Self.read(1, &state, &actions) == .done(0))
        for side in [ChannelPipe.Side.input, .output] { #expect(state.takeEvent(side, excluding: []) == nil) }
        #expect(Self.write(1, &state, &actions) == .done(-1) && state.status(.output) == .error)
        #expect(state.takeEvent(.output, excluding: []) == .errorOccurred)
    }
}
