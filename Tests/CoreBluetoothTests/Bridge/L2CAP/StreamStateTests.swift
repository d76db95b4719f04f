import Testing

@testable import CoreBluetooth

@Suite("12.3 A stream's state")
struct StreamStateTests {
    private typealias Condition = StreamState.Condition

    private let idle = Condition(isReady: false, isAtEnd: false)

    private let ready = Condition(isReady: true, isAtEnd: false)

    private let end = Condition(isReady: false, isAtEnd: true)

    /// All events that are due for a delegate.
    private func events(_ state: inout StreamState, _ condition: StreamState.Condition) -> [Stream.Event] {
        var events: [Stream.Event] = []
        while let event = state.nextEvent(.hasBytesAvailable, condition), events.count < 10 {
            state.report(event)
            events.append(event)
        }
        return events
    }

    @Test("opens once, and never after it was closed")
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

    @Test("reports opening, readiness and end in this order, readiness once per operation")
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

    @Test("reports a failure once, and nothing else")
    func failure() {
        var state = StreamState()
        state.open()
        state.fail(.ECONNRESET)
        #expect(state.status(self.end) == .error && !state.isOpen && !state.isClosed)
        #expect(state.error as? POSIXError == POSIXError(.ECONNRESET))
        #expect(self.events(&state, Condition(isReady: true, isAtEnd: true)) == [.errorOccurred])
        state.refuse(.EAGAIN)
        #expect(state.error as? POSIXError == POSIXError(.ECONNRESET))
        state.open()
        #expect(state.status(self.idle) == .error)
    }

    @Test("keeps the error of a refused operation until the next operation, opening or closing")
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
