// Lesson 11: pairing by code.

import CoreBluetooth
import Foundation
import Synchronization

extension Lesson {
    static let pairing = Lesson(
        number: 11,
        key: "pairing",
        title: "Pair with a code",
        summary: "Require a paired connection, and let two users make sure whom they pair with.",
        introduction: """
            So far, the connections are not encrypted, and nobody knows who is at the other end. Two devices that pair \
            agree on keys. One of them shows a code, and the user of the other one enters it, which makes sure that no \
            third device is between them. The keys are kept, so the code is entered only once.
            """,
        file: "Pairing.swift",
        steps: [
            Step(
                "A ball for friends",
                """
                Core Bluetooth has no call for pairing. Instead, a permission requires encryption: a request without \
                it is refused, and the system of the requesting device pairs and sends the request again. The code of \
                the asking app does not change: its write takes longer, or fails.
                """
            ),
            Step(
                "The user of the ball",
                """
                On a phone the system shows the code. On Linux that is the program's job, so it gives its adapter a \
                `PairingAgent`. This one can show a code, and nothing else.
                """
            ),
            Step(
                "The user of the phone",
                """
                This one can enter a code. The capabilities of the two agents decide how the devices pair: two that \
                can neither show nor enter anything pair without a code, which protects only against eavesdroppers.
                """
            ),
        ],
        observations: [
            Observation(
                "Insufficient Authentication",
                "The ball refuses the question: the connection is not encrypted. The app is not told."
            ),
            Observation("→ SMP Pairing Request", "Instead, the phone's system starts to pair."),
            Observation("app: code", "The ball shows the code, and somebody who reads it enters it on the phone."),
            Observation(
                "SMP Pairing Random",
                "The two prove to each other that they have the same code, one bit after the other."
            ),
            Observation("app: delivered", "The write is repeated on the encrypted connection, and succeeds."),
        ],
        experiments: [Experiment("wrong-code", "the user of the phone enters a wrong code")],
        question: Question(
            text: """
                The user enters a wrong code. The packet `Pairing Failed` carries a number for the reason. Which one \
                is it, in hexadecimal?
                """,
            experiment: "wrong-code",
            wrongAnswers: ["0x01", "0x0B"],
            explanation: """
                The line `SMP Pairing Failed` ends with it: 04 is Confirm Value Failed (Vol 3, Part H, 3.5.5). A value \
                that one side had sent does not match the code of the other side. Here the very first bit of the code \
                is wrong. The app gets an error for its write, and can let the user try again.
                """,
            answer: { trace in
                let line = trace.first { $0.layer == "SMP" && $0.text.hasPrefix("Pairing Failed") }?.text
                return line?.split(separator: " ").last.map { "0x\($0)" }
            }
        ),
        play: { run in
            let shown = Mutex("")
            let display = CodeDisplay { code in shown.withLock { $0 = code } }
            let isWrong = run.isTrying("wrong-code")
            let entry = CodeEntry {
                let code = shown.withLock { $0 }
                // The next number has another last bit, which is compared first.
                return isWrong ? String(format: "%06d", ((Int(code) ?? 0) + 1) % 1_000_000) : code
            }
            run.leaveOut(
                "The phone finds the ball and explores it, as in lessons 1 and 2.",
                until: "didDiscoverCharacteristicsFor"
            )
            let ball = run.world.addDevice("ball", pairingAgent: display)
            let magic = run.start(on: ball) { MagicBall.forFriends(name: "Crystal") }
            magic.answer = { _ in "Yes." }
            try run.until("Start advertising")
            let phone = run.world.addDevice("phone", pairingAgent: entry)
            let app = run.start(on: phone) { Questions(["Will it rain?"], show: run.screen(of: "phone")) }
            app.prepare = { $0.confirmDelivery() }
            let screen = run.screen(of: "ball")
            try run.until { shown.withLock { !$0.isEmpty } }
            screen("code: \(shown.withLock { $0 })")
            guard !isWrong else { return try run.until("error: ") }
            // Those of both sides, each sent and received.
            try run.until("Pairing Random", count: 4)
            run.leaveOut("The same for the other nineteen bits of the code.", until: "DHKey Check")
            try run.until("answer: ")
        }
    )
}
