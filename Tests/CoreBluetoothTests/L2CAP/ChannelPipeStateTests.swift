// What a channel's pipe decides, without streams, threads or an event loop: who is woken by which step, and what each
// end of a channel leaves to the other side.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.3 A channel's pipe as a value")
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

    @Test("12.3 the event loop is woken once for however much was written, and is given all of it")
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

    @Test("12.3 a full pipe blocks, and capacity is reported when half of it is free")
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

    @Test("12.3 the event loop hears of what was read when that is worth credits")
    func reading() {
        var state = Self.open()
        var actions = Actions()
        #expect(Self.read(1, &state, &actions) == .wouldBlock && actions == Actions())
        let pieces = (0..<3).map { _ in ByteBuffer(repeating: 2, count: 100) }
        #expect(Self.actions(&state) { $0.receive(pieces, &$1) } == Actions(reports: .input, resumes: .input))
        #expect(state.takeEvent(.input, excluding: []) == .hasBytesAvailable)
        // A quarter of the window's octets.
        #expect(Self.read(199, &state, &actions) == .done(199) && actions == Actions(reports: .input))
        #expect(Self.read(1, &state, &actions) == .done(1) && actions.wakesLoop)
        #expect(state.takeWork().consumed == 200)
        // Or, where nothing is left, a quarter of its frames.
        actions = Actions()
        #expect(Self.read(100, &state, &actions) == .done(100) && actions.wakesLoop)
    }

    @Test("12.3 a stream that is not open is ready for nothing, and the end of one leaves the other as it is")
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

    @Test("12.3 a closed input drops what comes and gives it back")
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

    @Test("12.3 every end but the host's asks for the channel's closing, behind what was written")
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
            // What follows changes nothing.
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

    @Test("12.3 what came before the end is read, then both streams are at their end, each reported once")
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

    @Test("12.2 requests for channels are served one after the other, each in its turn")
    func requests() {
        var requests = ChannelOpenRequests()
        #expect(requests.completed() == nil)
        #expect(requests.enqueue(0x80) == .open(0x80))
        #expect(requests.enqueue(0x7F) == nil && requests.enqueue(0xFF) == nil)
        #expect(requests.completed() == .refuse)
        #expect(requests.completed() == .open(0xFF))
        #expect(requests.completed() == nil)
        #expect(requests.enqueue(0x100) == .refuse && requests.enqueue(0x90) == nil)
        requests.cancelAll()
        #expect(requests.completed() == nil && requests.enqueue(0x91) == .open(0x91))
    }
}
