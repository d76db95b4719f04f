// Lesson 2: the peripheral's delegate.

import CoreBluetooth

extension Lesson {
    static let delegates = Lesson(
        number: 2,
        key: "delegates",
        title: "Ask it a question",
        summary: "Discover services and characteristics, subscribe, write, and receive the answer.",
        introduction: """
            A connection alone tells you nothing about what the other device offers. A `CBPeripheral` holds what this \
            device knows about a peripheral: at first its identifier and its name, then what you discover. Each \
            discovery asks the peripheral over the air, and each result comes to the delegate of the `CBPeripheral`.
            """,
        file: "Ball.swift",
        steps: [
            Step(
                "A ball, as the central sees it",
                """
                One `Ball` object per ball is the delegate of that ball's `CBPeripheral`, so the answers of two balls \
                cannot be mixed up. Closures tell the app what it needs to know.
                """
            ),
            Step(
                "Discovery",
                """
                First come the services, then the characteristics of a service. Both calls name what you want; `nil` \
                would discover everything, and cost more packets. Each call has one callback; until then, `services` \
                and `characteristics` are `nil`.
                """
            ),
            Step(
                "The question",
                """
                The subscription comes before the question. In the other order, a fast ball could answer before \
                anybody listens. `didUpdateNotificationStateFor` says that the ball has switched notifications on; \
                only then is the question written, as the octets of its text.
                """
            ),
            Step(
                "The answer",
                """
                A notification arrives in `didUpdateValueFor`, and so would the result of a read. Its octets are in \
                the characteristic's `value`.
                """
            ),
            Step(
                "The app",
                """
                The app puts the two together. The closures that it gives to each `Ball` do not retain the app; \
                otherwise neither could ever be released.
                """
            ),
        ],
        observations: [
            Observation(
                "→ ATT Find By Type Value Request 0x0001-0xFFFF, type 2800, 1801",
                """
                The app did not ask for this. Core Bluetooth first finds out whether the ball has service 1801, which \
                announces changes: if it does, Core Bluetooth can keep what it discovers. It asks once for each \
                device.
                """
            ),
            Observation(
                "→ ATT Find By Type Value Request 0x0001-0xFFFF, type 2800, 8E38140A",
                """
                `discoverServices` with a UUID: which service has this type? The request is repeated for the handles \
                after each match, until there are no more.
                """
            ),
            Observation(
                "→ ATT Read By Type Request 0x000E-0x0013, type 2803",
                """
                `discoverCharacteristics` reads the declarations of the characteristics. Each characteristic has a \
                handle, which later packets use to name it.
                """
            ),
            Observation(
                "setNotifyValue(true, for: 349A0D7B…)",
                "A subscription is a write, too: of the value 1 to a descriptor of the answer."
            ),
            Observation(
                "→ ATT Write Command",
                "The question. A Write Command has no response: nothing says that the ball has received it."
            ),
            Observation("← ATT Notification", "The answer, which the ball sends on its own."),
        ],
        experiments: [Experiment("twice", "the app asks two questions, one after the other")],
        question: Question(
            text: """
                The app asks two questions. Counting from the line `app: question`, how many Write Requests does the \
                phone send for both?
                """,
            experiment: "twice",
            wrongAnswers: ["2", "4"],
            explanation: """
                The phone sends one `→ ATT Write Request`: the subscription, which lasts. The questions are Write \
                Commands. (The two requests before that line are Core Bluetooth's own.)
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
