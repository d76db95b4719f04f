// A paired central and ball that meet repeatedly, while links are lost, processes are killed and bonds are removed.

import CoreBluetooth
import Fixtures
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("Simulation of a paired central and ball")
struct BondedBallsSimulationTests {
    @Test(
        "answer each question of many encounters with its own answer, or report its loss",
        arguments: simulationSeeds(1)
    )
    func hundredEncounters(seed: UInt64) {
        let pair = Pair(seed)
        for _ in 1...simulationRounds(100) { pair.meet() }
    }

    @Test("N1: ask and answer on each link, undisturbed", arguments: [false, true])
    func undisturbed(byHand: Bool) {
        let pair = Pair(1)
        for _ in 1...5 { pair.meet(.nothing, byHand: byHand) }
        #expect(pair.answered == 5 && pair.phone.bondCount == 1 && pair.desk.bondCount == 1)
    }
}

/// What happens while a question is on its way.
private enum Trouble: CaseIterable {
    case nothing
    case lostLink
    case killedCentral
    case killedBall
    case lostBondOfCentral
    case lostBondOfBall
}

/// A central and a ball that requires pairing.
private final class Pair {
    private let testbed: Testbed
    private var choices: SeededChoices
    /// The ball's device, and the central's.
    let desk: PersistentDevice
    let phone: PersistentDevice
    private var ball: Ball
    private var asker: Asker
    private var number = 0
    /// The number of answered questions.
    private(set) var answered = 0

    init(_ seed: UInt64) {
        self.testbed = Testbed(settings: .realistic, seed: seed)
        self.choices = SeededChoices(seed: seed &* 1_000_003)
        self.desk = PersistentDevice("desk", in: self.testbed) { $0.requiresPairing = true }
        self.phone = PersistentDevice("phone", in: self.testbed)
        self.ball = Ball("Ball", in: self.testbed, on: self.desk.adapter, seed: seed)
        self.asker = Asker(in: self.testbed, on: self.phone.adapter)
        self.prepareBall()
    }

    private func restartCentral() {
        self.phone.restart()
        self.asker = Asker(in: self.testbed, on: self.phone.adapter)
    }

    private func restartBall() {
        self.desk.restart()
        self.ball = Ball("Ball", in: self.testbed, on: self.desk.adapter, seed: UInt64(self.number))
        self.prepareBall()
    }

    /// Answers each question, after some time, with a unique answer.
    private func prepareBall() {
        self.ball.sdk.answersByHand = true
        self.ball.onAsked = { [unowned self] device, question in
            let ball = self.ball
            let answer = "The answer to \(question)"
            let time = self.isByHand ? self.choices.below(6_000) : 0
            self.testbed.world.after(.milliseconds(time)) { [weak ball] in
                // A killed process answers nothing.
                if ball != nil { device.sendAnswer(answer, toQuestion: question) }
            }
        }
    }

    private var isByHand = false
    /// Whether one side has a bond and the other has none.
    private var isBondMissing: Bool { self.desk.bondCount != self.phone.bondCount }

    /// One question on its own link.
    func meet(_ trouble: Trouble? = nil, byHand: Bool? = nil) {
        self.number += 1
        self.isByHand = byHand ?? self.choices.once(in: 2)
        let trouble = trouble ?? self.choices.pick(Trouble.allCases)
        if self.choices.once(in: 2) { self.restartCentral() }
        self.asker.sdk.answerTimeLimit = self.choices.pick(trouble == .nothing ? [60] : [2, 60])
        guard let device = self.waitForBall() else { return }
        (self.asker.answered, self.asker.errors) = ([], [])
        (self.ball.answered, self.ball.errors, self.ball.asked) = ([], [], [])
        let question = "Question \(self.number)?"
        let (asker, ball) = (self.asker, self.ball)
        device.sendQuestion(question)
        self.testbed.run(.milliseconds(Int64(self.choices.below(3_000))))
        self.cause(trouble)
        // Its end is reported to the process that asked, unless that was killed.
        if asker === self.asker {
            let isEnded = self.testbed.run(
                until: { !asker.answered.isEmpty || asker.errors.contains { $0.hasPrefix("sendFailed") } },
                within: .seconds(70)
            )
            #expect(isEnded, "\(self.number) \(trouble)")
            // Never the answer to another question, and none after a loss was reported.
            let isAnswered = asker.answered == ["\(question) The answer to \(question)"]
            #expect(
                isAnswered != asker.errors.contains { $0.hasPrefix("sendFailed") },
                "\(asker.answered) \(asker.errors)"
            )
            if isAnswered { self.answered += 1 }
            if trouble == .nothing, !self.isBondMissing {
                #expect(isAnswered, "\(self.number) \(asker.errors)")
            }
        }
        self.testbed.run(.seconds(8))
        // Likewise on the receiving side.
        if ball === self.ball, !ball.asked.isEmpty {
            #expect(ball.asked == [question])
            #expect(!ball.answered.isEmpty || !ball.errors.isEmpty, "\(self.number) \(trouble)")
        }
        self.leave()
    }

    /// The ball, once it can be asked; does what a user has to do for that.
    private func waitForBall() -> (any ITCB_Device_Peripheral_Protocol)? {
        let isReady = self.testbed.run(
            until: {
                self.removeBondsIfReported()
                return self.asker.device("Ball") != nil
            },
            within: .seconds(120)
        )
        #expect(isReady, "\(self.number) \(self.asker.errors)")
        return self.asker.device("Ball")
    }

    /// Removes both bonds, as a user would who reads that one side has lost its keys.
    private func removeBondsIfReported() {
        let reports = ["coreBluetooth.CB14", "sendFailed.coreBluetooth.ATT5", "sendFailed.coreBluetooth.ATT15"]
        guard self.asker.errors.contains(where: reports.contains) else { return }
        self.asker.errors = []
        self.desk.removeBonds()
        self.phone.removeBonds()
    }

    private func cause(_ trouble: Trouble) {
        switch trouble {
        case .nothing: break
        case .lostLink: self.loseLink()
        case .killedCentral: self.restartCentral()
        case .killedBall: self.restartBall()
        case .lostBondOfCentral: self.phone.removeBonds()
        case .lostBondOfBall: self.desk.removeBonds()
        }
    }

    private func loseLink() {
        self.testbed.air.setLoss(1)
        self.testbed.run(.seconds(2))
        self.testbed.air.setLoss(0)
    }

    /// Ends the encounter.
    private func leave() {
        self.removeBondsIfReported()
        self.loseLink()
        self.asker.errors = []
    }
}
