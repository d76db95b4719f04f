// Lesson 2: the peripheral's delegate.

import CoreBluetooth

extension Lesson {
    static let delegates = Lesson(
        number: 2,
        key: "delegates",
        title: "Ask it a question",
        summary: "Discover services and characteristics, subscribe, write, and hear the answer.",
        introduction: """
            A connection alone says nothing of what the other device has. A `CBPeripheral` is what this device knows \
            of a peripheral: at first its identifier and its name, then what you let it discover. All of that is \
            asked of the peripheral over the air, and all answers come to its delegate.
            """,
        file: "Ball.swift",
        steps: [
            Step(
                "A ball, as the central sees it",
                """
                One object for each ball is the delegate of that ball's `CBPeripheral`. So the answers of two balls \
                cannot be mixed up. What the app is to know goes out through closures.
                """
            ),
            Step(
                "Discovery",
                """
                First the services, then the characteristics of a service. Both calls name what is wanted. `nil` in \
                its place asks for everything, and costs more packets. Each call has one callback; `services` and \
                `characteristics` are `nil` before it.
                """
            ),
            Step(
                "The question",
                """
                The subscription comes before the question. Were it the other way round, a fast ball could answer \
                before anybody listens. `didUpdateNotificationStateFor` says that the ball has switched notifications \
                on, and only then is the question written, as the octets of its text.
                """
            ),
            Step(
                "The answer",
                """
                A notification comes to `didUpdateValueFor`, and so would the answer to a read. Its octets are in the \
                characteristic's `value`.
                """
            ),
            Step(
                "The app",
                """
                The app puts the two together. It gives each `Ball` closures that do not keep the app itself, or \
                neither could ever be released.
                """
            ),
        ],
        observations: [
            Observation(
                "→ ATT Find By Type Value Request 0x0001-0xFFFF, type 2800, 1801",
                """
                No call of the app. Core Bluetooth asks first whether it can keep what it discovers, and whether the \
                ball says when that changes: service 1801. It does this once for each device.
                """
            ),
            Observation(
                "→ ATT Find By Type Value Request 0x0001-0xFFFF, type 2800, 8E38140A",
                """
                `discoverServices` with a UUID: where is the service of this type? The request is repeated behind \
                what was found, until there is no more.
                """
            ),
            Observation(
                "→ ATT Read By Type Request 0x000E-0x0013, type 2803",
                """
                `discoverCharacteristics` reads the declarations of the characteristics. Each has a handle, by which \
                later packets name it.
                """
            ),
            Observation(
                "setNotifyValue(true, for: 349A0D7B…)",
                "A subscription is a write, too: to a descriptor of the answer, with the value 1."
            ),
            Observation(
                "→ ATT Write Command",
                "The question. A Write Command has no answer: nothing says that the ball has taken it."
            ),
            Observation("← ATT Notification", "The answer, which the ball sends by itself."),
        ],
        experiments: [Experiment("twice", "the app asks two questions, one after the other")],
        question: Question(
            text: """
                The app asks two questions. From the line `app: question` on, how many Write Requests does the phone \
                send for both?
                """,
            experiment: "twice",
            wrongAnswers: ["2", "4"],
            explanation: """
                There is one line `→ ATT Write Request` of the phone: the subscription, which lasts. The questions \
                are Write Commands. (The two requests before are Core Bluetooth's own.)
                """,
            answer: { trace in
                let asking = trace.drop { !$0.text.hasPrefix("question: ") }
                return "\(asking.count { $0.kind == .sent && $0.text.hasPrefix("Write Request") })"
            }
        ),
        play: { run in
            let ball = run.world.addDevice("ball")
            let magic = run.start(on: ball) { MagicBall(name: "Crystal") }
            magic.answer = { _ in "Yes." }
            try run.until("Start advertising")
            let phone = run.world.addDevice("phone")
            let questions = ["Will it rain?", "And tomorrow?"].prefix(run.isTrying("twice") ? 2 : 1)
            run.start(on: phone) { Questions(Array(questions), show: run.screen(of: "phone")) }
            try run.until("answer: ", count: questions.count)
        }
    )
}
