// Two paired messengers that meet repeatedly, while links are lost, processes are killed and bonds are removed.

import CoreBluetooth
import Fixtures
import Testbed
import Testing

@testable import BlueEar

@Suite("Simulation of paired messengers")
struct BondedMessengersSimulationTests {
    @Test("speak with each other on each of many links, or report what was lost", arguments: simulationSeeds(1))
    func hundredEncounters(seed: UInt64) {
        let pair = Pair(seed)
        for _ in 1...simulationRounds(100) { pair.meet() }
        #expect(pair.exchanges >= simulationRounds(100) / 2)
    }

    @Test("N1: exchange their messages on each link, undisturbed", arguments: ["messenger", "stays"])
    func undisturbed(kind: String) {
        let pair = Pair(1, stays: kind == "stays")
        for number in 1...5 {
            pair.meet(.nothing)
            #expect(pair.exchanges == number)
        }
        #expect(pair.phone.bondCount == 1 && pair.desk.bondCount == 1)
    }
}

/// What happens during an encounter.
private enum Trouble: CaseIterable {
    case nothing
    case lostLink
    case killedCentral
    case killedPeripheral
    case lostBondOfCentral
    case lostBondOfPeripheral
}

/// A messenger of each role, both of which require pairing.
private final class Pair {
    private static let hello = ["Hello": "Darkness"]
    /// The report if one side has lost its keys.
    private static let keyErrors: [BlueEarError] = [
        .lostKeys, .refused(.insufficientEncryption), .refused(.insufficientAuthentication),
    ]

    private let testbed: Testbed
    private var choices: SeededChoices
    private let stays: Bool
    /// The peripheral's device, and the central's.
    let desk: PersistentDevice
    let phone: PersistentDevice
    private var speaker: Speaker
    private var listener: Listener
    private var number = 0
    /// What the processes of the peripheral have received.
    private var heard: [[String: String]] = []
    /// The number of complete exchanges.
    private(set) var exchanges = 0

    init(_ seed: UInt64, stays: Bool = false) {
        self.testbed = Testbed(settings: .realistic, seed: seed)
        self.choices = SeededChoices(seed: seed &* 1_000_003)
        self.stays = stays
        self.desk = PersistentDevice("desk", in: self.testbed) { $0.requiresPairing = true }
        self.phone = PersistentDevice("phone", in: self.testbed)
        self.speaker = Speaker(Self.hello, on: self.desk.adapter)
        self.listener = Listener(nil, on: self.phone.adapter, in: self.testbed)
        self.listenToSpeaker()
    }

    private func listenToSpeaker() {
        self.speaker.onReceive = { [unowned self] message, _ in self.heard.append(message) }
    }

    private func restartCentral() {
        self.phone.restart()
        self.listener = Listener(nil, on: self.phone.adapter, in: self.testbed)
    }

    private func restartPeripheral() {
        self.desk.restart()
        self.speaker = Speaker(Self.hello, on: self.desk.adapter)
        self.listenToSpeaker()
    }

    /// Whether both sides have the other's message.
    private var isExchanged: Bool {
        self.listener.received.contains(Self.hello)
            && self.heard.contains(["number": "\(self.number)"])
    }

    /// One encounter: the central's program runs until the two have talked.
    func meet(_ trouble: Trouble? = nil) {
        self.number += 1
        // Each kind of process is a new one, or that of the last time.
        if self.choices.once(in: 2) { self.restartCentral() }
        self.prepareListener()
        let trouble = trouble ?? self.choices.pick(Trouble.allCases)
        self.testbed.run(.milliseconds(Int64(self.choices.below(2_000))))
        self.cause(trouble)
        let isDone = self.testbed.run(
            until: {
                if self.listener.errors.contains(where: Self.keyErrors.contains) {
                    // A user who reads this removes the bonds of both sides.
                    self.listener.errors = []
                    self.desk.removeBonds()
                    self.phone.removeBonds()
                }
                return self.isExchanged && (self.stays || self.listener.isFinished)
            },
            within: .seconds(120)
        )
        guard isDone else { return #expect(isDone, "\(self.number) \(trouble)") }
        self.exchanges += 1
        if self.stays {
            self.listener.manager.leaveWhenDone()
            self.testbed.run(until: { self.listener.isFinished })
        }
        self.testbed.run(.seconds(2))
        self.check(trouble)
    }

    private func prepareListener() {
        self.listener.received = []
        self.listener.sent = []
        self.listener.errors = []
        self.listener.isFinished = false
        self.listener.manager.message = ["number": "\(self.number)"]
        self.listener.manager.stays = self.stays
        self.listener.scan()
    }

    private func cause(_ trouble: Trouble) {
        switch trouble {
        case .nothing: break
        case .lostLink:
            // Longer than a link survives without packets.
            self.testbed.air.setLoss(1)
            self.testbed.run(.seconds(2))
            self.testbed.air.setLoss(0)
        case .killedCentral:
            self.restartCentral()
            self.prepareListener()
        case .killedPeripheral: self.restartPeripheral()
        case .lostBondOfCentral: self.phone.removeBonds()
        case .lostBondOfPeripheral: self.desk.removeBonds()
        }
    }

    private func check(_ trouble: Trouble) {
        // What is confirmed has arrived; what has started has ended, and each end is reported.
        #expect(self.listener.sent.allSatisfy(self.heard.contains), "\(trouble)")
        #expect(self.speaker.begun.count == self.speaker.ended.count, "\(self.number) \(trouble)")
        #expect(self.listener.begun == self.listener.ended, "\(self.number) \(trouble)")
        // A message is sent once per link, and the link of each one without an answer has ended.
        #expect(self.speaker.sent.count <= self.speaker.begun.count)
    }
}
