// What the central on the whole screen makes of each step and each call of the SDK: which of them change the page, and
// which ball they are about. Balls are stubs; each test is a process of its own, in whose world no time passes.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import TerminalScreen
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("Calls of the SDK to the central on the whole screen")
struct CentralCallsTests {
    @Test("A ball has the strength with which it was heard before, once; of more than 256 names none is kept")
    func heard() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.central { part, changes in
                changes.count = 0
                part.note(.discovered(name: "A", rssi: -40, isOffered: true))
                changes.print("offered")
                part.note(.discovered(name: "B", rssi: -50, isOffered: false))
                part.note(.discovered(name: nil, rssi: -50, isOffered: true))
                part.note(.connecting(name: "A"))
                changes.print("not offered, nameless, another step")
                for name in ["A", "B"] { part.deviceDiscovered(BallStub(name)) }
                part.deviceDiscovered(BallStub("X", uuid: nil))
                changes.print(PartCalls.words(part))
                part.note(.signalRead(uuid: "A", rssi: -70))
                part.deviceDiscovered(BallStub("A"))
                changes.print(PartCalls.words(part))
                // The first of 256 names is known, and it is not where there is one more.
                for name in ["C"] + (1...255).map({ "n\($0)" }) {
                    part.note(.discovered(name: name, rssi: -45, isOffered: true))
                }
                part.deviceDiscovered(BallStub("C"))
                for name in ["D", "E"] { part.note(.discovered(name: name, rssi: -46, isOffered: true)) }
                for name in ["D", "E", "n255"] { part.deviceDiscovered(BallStub(name)) }
                changes.print(PartCalls.words(part))
            }
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                "1 offered", "0 not offered, nameless, another step", "2 A -40 -, B ? -", "2 A -70 -, B ? -",
                "262 A -70 -, B ? -, C -45 -, D ? -, E -46 -, n255 ? -",
            ]
        )
    }

    @Test("A question goes to its ball, and what comes back belongs to that ball alone")
    func conversations() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.central { part, changes in
                let (anna, bert) = (BallStub("A"), BallStub("B"))
                part.sdk?.devices = [anna, bert]
                for ball in [anna, bert] { part.deviceDiscovered(ball) }
                changes.count = 0
                Console.print("\(part.ask("A", "Rain?") == nil) \(part.ask("B", "Sun?") == nil)")
                Console.print("\(part.ask("A", "Rain?")?.rawValue ?? "-") \(anna.questions) \(bert.questions)")
                // Without its words nothing was asked or answered.
                part.questionAskedOfDevice(anna)
                part.questionAnsweredByDevice(anna)
                changes.print(PartCalls.words(part))
                anna.question = "Rain?"
                part.questionAskedOfDevice(anna)
                changes.print(PartCalls.words(part))
                anna.answer = "yes"
                part.questionAnsweredByDevice(anna)
                changes.print(PartCalls.words(part))
                bert.error = .sendFailed(ITCB_RejectionReason.deviceBusy)
                part.errorOccurred(.unknown(nil), sdk: SilentSDK())
                changes.print(PartCalls.words(part))
                // Whom the SDK does not have any more is gone, and fails where its question was open.
                bert.error = nil
                _ = part.ask("A", "Snow?")
                part.sdk?.devices = [bert]
                part.errorOccurred(.unknown(nil), sdk: SilentSDK())
                changes.print(PartCalls.words(part))
                part.sdk?.devices = []
                _ = part.ask("B", "Hail?")
                changes.print(PartCalls.words(part))
            }
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                "true true", #"stillAnswering ["Rain?"] ["Sun?"]"#,
                "0 A ? asking Rain?, B ? asking Sun?", "1 A ? confirmed Rain?, B ? asking Sun?",
                "1 A ? answered Rain? yes, B ? asking Sun?",
                "1 A ? answered Rain? yes, B ? failed Sun? is busy with another question; ask again later",
                "1 A ? gone failed Snow? went offline, B ? failed Sun? is busy with another question; ask again later",
                "0 A ? gone failed Snow? went offline, B ? gone failed Hail? went offline",
            ]
        )
    }

    @Test("Steps that a ball was lost with take it off the page, and the page is drawn when it has gone from it")
    func losses() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            PartCalls.central { part, changes in
                let balls = ["A", "B"].map { BallStub($0) }
                part.sdk?.devices = balls
                for ball in balls { part.deviceDiscovered(ball) }
                changes.count = 0
                part.note(.lost(name: "A"))
                changes.print(PartCalls.words(part))
                part.sdk?.devices = [balls[1]]
                part.note(.connectionFailed(name: "A"))
                changes.print(PartCalls.words(part))
                part.sdk?.devices = []
                part.note(.connected(name: "B"))
                changes.print(PartCalls.words(part))
                part.note(.lost(name: "B"))
                changes.print(PartCalls.words(part))
                for _ in 1..<CentralPage.lossTicks { part.tick() }
                changes.print(PartCalls.words(part))
                part.tick()
                changes.print(PartCalls.words(part))
                part.tick()
                part.note(.stateChanged(isPoweredOn: true, state: "poweredOn"))
                changes.print("\(part.page.isOn)")
                part.note(.stateChanged(isPoweredOn: false, state: "poweredOff"))
                changes.print("\(part.page.isOn)")
            }
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                "1 A ? -, B ? -", "1 A ? gone -, B ? -", "0 A ? gone -, B ? -", "1 A ? gone -, B ? gone -",
                "0 A ? gone -, B ? gone -", "1 ", "1 true", "1 false",
            ]
        )
    }
}
