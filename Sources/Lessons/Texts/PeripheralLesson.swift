// Lesson 3: the peripheral.

import CoreBluetooth

extension Lesson {
    static let peripheral = Lesson(
        number: 3,
        key: "peripheral",
        title: "Be a ball",
        summary: "Publish a service, advertise it, accept writes, and notify subscribers.",
        introduction: """
            Now the other side. A peripheral has the data: it decides which services it offers, what may be done with \
            each characteristic, and what a write leads to. A central can only ask.
            """,
        file: "MagicBall.swift",
        steps: [
            Step(
                "The ball",
                """
                The peripheral manager is created and kept like a central manager. Later lessons change the closures: \
                how the ball finds an answer, and how it responds to a question.
                """
            ),
            Step(
                "The service",
                """
                Properties say what a characteristic can do, and every central sees them. Permissions say what is \
                allowed, and the peripheral enforces them. A value that is given here never changes; with `nil` the \
                app provides the value itself. The ball advertises once `didAdd` says that the service is published, \
                so nobody connects to a ball without one.
                """
            ),
            Step(
                "Questions in, answers out",
                """
                A write arrives in `didReceiveWrite` as an array of requests. They belong together, and one response, \
                to the first, answers all of them; a question is a single request. Then `updateValue` sends the \
                answer. It needs no response, and goes to all subscribers.
                """
            ),
        ],
        observations: [
            Observation(
                "add(service 8E38140A…)",
                "The service is added to the ball's database, where it gets handles."
            ),
            Observation(
                "→ GAP Set advertising data",
                """
                An advertisement has 31 octets. The flags and one 128-bit service UUID take 21 of them. A name that \
                fits into the rest goes there; a longer one is shortened and goes into the scan response.
                """
            ),
            Observation("didSubscribeTo 349A0D7B…", "The central has subscribed."),
            Observation("didReceiveWrite of", "The question, with its length in octets."),
            Observation("updateValue(", "The answer. The line below it is the packet."),
        ],
        experiments: [Experiment("long-name", "the ball is called \"The Oracle of Delphi\"")],
        question: Question(
            text: """
                A ball is called "The Oracle of Delphi". Its advertisement has no room for the whole name. Under which \
                name does the phone discover it?
                """,
            experiment: "long-name",
            wrongAnswers: ["The Oracle of Delphi", "Nothing: the name is left out"],
            explanation: """
                The line of `didDiscover` shows it, and the scan response in the line above it has these ten octets of \
                the name. Apps that advertise should have short names, on an iPhone as well.
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
