// Lesson 7: messages in pieces.

import CoreBluetooth
import Foundation

extension Lesson {
    static let messages = Lesson(
        number: 7,
        key: "messages",
        title: "Messages in pieces",
        summary: "Send property lists of any length, as fast as the other side accepts them.",
        introduction: """
            From here on there are other devices: a speaker that has something to say, and a listener. They exchange \
            messages, each a dictionary of strings, encoded as a binary property list. A message may be longer than a \
            packet of the Attribute Protocol, so it is cut into pieces.

            This is the idea of `BlueEar`, the messenger of this package, in its smallest form. `docs/blueear.md` \
            describes what else a messenger needs: checksums, retransmission, messages in the other direction.
            """,
        file: "Messages.swift",
        steps: [
            Step(
                "Pieces",
                """
                One octet before each piece says whether more follow. Two rules protect the receiver: it limits how \
                much it keeps of what another device sends, and it decodes the octets only as the type that it \
                expects.
                """
            ),
            Step(
                "Who speaks",
                """
                The speaker is a peripheral, like the ball. It has one characteristic, which notifies.
                """
            ),
            Step(
                "As fast as the listener takes it",
                """
                `maximumUpdateValueLength` is the length of the longest value for this central; a longer one would be \
                cut off silently. `updateValue` returns false if the transmit queue is full; then the piece is kept, \
                and sent when `peripheralManagerIsReady(toUpdateSubscribers:)` is called.
                """
            ),
            Step(
                "Who listens",
                """
                The listener finds the speaker and subscribes. While the connection lasts, notifications arrive in \
                order and none is lost. A new connection starts without the pieces of the old one.
                """
            ),
        ],
        observations: [
            Observation(
                "→ ATT Exchange MTU Request",
                "The two agree on the longest packet of the Attribute Protocol, the MTU. The smaller offer counts."
            ),
            Observation("updateValue(512 octets", "The first piece. It is as long as a value may be."),
            Observation("app: message of 900 characters", "The message, once its last piece has arrived."),
        ],
        experiments: [
            Experiment("mtu-185", "the listener offers an MTU of 185 octets, as iPhones do"),
            Experiment("mtu-23", "the listener offers an MTU of 23 octets, the smallest one"),
        ],
        question: Question(
            text: """
                The listener offers an MTU of 185 octets. A notification has a header of three octets, and each piece \
                begins with one of its own. How many notifications does the message take?
                """,
            experiment: "mtu-185",
            wrongAnswers: ["2", "5"],
            explanation: """
                Count the lines `→ ATT Notification` of the speaker: each value has at most 182 octets, 181 of them \
                from the message. The property list adds some octets to the 900 of the text.
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
            // Once sent and once received.
            try run.until("Exchange MTU Response", count: 2)
            run.leaveOut("The listener explores the speaker, as in lesson 2.", until: "didDiscoverCharacteristicsFor")
            try run.until("message of")
        }
    )
}
