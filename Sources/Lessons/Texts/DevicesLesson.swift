// Lesson 6: several devices.

import CoreBluetooth

extension Lesson {
    static let devices = Lesson(
        number: 6,
        key: "devices",
        title: "Many at once",
        summary: "Ask several balls at once, and answer several centrals without mixing them up.",
        introduction: """
            Nothing in the code so far depends on the number of devices. The scan continues after the first ball, each \
            ball has its own `Ball`, and a peripheral manager serves as many centrals as connect. Two things are \
            missing: an app for many balls, and a ball that knows whom it answers.
            """,
        file: "ManyDevices.swift",
        steps: [
            Step(
                "One question to every ball",
                """
                The survey asks each ball as soon as it is ready. The callbacks of different balls come in any order; \
                each one passes the `Ball` that it belongs to.
                """
            ),
            Step(
                "An answer for the one who asked",
                """
                With `nil` for its centrals, `updateValue` notifies all subscribers. But an answer is for one of them: \
                `request.central` is the one that wrote the question.
                """
            ),
        ],
        observations: [
            Observation("connect(\"Crystal\")", "The scan continues while this connection is established."),
            Observation(
                "connect(\"Onyx\")",
                """
                The second one. A controller establishes one connection at a time, so Core Bluetooth cancels the \
                pending request and makes a new one for both devices; the controller connects to the one that it hears \
                first.
                """
            ),
            Observation("app: Crystal: Yes.", "Each ball has its own answer,"),
            Observation("app: Onyx: No.", "and gives it in its own time."),
        ],
        experiments: [
            Experiment("everybody", "a phone and a tablet ask one ball, one after the other; answers go to everybody"),
            Experiment("private", "the same, but answers go only to the one who asked"),
        ],
        question: Question(
            text: """
                A phone and a tablet ask one ball, the tablet once the phone has its answer. The ball notifies \
                everybody. How many notifications does it send for the two questions?
                """,
            experiment: "everybody",
            wrongAnswers: ["2", "4"],
            explanation: """
                One for the first question, because only the phone has subscribed by then, and two for the second. \
                With `--try private` there is one for each, and no phone gets the answer to another one's question.
                """,
            answer: { trace in
                "\(trace.count { $0.device == "Crystal" && $0.kind == .sent && $0.text.hasPrefix("Notification") })"
            }
        ),
        play: { run in
            let ball = run.world.addDevice("Crystal")
            let crystal = run.start(on: ball) { MagicBall(name: "Crystal") }
            crystal.answer = { _ in "Yes." }
            try run.until("Start advertising")
            guard run.experiment == nil else {
                if run.isTrying("private") { crystal.answerInPrivate() }
                for name in ["phone", "tablet"] {
                    run.heading("The \(name) asks")
                    let device = run.world.addDevice(name)
                    run.start(on: device) { Questions(["Will it rain?"], show: run.screen(of: name)) }
                    run.leaveOut("It finds and explores the ball.", until: "didDiscoverCharacteristicsFor")
                    try run.until(name, shows: "answer: ")
                }
                // Lets late packets arrive.
                run.world.advance(by: .milliseconds(100))
                return
            }
            let other = run.world.addDevice("Onyx")
            let onyx = run.start(on: other) { MagicBall(name: "Onyx") }
            onyx.answer = { _ in "No." }
            try run.until("Start advertising", count: 2)
            let phone = run.world.addDevice("phone")
            let show = run.screen(of: "phone")
            let survey = run.start(on: phone) { Survey("Will it rain?", clock: run.clock(of: phone)) }
            survey.onOpinion = { show("\($0): \($1)") }
            try run.until("didConnect", count: 2)
            run.leaveOut("The phone explores both balls, as in lesson 2.", until: "didDiscoverCharacteristicsFor")
            try run.until("phone", shows: "Crystal: ")
            try run.until("phone", shows: "Onyx: ")
        }
    )
}
