// Lesson 3: the periphery.

import CoreBluetooth

extension Lesson {
    static let peripheral = Lesson(
        number: 3,
        key: "peripheral",
        title: "Be a ball",
        summary: "Publish a service, advertise it, take what is written, and notify who has subscribed.",
        introduction: """
            The other side. A peripheral has the data: it decides which services there are, what may be done with \
            each characteristic, and what comes of a write. A central can only ask.
            """,
        file: "MagicBall.swift",
        steps: [
            Step(
                "The ball",
                """
                The peripheral manager is made and kept like a central manager. The closures are what later lessons \
                change: how the ball finds an answer, and what it says to a question.
                """
            ),
            Step(
                "The service",
                """
                Properties say what a characteristic can do, and every central sees them. Permissions say what is \
                allowed, and the peripheral enforces them. A value that is given here is fixed for ever; `nil` makes \
                it the app's own. The ball advertises when `didAdd` says that the service is there, so nobody \
                connects to a ball without one.
                """
            ),
            Step(
                "Questions in, answers out",
                """
                A write comes to `didReceiveWrite` as requests. Several belong together, and the response to the \
                first answers all of them; a question is one request. Then the answer goes out with `updateValue`. It \
                needs no response, and goes to those that have subscribed.
                """
            ),
        ],
        observations: [
            Observation("add(service 8E38140A…)", "The service goes into the ball's database, and gets handles there."),
            Observation(
                "→ GAP Set advertising data",
                """
                An advertisement has 31 octets. The flags and a service of 128 bits take 21 of them. A name that fits \
                into the rest stands beside them, a longer one goes into the scan response, and only its beginning.
                """
            ),
            Observation("didSubscribeTo 349A0D7B…", "The central listens now."),
            Observation("didReceiveWrite of", "The question, with its length in octets."),
            Observation("updateValue(", "The answer. The line below it is the packet."),
        ],
        experiments: [Experiment("long-name", "the ball is called \"The Oracle of Delphi\"")],
        question: Question(
            text: """
                A ball is called "The Oracle of Delphi". Its advertisement has no space for all of that. Under which \
                name does the phone discover it?
                """,
            experiment: "long-name",
            wrongAnswers: ["The Oracle of Delphi", "Nothing: the name is left out"],
            explanation: """
                The line of `didDiscover` has it, and the one above it the scan response: ten octets of the name. On \
                an iPhone, too, apps that advertise should have short names.
                """,
            answer: { trace in
                let line = trace.first { $0.text.hasPrefix("didDiscover") }?.text
                return line?.split(separator: "\"").dropFirst().first.map(String.init)
            }
        ),
        play: { run in
            let ball = run.world.addDevice("ball")
            let name = run.isTrying("long-name") ? "The Oracle of Delphi" : "Crystal"
            let magic = run.start(on: ball) { MagicBall(name: name) }
            let show = run.screen(of: "ball")
            magic.answer = { question in
                show("is asked: \(question)")
                return "Yes."
            }
            try run.until("peripheralManagerDidStartAdvertising")
            let phone = run.world.addDevice("phone")
            run.start(on: phone) { Questions(["Will it rain?"], show: run.screen(of: "phone")) }
            try run.until("didConnect")
            run.leaveOut("The phone explores the ball, as in lesson 2.", until: "didDiscoverCharacteristicsFor")
            try run.until("answer: ")
        }
    )
}
