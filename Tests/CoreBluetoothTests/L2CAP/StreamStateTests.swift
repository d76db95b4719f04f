// A stream's states and what its delegate is owed, as a value.

import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.3 A stream's state as a value")
struct StreamStateTests {
    private typealias Condition = StreamState.Condition

    private let idle = Condition(isReady: false, isAtEnd: false)
    private let ready = Condition(isReady: true, isAtEnd: false)
    private let end = Condition(isReady: false, isAtEnd: true)

    /// The events that a delegate gets until there is none.
    private func events(_ state: inout StreamState, _ condition: StreamState.Condition) -> [Stream.Event] {
        var events: [Stream.Event] = []
        while let event = state.nextEvent(.hasBytesAvailable, condition), events.count < 10 {
            state.report(event)
            events.append(event)
        }
        return events
    }

    @Test("12.3 a stream is opened once, and never after it was closed")
    func opening() {
        var state = StreamState()
        #expect(state.status(self.idle) == .notOpen && !state.isOpen && !state.isClosed)
        #expect(self.events(&state, self.ready).isEmpty)
        state.open()
        #expect(state.status(self.idle) == .open && state.status(self.end) == .atEnd && state.isOpen)
        state.close()
        #expect(state.status(self.end) == .closed && state.isClosed && !state.isOpen)
        #expect(self.events(&state, self.ready).isEmpty)
        state.open()
        #expect(state.isClosed)
        var unopened = StreamState()
        unopened.close()
        unopened.open()
        #expect(unopened.isClosed)
    }

    @Test("12.3 opening, readiness and end are reported in that order, readiness once for each operation")
    func order() {
        var state = StreamState()
        state.open()
        let events = self.events(&state, Condition(isReady: true, isAtEnd: true))
        #expect(events == [.openCompleted, .hasBytesAvailable, .endEncountered])
        #expect(self.events(&state, self.ready).isEmpty)
        state.arm()
        #expect(self.events(&state, self.idle).isEmpty)
        #expect(self.events(&state, Condition(isReady: true, isAtEnd: true)) == [.hasBytesAvailable])
    }

    @Test("12.3 capacity is reported once for each operation, too")
    func capacity() {
        var state = StreamState()
        state.open()
        state.report(.openCompleted)
        #expect(state.nextEvent(.hasSpaceAvailable, self.ready) == .hasSpaceAvailable)
        state.report(.hasSpaceAvailable)
        #expect(state.nextEvent(.hasSpaceAvailable, self.ready) == nil)
        state.arm()
        #expect(state.nextEvent(.hasSpaceAvailable, self.ready) == .hasSpaceAvailable)
    }

    @Test("12.3 a failure is reported once, whatever else there is to report")
    func failure() {
        var state = StreamState()
        state.open()
        state.fail(.ECONNRESET)
        #expect(state.status(self.end) == .error && !state.isOpen && !state.isClosed)
        #expect(state.error as? POSIXError == POSIXError(.ECONNRESET))
        #expect(self.events(&state, Condition(isReady: true, isAtEnd: true)) == [.errorOccurred])
        // It stays an error until the stream is closed.
        state.refuse(.EAGAIN)
        #expect(state.error as? POSIXError == POSIXError(.ECONNRESET))
        state.open()
        #expect(state.status(self.idle) == .error)
    }

    @Test("12.3 a refused operation is the stream's error until the next one, its opening or its closing")
    func refusal() {
        for step in [{ $0.arm() }, { $0.open() }, { $0.close() }] as [(inout StreamState) -> Void] {
            var state = StreamState()
            #expect(state.error == nil)
            state.refuse(.EAGAIN)
            #expect(state.error as? POSIXError == POSIXError(.EAGAIN))
            step(&state)
            #expect(state.error == nil)
        }
    }
}
