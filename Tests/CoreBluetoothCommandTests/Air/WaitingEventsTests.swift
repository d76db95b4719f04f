import BluetoothAir
import Testing

@testable import CoreBluetoothCommand

@Suite("The event queue of an air")
struct WaitingEventsTests {
    @Test("keeps a thousand events, counts further ones, and starts anew once they are taken")
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

    @Test("reports dropped events in a line behind the others", arguments: [0, 1, 3])
    @MainActor
    func dropped(count: Int) {
        let waiting = WaitingEvents()
        for number in 0..<WaitingEvents.limit + count { _ = waiting.add(.addressed(number, "-")) }
        let lines = linesPrinted { output in
            AirSession(
                plan: AirService.Plan(addresses: [], settings: .instant, seed: 1, captureFile: nil, hostLimit: 4),
                words: "",
                output: output
            )
            .report(waiting)
        }
        let words = "\(count) more hosts that came or went are not shown: this output was not read"
        #expect(lines.count == WaitingEvents.limit + (count > 0 ? 1 : 0) && lines.first == "0 is -")
        #expect(lines.last == (count > 0 ? words : "999 is -"))
    }
}
