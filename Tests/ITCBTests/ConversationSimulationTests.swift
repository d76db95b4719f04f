import CoreBluetoothTesting
import Fixtures
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("Simulation of 8-ball conversations")
struct ConversationSimulationTests {
    @Test("ends each question once and answers the last one, whatever is done", arguments: simulationSeeds(8))
    func conversations(seed: UInt64) throws {
        try withWorld(seed: seed, settings: seed % 2 == 0 ? .instant : .realistic) { world in
            let party = Party(world, seed)
            for _ in 1...60 { party.act() }
            party.end()
        }
    }
}

/// Balls, centrals that ask, and a central that follows no rules.
private final class Party {
    private let world: World
    private var choices: SeededChoices
    private var devices: [Device] = []
    private var balls: [Ball] = []
    private var askers: [Asker] = []
    private let foreign: ForeignCentral
    private var count = 0
    /// The number of questions of each central.
    private var sent: [Int]
    /// The answers that balls have sent.
    private var given: Set<String> = []

    init(_ world: World, _ seed: UInt64) {
        self.world = world
        var choices = SeededChoices(seed: seed)
        let foreignDevice = world.addDevice("foreign", mtu: choices.pick([23, 517]))
        self.foreign = ForeignCentral(on: foreignDevice.adapter)
        self.devices.append(foreignDevice)
        for index in 0...choices.below(2) {
            let device = world.addDevice("ball \(index)", mtu: choices.pick([23, 64, 517]))
            self.devices.append(device)
            let ball = Ball("Ball \(index)", on: device.adapter, scheduler: WorldScheduler(world), seed: seed)
            ball.sdk.answersByHand = choices.once(in: 3)
            self.balls.append(ball)
        }
        for index in 0...choices.below(2) {
            let device = world.addDevice("asker \(index)", mtu: choices.pick([23, 185, 517]))
            self.devices.append(device)
            let asker = Asker(on: device.adapter, scheduler: WorldScheduler(world))
            asker.sdk.answerTimeLimit = choices.pick([2, 2, 10])
            asker.sdk.userIdleTime = choices.pick([nil, nil, { 1 }, { 5 }])
            self.askers.append(asker)
        }
        self.choices = choices
        self.sent = self.askers.map { _ in 0 }
        for ball in self.balls {
            ball.onStep = { [unowned self] in if case .answerSent(let text) = $0 { self.given.insert(text) } }
        }
    }

    private func makeQuestion() -> String {
        self.count += 1
        let length = self.choices.pick([1, 3, 18, 19, 20, 21, 100, 509, 510, 511, 512, 513])
        let text = String(("\(self.count) " + String(repeating: "x", count: 600)).prefix(length - 1))
        return text + self.choices.pick(["?", "?", "?", "?", ".", ""])
    }

    private func makeAnswer() -> String {
        let length = self.choices.pick([0, 1, 14, 19, 20, 21, 61, 62, 511, 512, 513, 514, 515])
        return self.choices.once(in: 3) ? String(repeating: "y", count: length) : "SLUG-ANSWER-07"
    }

    private func ask(_ index: Int, _ device: (any ITCB_Device_Peripheral_Protocol)?, _ question: String) {
        guard let device else { return }
        self.sent[index] += 1
        device.sendQuestion(question)
    }

    /// Performs a random action.
    func act() {
        let ball = self.choices.pick(self.balls)
        let index = self.choices.below(self.askers.count)
        let device = self.choices.pick(self.devices)
        switch self.choices.below(18) {
        case 0, 1, 2, 3:
            let devices = self.askers[index].sdk.devices
            if !devices.isEmpty { self.ask(index, self.choices.pick(devices), self.makeQuestion()) }
        case 4, 5: ball.sdk.central?.sendAnswer(self.makeAnswer(), toQuestion: "by hand?")
        case 6: ball.sdk._centrals.first?.sendAnswer(self.makeAnswer(), toQuestion: "to whom?")
        case 7: device.isPowered.toggle()
        case 8: device.distance = self.choices.pick([0.05, 1, 2, 8, 30, 1_000])
        case 9: for device in self.devices { (device.isPowered, device.distance) = (true, 1) }
        case 10: if self.choices.once(in: 2) { device.resetController() }
        case 11: if self.foreign.isExplored { self.foreign.write(self.makeQuestion()) }
        case 12: if self.foreign.isExplored { self.foreign.subscribe(self.choices.once(in: 2)) }
        case 13: if self.foreign.isExplored { self.foreign.read() }
        case 14:
            ball.sdk.localName = self.choices.pick(["Ball", "", "A ball with a name that is too long for a packet"])
        case 15: ball.sdk.answersByHand.toggle()
        case 16:
            let central = ball.sdk.central
            for _ in 0..<self.choices.pick([3, 63, 64, 65]) { central?.sendAnswer("SLUG-ANSWER-01", toQuestion: "?") }
        default: self.askers[index].sdk.readSignals()
        }
        let times: [Duration] = [
            .zero, .milliseconds(1), .milliseconds(20), .milliseconds(300), .seconds(1), .seconds(2), .seconds(11),
        ]
        self.world.advance(by: self.choices.pick(times))
        self.checkLimits()
    }

    private func checkLimits() {
        for ball in self.balls {
            #expect(ball.sdk._waitingAnswers.count <= ITCB_SDK_Peripheral._maximumWaitingAnswers)
            #expect(ball.sdk._centrals.count <= ITCB_SDK_Peripheral._maximumCentrals)
        }
        for asker in self.askers {
            let identifiers = asker.sdk.devices.map(\.uuid)
            #expect(Set(identifiers).count == identifiers.count)
        }
    }

    /// Makes all of them meet again and ask, and checks that no question was lost.
    func end() {
        for device in self.devices { (device.isPowered, device.distance) = (true, 1) }
        for ball in self.balls {
            ball.sdk.answersByHand = false
            ball.sdk.localName = "Ball"
        }
        // A question waits while its user is busy.
        for asker in self.askers { asker.sdk.userIdleTime = nil }
        self.world.advance(by: .seconds(40))
        for (index, asker) in self.askers.enumerated() {
            let count = asker.answered.count
            let devices = asker.sdk.devices.compactMap { $0 as? ITCB_SDK_Device_Peripheral }
            self.ask(index, asker.device("Ball") ?? devices.first, "The last?")
            self.world.advance(by: .seconds(12))
            #expect(asker.answered.count == count + 1 && asker.answered.last?.hasPrefix("The last? ") == true)
            let failures = asker.errors.count { $0.hasPrefix("sendFailed.") }
            #expect(asker.answered.count + failures == self.sent[index], "each question ends once")
            #expect(self.given.isSuperset(of: asker.answers), "each answer is a ball's")
        }
    }
}
