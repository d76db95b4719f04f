import CommandLineTool
import CoreBluetooth
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("Single calls of eightball ask")
@MainActor
struct AskSessionTests {
    private func session(_ device: String? = nil, _ texts: Texts = .english) throws -> AskSession {
        AskSession(
            question: "Rain?",
            device: device,
            timeout: 10,
            pairing: ProgramPairing(TerminalPairingAgent(.keyboardAndDisplay), try RadioOptions.parse([])),
            output: OutputFormat(isJSON: false, isVerbose: false) { _ in },
            texts: texts
        )
    }

    private static let on = ITCB_SDK_Step.stateChanged(.poweredOn)
    private static let off = ITCB_SDK_Step.stateChanged(.poweredOff)

    private static func heard(_ name: String?, _ rssi: Int, isOffered: Bool = false) -> ITCB_SDK_Step {
        .discovered(name: name, rssi: rssi, isOffered: isOffered)
    }

    private static let check = "; check --adapter and what serves it"
    private static let nobody = " was found within 10 s; start one with: eightball peripheral"
    private static let nearer = ", outside of -60 to -20 dBm; bring it nearer (about 1 m)"
    private static let offline = "\"Anna\" went offline before it could be asked, and did not come back within 10 s"
    private static let notAll = ", but lacks some of what an 8-ball has"

    @Test("says in German why there is no answer")
    func german() throws {
        let session = try session("Anna", .german)
        session.follow(Self.on)
        let end = "; starte eine mit: eightball peripheral"
        #expect(session.lateness?.line == "keine Kugel namens \"Anna\" gefunden, auch nicht nach 10 s" + end)
        session.follow(.lost(name: "Anna"))
        let line = "\"Anna\" verschwand, bevor sie gefragt werden konnte, und kam in 10 s nicht zurück"
        #expect(session.lateness?.line == line)
        let offline = ErrorWords.words(for: ITCB_RejectionReason.deviceOffline, .german)
        #expect(offline == "ist nicht mehr da" && Answers.words(for: "SLUG-ANSWER-08", .german) == "Ja.")
    }

    @Test("reports the most specific reason at the time limit, and the newest one of its kind")
    func reasons() throws {
        let (on, off, heard) = (Self.on, Self.off, Self.heard)
        let rows: [([ITCB_SDK_Step], String?, String?)] = [
            ([], nil, "Bluetooth was not ready within 10 s (unknown)" + Self.check),
            (
                [.stateChanged(.resetting)], nil,
                "Bluetooth was not ready within 10 s (resetting)" + Self.check
            ), ([on, off], nil, nil), ([off, on], nil, "no 8-ball" + Self.nobody),
            (
                [on, .connected(name: "Anna")], nil,
                "no working 8-ball was found within 10 s: \"Anna\" was connected once" + Self.notAll
            ),
            (
                [on, .connected(name: "Anna"), .connected(name: "Bert")], nil,
                "no working 8-ball was found within 10 s: \"Bert\" was connected 2 times" + Self.notAll
            ), ([on, .connected(name: "Anna"), .lost(name: "Anna")], nil, Self.offline),
            ([on, .connectionFailed(name: "Anna")], nil, Self.offline),
            (
                [on, .lost(name: "Anna"), heard("Bert", -75, false)], nil,
                "no 8-ball in range within 10 s: \"Bert\" was heard at -75 dBm" + Self.nearer
            ),
            (
                [on, heard("Bert", -75, false), heard("Carl", -19, false)], nil,
                "no 8-ball in range within 10 s: \"Carl\" was heard at -19 dBm" + Self.nearer
            ), ([on, heard("Anna", -40, true)], nil, "no 8-ball" + Self.nobody),
            ([on, heard(nil, -75, false)], nil, "no 8-ball" + Self.nobody),
            (
                [
                    on, .connected(name: "Bert"), .lost(name: "Bert"), .connectionFailed(name: "Bert"),
                    heard("Bert", -75, false),
                ], "Anna", "no 8-ball named \"Anna\"" + Self.nobody
            ),
        ]
        for (steps, device, line) in rows {
            let session = try session(device)
            for step in steps { session.follow(step) }
            #expect(session.lateness?.line == line, "\(steps)")
        }
    }

    @Test("asks the first ball that is wanted, and no other", arguments: [nil, "Bert"])
    func first(device: String?) throws {
        let session = try session(device)
        let balls = ["Anna", "Bert", "Carl"].map { BallStub($0) }
        for ball in balls + balls { session.deviceDiscovered(ball) }
        let asked = device ?? "Anna"
        #expect(balls.map(\.questions) == balls.map { $0.name == asked ? ["Rain?"] : [] })
        // An answer without words is ignored.
        session.questionAnsweredByDevice(balls[0])
        #expect(session.lateness?.line == "\"\(asked)\" did not answer within 10 s")
    }

    @Test("lists balls of other names at the time limit, in the order in which they were found")
    func others() throws {
        let session = try session("Carl")
        session.follow(Self.on)
        let balls = ["Bert", "Anna"].map { BallStub($0) }
        for ball in balls { session.deviceDiscovered(ball) }
        #expect(balls.map(\.questions) == [[], []])
        #expect(
            session.lateness?.line == "no 8-ball named \"Carl\" was found within 10 s; there is \"Bert\", \"Anna\""
        )
    }

    @Test("ends on an error of the ball that was asked, and on no other")
    func errors() throws {
        let session = try session()
        let error = ITCB_Errors.sendFailed(ITCB_RejectionReason.deviceBusy)
        #expect(session.failure(of: error) == nil)
        let ball = BallStub("Anna")
        session.deviceDiscovered(ball)
        #expect(session.failure(of: error) == nil)
        ball.error = error
        let failure = session.failure(of: .unknown(nil))
        #expect(failure?.line == "\"Anna\" is busy with another question; ask again later")
    }

    @Test("ends on lost keys only if the ball that was lost last is wanted")
    func lostKeys() throws {
        let session = try session("Bert")
        let error = ITCB_Errors.coreBluetooth(CBError(.peerRemovedPairingInformation))
        #expect(session.failure(of: error) == nil)
        session.follow(.lost(name: "Bert"))
        session.follow(.connectionFailed(name: "Anna"))
        #expect(session.failure(of: error) == nil)
        session.follow(.connectionFailed(name: "Bert"))
        for other in [
            .coreBluetooth(CBError(.connectionTimeout)), .sendFailed(CBError(.peerRemovedPairingInformation)),
            .coreBluetooth(nil),
        ] as [ITCB_Errors] { #expect(session.failure(of: other) == nil) }
        #expect(session.failure(of: error)?.line.hasPrefix("\"Bert\" refused: ") == true)
    }
}
