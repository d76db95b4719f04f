// The events of an air that wait to be printed.

import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("Events of an air on their way")
struct WaitingEventsTests {
    @Test("A thousand wait, further ones are counted, and what was taken makes place for others")
    func limit() {
        let waiting = WaitingEvents()
        for round in 1...2 {
            for number in 0..<WaitingEvents.limit + 3 {
                #expect(waiting.add(.addressed(number, "")) == (number == 0), "in round \(round)")
            }
            let (events, dropped) = waiting.take()
            #expect(events.count == 1000)
            #expect(dropped == 3)
        }
        #expect(waiting.take().events.isEmpty)
        #expect(waiting.take().dropped == 0)
    }
}
