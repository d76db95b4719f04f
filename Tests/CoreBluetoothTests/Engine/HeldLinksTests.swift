// One link, several apps that may be behind.

import BluetoothHost
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Links that are held back")
struct HeldLinksTests {
    /// What came of each step: `+` holds the link of a number back for an owner, `-` releases it, `x` is its end.
    private func outcomes(_ steps: String...) -> [Bool?] {
        var links = HeldLinks()
        return steps.map { step in
            let numbers = step.compactMap(\.wholeNumberValue)
            let link = LinkID(rawValue: UInt32(numbers[0]))
            let owner = TransmitToken(rawValue: UInt64(numbers.last ?? 0))
            switch step.first {
            case "+": return links.hold(link, for: owner)
            case "-": return links.release(link, for: owner)
            default:
                links.forget(link)
                return nil
            }
        }
    }

    @Test("a link is held back once, and goes on when the last app that was behind is not any more")
    func twoOwners() {
        let outcomes = self.outcomes("+ 1 1", "+ 1 2", "+ 1 2", "- 1 1", "- 1 2", "+ 1 1", "- 1 1")
        #expect(outcomes == [true, false, false, false, true, true, true])
    }

    @Test("who was not behind lets no link go on, and each link is by itself")
    func others() {
        let outcomes = self.outcomes("- 1 1", "+ 1 1", "- 1 2", "- 2 1", "+ 2 1", "- 1 1", "- 1 1", "- 2 1")
        #expect(outcomes == [false, true, false, false, true, true, false, true])
    }

    @Test("a link that has ended is forgotten with everybody who was behind")
    func ended() {
        let outcomes = self.outcomes("+ 1 1", "+ 2 1", "x 1", "- 1 1", "+ 1 2", "+ 2 2")
        #expect(outcomes == [true, true, nil, false, true, false])
    }
}
