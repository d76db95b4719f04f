// Which centrals the ball on the whole screen keeps: those whose question is open, and no other one. Each test is a
// process of its own, in whose world no time passes.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("The centrals that the ball on the whole screen keeps")
struct ForgottenCentralsTests {
    @Test("A central is forgotten with its answer, with its error, and with Bluetooth; others are kept meanwhile")
    func ends() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.peripheral { part, _ in
                part.setAnsweredByHand(true)
                let askers = [
                    ForgottenAsker("A", part),
                    ForgottenAsker("B", part, error: .sendFailed(ITCB_RejectionReason.deviceOffline)),
                    ForgottenAsker("C", part),
                ]
                Console.print("\(askers.map { $0.isKept })")
                askers[0].getAnswer(part)
                Console.print("\(askers.map { $0.isKept })")
                part.errorOccurred(.unknown(nil), sdk: SilentSDK())
                Console.print("\(askers.map { $0.isKept })")
                part.note(.stateChanged(isPoweredOn: true, state: "poweredOn"))
                Console.print("\(askers.map { $0.isKept })")
                part.note(.stateChanged(isPoweredOn: false, state: "poweredOff"))
                Console.print("\(askers.map { $0.isKept })")
            }
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                "[true, true, true]", "[false, true, true]", "[false, false, true]", "[false, false, true]",
                "[false, false, false]",
            ]
        )
    }

    @Test("Of more than two hundred centrals those are forgotten whose question is no longer kept")
    func many() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.peripheral { part, _ in
                part.setAnsweredByHand(true)
                var askers = (1...200).map { ForgottenAsker("\($0)", part) }
                Console.print("\(askers.count { $0.isKept })")
                askers.append(ForgottenAsker("201", part))
                Console.print("\(askers.count { $0.isKept }) \(askers[0].isKept) \(askers[1].isKept)")
                askers.append(ForgottenAsker("202", part))
                Console.print("\(askers.count { $0.isKept }) \(askers[1].isKept) \(askers[201].isKept)")
            }
            exit(0)
        }
        #expect(try #require(result).lines == ["200", "200 false true", "200 false true"])
    }
}
