// Lesson 10: the lock.

import CoreBluetooth
import Foundation

extension Lesson {
    static let lock = Lesson(
        number: 10,
        key: "lock",
        title: "The lock and its key",
        summary: "Open a door to a key that proves a secret, as long as the key is near.",
        introduction: """
            A door that opens when its owner comes home, with the phone in the pocket, is what the background is for. \
            But anybody can connect to the lock, and everybody near can record what passes. So the key does not send \
            its secret. The lock sends a number that it has never used before, the challenge, and the key sends back \
            what only the owner of the secret can compute from it.

            It does not prove that the key is near: two radios in between can pass everything on. And the door is an \
            example; `docs/blueear.md` says more of what it does and does not protect.
            """,
        file: "Lock.swift",
        steps: [
            Step(
                "The proof",
                """
                The response is a keyed hash of the challenge, an HMAC. CryptoKit has it on Apple's platforms, \
                swift-crypto under the same name here.
                """
            ),
            Step(
                "The lock",
                """
                Each central has its own challenge. The door is open while one of those that have proved the secret \
                is connected.
                """
            ),
            Step(
                "One challenge, one try",
                """
                A central that subscribes gets a challenge. The first response to it takes the challenge away, right \
                or wrong. A central that is lost is one that has unsubscribed: then the door closes.
                """
            ),
            Step(
                "The key",
                """
                The key is a listener that answers. With the request of lesson 8 and the identifier of lesson 9 it \
                opens the door from the pocket.
                """
            ),
        ],
        observations: [
            Observation(
                "updateValue(16 octets",
                """
                The challenge, sent to this central alone. A real one is random; here it counts, so that each run is \
                the same.
                """
            ),
            Observation("writeValue(32 octets", "The response. The secret is in no packet."),
            Observation("app: the door is open", "The lock has found the response right."),
            Observation("app: the door is closed", "The key is out of reach, and its connection is lost."),
        ],
        experiments: [
            Experiment("replay", "a thief has recorded the first response, and sends it to the lock again")
        ],
        question: Question(
            text: """
                A thief has recorded a right response and sends it to the lock. It does not fit the new challenge, \
                and the lock refuses it. Which number, in hexadecimal digits, has the error in that packet?
                """,
            experiment: "replay",
            wrongAnswers: ["0x05", "0x0E"],
            explanation: """
                `Error Response … Insufficient Authorization (0x08)`. The number of an error says what the peripheral \
                wanted to say; 0x05 and 0x0F would make the system pair, which would not help here.
                """,
            answer: { trace in
                let line = trace.last { $0.device == "lock" && $0.text.hasPrefix("Error Response") }?.text
                return line?.split(separator: "(").last.map { String($0.prefix { $0 != ")" }) }
            }
        ),
        play: { run in
            let door = run.world.addDevice("lock")
            run.leaveOut(
                "The phone finds the lock and explores it, as in lessons 1 and 2.",
                until: "didDiscoverCharacteristicsFor"
            )
            let lock = run.start(on: door) { DoorLock(secret: "sesame") }
            var count: UInt8 = 0
            // Numbers that are the same in each run; a lock takes random ones.
            lock.makeChallenge = {
                count += 1
                return Data(repeating: count, count: 16)
            }
            let show = run.screen(of: "lock")
            lock.onChange = { show("the door is \($0 ? "open" : "closed")") }
            try run.until("Start advertising")
            let phone = run.world.addDevice("phone")
            var recorded = Data()
            run.start(on: phone) {
                DoorKey { challenge in
                    recorded = Door.response(to: challenge, secret: "sesame")
                    return recorded
                }
            }
            try run.until("the door is open")
            run.heading("The owner leaves")
            phone.distance = 1000
            try run.until("the door is closed")
            if run.isTrying("replay") {
                run.heading("The thief comes")
                let thief = run.world.addDevice("thief")
                let display = run.screen(of: "thief")
                let key = run.start(on: thief) { DoorKey { _ in recorded } }
                key.onVerdict = { display($0.map { "refused: \($0.localizedDescription)" } ?? "it opens") }
                try run.until("didConnect", count: 2)
                run.leaveOut("It explores the lock.", until: "didDiscoverCharacteristicsFor")
                try run.until("refused: ")
            } else {
                run.heading("The owner comes home")
                phone.distance = 2
                try run.until("didConnect", count: 2)
                run.leaveOut("It looks whether the lock has changed.", until: "didDiscoverCharacteristicsFor")
                try run.until("the door is open", count: 2)
            }
        }
    )
}
