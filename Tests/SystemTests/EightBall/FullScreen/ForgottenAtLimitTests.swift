// The centrals that the ball on the whole screen keeps, when they are two hundred: they are looked through with one
// more. The test is a process of its own, in whose world no time passes.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("Two hundred centrals of the ball on the whole screen")
struct ForgottenAtLimitTests {
    @Test("One whose question has left the page is kept among two hundred, and forgotten with one more")
    func limit() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.peripheral { part, _ in
                part.setAnsweredByHand(true)
                var askers = [ForgottenAsker("1", part)]
                // With it the page has one question more than there are centrals.
                part.note(.questionReceived("Rain", isAccepted: false))
                for number in 2...200 { askers.append(ForgottenAsker("\(number)", part)) }
                Console.print("\(part.page.forgottenCount) \(part.page.hasOpenQuestion(of: "1"))")
                Console.print("\(askers.count { $0.isKept }) \(askers[0].isKept)")
                askers.append(ForgottenAsker("201", part))
                Console.print("\(askers.count { $0.isKept }) \(askers[0].isKept) \(askers[1].isKept)")
            }
            exit(0)
        }
        #expect(try #require(result).lines == ["1 false", "200 true", "200 false true"])
    }
}
