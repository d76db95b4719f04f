// Lesson 10: the lock.

import CoreBluetooth
import Foundation

extension Lesson {
    static let lock = Lesson(
        number: 10,
        key: "lock",
        title: "The lock and its key",
        summary: "Open a door to a key that proves a secret, while the key is near.",
        introduction: """
            A door that opens when its owner comes home, with the phone still in a pocket: that is what the background \
            is for. But anybody can connect to the lock, and anybody near can record what is sent. So the key does not \
            send its secret. The lock sends a number that it has never used before, the challenge, and the key returns \
            a response that only the owner of the secret can compute from it.

            This does not prove that the key is near: two radios in between can relay everything. And the door is only \
            an example; `docs/blueear.md` says more about what it does and does not protect against.
            """,
        file: "Lock.swift",
        steps: [
            Step(
                "The proof",
                """
                The response is a keyed hash of the challenge, an HMAC. On Apple's platforms CryptoKit provides it; \
                here swift-crypto does, under the same name.
                """
            ),
            Step(
                "The lock",
                """
                Each central has its own challenge. The door is open while a central that has proved the secret is \
                connected.
                """
            ),
            Step(
                "One challenge, one try",
                """
                A central that subscribes gets a challenge. The first response uses it up, right or wrong. A central \
                that disconnects is reported as one that unsubscribes: then the door closes.
                """
            ),
            Step(
                "The key",
                """
                The key is a listener that answers. With the request of lesson 8 and the identifier of lesson 9, it \
                opens the door from your pocket.
                """
            ),
        ],
        observations: [
            Observation(
                "updateValue(16 octets",
                """
                The challenge, sent to this central alone. A real one is random; here it is a counter, so that every \
                run is the same.
                """
            ),
            Observation("writeValue(32 octets", "The response. The secret is in no packet."),
            Observation("app: the door is open", "The lock has accepted the response."),
            Observation("app: the door is closed", "The key is out of reach, and its connection is lost."),
        ],
        experiments: [
            Experiment("replay", "a thief has recorded the first response, and sends it to the lock again")
        ],
        question: Question(
            text: """
                A thief has recorded a correct response and sends it to the lock. It does not match the new challenge, \
                so the lock refuses it. Which number does the error in that packet have, in hexadecimal?
                """,
            experiment: "replay",
            wrongAnswers: ["0x05", "0x0E"],
            explanation: """
                `Error Response … Insufficient Authorization (0x08)`. The lock chooses the number; 0x05 or 0x0F would \
                make the other system pair, which would not help here.
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
            // The same numbers in each run; a real lock uses random ones.
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
                run.leaveOut("It checks whether the lock has changed.", until: "didDiscoverCharacteristicsFor")
                try run.until("the door is open", count: 2)
            }
        }
    )
}
