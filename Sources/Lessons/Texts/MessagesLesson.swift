// Lesson 7: messages in pieces.

import CoreBluetooth
import Foundation

extension Lesson {
    static let messages = Lesson(
        number: 7,
        key: "messages",
        title: "Messages in pieces",
        summary: "Send property lists of any length, as fast as the other side takes them.",
        introduction: """
            From here on the devices are others: a speaker that has something to say, and a listener. They pass \
            messages, each a dictionary of texts, written as a binary property list. A message may be longer than \
            what one packet of the Attribute Protocol holds, so it is cut.

            This is the idea of `BlueEar`, the messenger of this package, in its smallest form. `docs/blueear.md` has \
            what a messenger needs beyond that: checksums, repetition, messages in the other direction.
            """,
        file: "Messages.swift",
        steps: [
            Step(
                "Pieces",
                """
                One octet before each piece says whether more follow. Two rules protect the one that puts them \
                together: it keeps only so much of what another device sends, and it decodes the octets as the one \
                type that it expects.
                """
            ),
            Step(
                "Who speaks",
                """
                The speaker is a peripheral like the ball. It has one characteristic, which notifies.
                """
            ),
            Step(
                "As fast as the listener takes it",
                """
                `maximumUpdateValueLength` says how long a value for this central may be. What is longer would be cut \
                off without a word. `updateValue` returns false where the transmit queue is full; then the piece \
                stays, and goes out when `peripheralManagerIsReady(toUpdateSubscribers:)` is called.
                """
            ),
            Step(
                "Who listens",
                """
                The listener finds the speaker and subscribes. Notifications arrive in order and none is missing as \
                long as the connection lasts, so a new connection begins with no pieces.
                """
            ),
        ],
        observations: [
            Observation(
                "→ ATT Exchange MTU Request",
                "The two agree on the longest packet of the Attribute Protocol, the MTU. The smaller offer counts."
            ),
            Observation("updateValue(512 octets", "A first piece. It is as long as a value may be."),
            Observation("app: message of 900 characters", "The message, when its last piece is there."),
        ],
        experiments: [
            Experiment("mtu-185", "the listener offers an MTU of 185 octets, as iPhones do"),
            Experiment("mtu-23", "the listener offers an MTU of 23 octets, the least that there is"),
        ],
        question: Question(
            text: """
                The listener offers an MTU of 185 octets. A notification has a header of three, and each piece has an \
                octet of its own. In how many notifications does the message go?
                """,
            experiment: "mtu-185",
            wrongAnswers: ["2", "5"],
            explanation: """
                Count the lines `→ ATT Notification` of the speaker: each has 182 octets at most, 181 of them of the \
                message. The property list adds some octets to the 900 of the text.
                """,
            answer: { trace in
                "\(trace.count { $0.device == "speaker" && $0.kind == .sent && $0.text.hasPrefix("Notification") })"
            }
        ),
        play: { run in
            let speaker = run.world.addDevice("speaker")
            let text = String(repeating: "Darkness. ", count: 90)
            run.start(on: speaker) { Speaker(["Hello": text]) }
            try run.until("Start advertising")
            let mtu = run.isTrying("mtu-185") ? 185 : run.isTrying("mtu-23") ? 23 : 517
            let listener = run.world.addDevice("listener", mtu: mtu)
            let show = run.screen(of: "listener")
            run.start(on: listener) {
                Listener { show("message of \($0["Hello"]?.count ?? 0) characters") }
            }
            // Sent once and received once.
            try run.until("Exchange MTU Response", count: 2)
            run.leaveOut("The listener explores the speaker, as in lesson 2.", until: "didDiscoverCharacteristicsFor")
            try run.until("message of")
        }
    )
}
