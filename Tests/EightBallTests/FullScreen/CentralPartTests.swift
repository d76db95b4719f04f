import CoreBluetoothTesting
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("The central on the full screen")
@MainActor
struct CentralPartTests {
    @Test("shows a ball with its discovered signal strength, and remembers 256 names")
    func heard() {
        let lines = PartCalls.central { part, notes in
            notes.count = 0
            part.note(.discovered(name: "A", rssi: -40, isOffered: true))
            notes.note("offered")
            part.note(.discovered(name: "B", rssi: -50, isOffered: false))
            part.note(.discovered(name: nil, rssi: -50, isOffered: true))
            part.note(.connecting(name: "A"))
            notes.note("not offered, nameless, another step")
            for name in ["A", "B"] { part.deviceDiscovered(BallStub(name)) }
            part.deviceDiscovered(BallStub("X", uuid: nil))
            notes.note(PartCalls.words(part))
            part.note(.signalRead(uuid: "A", rssi: -70))
            part.deviceDiscovered(BallStub("A"))
            notes.note(PartCalls.words(part))
            // The first of 256 names is known, but not after another one.
            for name in ["C"] + (1...255).map({ "n\($0)" }) {
                part.note(.discovered(name: name, rssi: -45, isOffered: true))
            }
            part.deviceDiscovered(BallStub("C"))
            for name in ["D", "E"] { part.note(.discovered(name: name, rssi: -46, isOffered: true)) }
            for name in ["D", "E", "n255"] { part.deviceDiscovered(BallStub(name)) }
            notes.note(PartCalls.words(part))
        }
        #expect(
            lines == [
                "1 offered", "0 not offered, nameless, another step", "2 A -40 -, B ? -", "2 A -70 -, B ? -",
                "262 A -70 -, B ? -, C -45 -, D ? -, E -46 -, n255 ? -",
            ]
        )
    }

    @Test("sends a question to its ball, and attributes answers and errors to that ball")
    func conversations() {
        let lines = PartCalls.central { part, notes in
            let (anna, bert) = (BallStub("A"), BallStub("B"))
            part.sdk.devices = [anna, bert]
            for ball in [anna, bert] { part.deviceDiscovered(ball) }
            notes.count = 0
            notes.add("\(part.ask("A", "Rain?") == nil) \(part.ask("B", "Sun?") == nil)")
            notes.add("\(part.ask("A", "Rain?")?.rawValue ?? "-") \(anna.questions) \(bert.questions)")
            // Without words, nothing was asked or answered.
            part.questionAskedOfDevice(anna)
            part.questionAnsweredByDevice(anna)
            notes.note(PartCalls.words(part))
            anna.question = "Rain?"
            part.questionAskedOfDevice(anna)
            notes.note(PartCalls.words(part))
            anna.answer = "yes"
            part.questionAnsweredByDevice(anna)
            notes.note(PartCalls.words(part))
            bert.error = .sendFailed(ITCB_RejectionReason.deviceBusy)
            part.errorOccurred(.unknown(nil), sdk: SilentSDK())
            notes.note(PartCalls.words(part))
            // A ball that the SDK does not have is gone, and its open question fails.
            bert.error = nil
            _ = part.ask("A", "Snow?")
            part.sdk.devices = [bert]
            part.errorOccurred(.unknown(nil), sdk: SilentSDK())
            notes.note(PartCalls.words(part))
            part.sdk.devices = []
            _ = part.ask("B", "Hail?")
            notes.note(PartCalls.words(part))
        }
        #expect(
            lines == [
                "true true", #"stillAnswering ["Rain?"] ["Sun?"]"#,
                "0 A ? asking Rain?, B ? asking Sun?", "1 A ? confirmed Rain?, B ? asking Sun?",
                "1 A ? answered Rain? yes, B ? asking Sun?",
                "1 A ? answered Rain? yes, B ? failed Sun? is busy with another question; ask again later",
                "1 A ? gone failed Snow? went offline, B ? failed Sun? is busy with another question; ask again later",
                "0 A ? gone failed Snow? went offline, B ? gone failed Hail? went offline",
            ]
        )
    }

    @Test("marks a lost ball, and draws when it is removed")
    func losses() {
        let lines = PartCalls.central { part, notes in
            let balls = ["A", "B"].map { BallStub($0) }
            part.sdk.devices = balls
            for ball in balls { part.deviceDiscovered(ball) }
            notes.count = 0
            part.note(.lost(name: "A"))
            notes.note(PartCalls.words(part))
            part.sdk.devices = [balls[1]]
            part.note(.connectionFailed(name: "A"))
            notes.note(PartCalls.words(part))
            part.sdk.devices = []
            part.note(.connected(name: "B"))
            notes.note(PartCalls.words(part))
            part.note(.lost(name: "B"))
            notes.note(PartCalls.words(part))
            for _ in 1..<CentralPage.lossTicks { part.tick() }
            notes.note(PartCalls.words(part))
            part.tick()
            notes.note(PartCalls.words(part))
            part.tick()
            part.note(.stateChanged(.poweredOn))
            notes.note("\(part.page.isOn)")
            part.note(.stateChanged(.poweredOff))
            notes.note("\(part.page.isOn)")
        }
        #expect(
            lines == [
                "1 A ? -, B ? -", "1 A ? gone -, B ? -", "0 A ? gone -, B ? -", "1 A ? gone -, B ? gone -",
                "0 A ? gone -, B ? gone -", "1 ", "1 true", "1 false",
            ]
        )
    }

    @Test("gives a ball the same time to answer as line mode")
    func answerTime() {
        let lines = PartCalls.central { part, notes in
            notes.add("\(part.sdk.answerTimeLimit == EightBallCentralSession.answerTimeLimit)")
        }
        #expect(lines == ["true"])
    }

    @Test("measures the signal of a ball at each twentieth tick")
    func ticks() throws {
        let world = World(seed: 1)
        let device = world.addDevice("ball")
        let ball = device.run { PeripheralPart(texts: .english, name: "Crystal", onChange: {}) }
        let central = world.addDevice("asker").run { CentralPart(texts: .english, onChange: {}) }
        try world.run(until: central.page.balls.count == 1)
        func strength(behind ticks: Int) -> Int? {
            for _ in 0..<ticks { central.tick() }
            world.advance(by: .seconds(1))
            return central.page.balls.first?.strength
        }
        // Half the distance is 6 dB more.
        #expect(strength(behind: 0) == -45)
        device.distance = 2
        #expect(strength(behind: 19) == -45)
        #expect(strength(behind: 1) == -51)
        device.distance = 1
        #expect(strength(behind: 19) == -51)
        #expect(strength(behind: 1) == -45)
        withExtendedLifetime(ball) {}
    }
}
