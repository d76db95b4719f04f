// Lesson 5: errors.

import CoreBluetooth

extension Lesson {
    static let errors = Lesson(
        number: 5,
        key: "errors",
        title: "When it goes wrong",
        summary: "Turn everything that can happen to a question into one result, which the app gets once.",
        introduction: """
            A ball can be out of reach, switched off or busy. It can refuse a question, or accept it and never answer. \
            Core Bluetooth reports some of this as an error of a call, some as a lost connection, and some not at all. \
            An app wants to know one thing: what became of my question?
            """,
        file: "Asker.swift",
        steps: [
            Step(
                "What can go wrong",
                """
                Errors of the other device are `CBATTError`s; errors of the connection are `CBError`s. The app gets \
                neither, but one word that it can show. An unforeseen error is passed on unchanged.
                """
            ),
            Step(
                "Losing a ball",
                """
                A lost connection is reported to `didDisconnectPeripheral`, one that could not be established to \
                `didFailToConnect`. Both call `connect` again. That request has no time limit: it waits until the ball \
                is back, however long that takes.
                """
            ),
            Step(
                "One word for each question",
                """
                Each question has a number and two seconds. It can end only in `finish`, which lets only the first \
                result pass, so a late answer is never taken for the answer to the next question. The clock is a \
                parameter, so a test can supply its own.
                """
            ),
        ],
        observations: [
            Observation("app: questionPlease", "The ball has refused: an error of the other device."),
            Observation("app: busy", "Refused by the app itself. No packet was needed."),
            Observation(
                "→ ATT Read By Type Request 0x0001-0xFFFF, type 2A00",
                """
                The app did not ask for this, and it has nothing to do with the question: a second after connecting, \
                Core Bluetooth reads the name that the device gives itself.
                """
            ),
            Observation(
                "app: noAnswer",
                "Two seconds after the question. The ball has confirmed it but not answered, and no packet says so."
            ),
        ],
        experiments: [Experiment("away", "the ball is carried out of reach, and back")],
        question: Question(
            text: """
                The ball is carried out of reach while a question waits. No packet says so. After how many \
                milliseconds without a packet does the phone give up the connection?
                """,
            experiment: "away",
            wrongAnswers: ["2000", "30"],
            explanation: """
                After the supervision timeout, which was set when the two connected: the line `Connected to ball` \
                shows it. `didDisconnectPeripheral` is called that long after the last packet, and the question ends \
                with `offline` before its two seconds are over.
                """,
            answer: { trace in
                let line = trace.first { $0.device == "phone" && $0.text.hasPrefix("Connected to") }?.text
                return line?.components(separatedBy: "timeout ").last?.split(separator: " ").first.map(String.init)
            }
        ),
        play: { run in
            let ball = run.world.addDevice("ball")
            let magic = run.start(on: ball) { MagicBall(name: "Crystal") }
            magic.answer = { _ in "Yes." }
            magic.insistOnQuestions()
            run.leaveOut(
                "The phone finds the ball and explores it, as in lessons 1 and 2.",
                until: "didDiscoverCharacteristicsFor"
            )
            try run.until("Start advertising")
            let phone = run.world.addDevice("phone")
            let show = run.screen(of: "phone")
            let asker = run.start(on: phone) { Asker(clock: run.clock(of: phone)) }
            var found: Ball?
            asker.onReady = { found = $0 }
            asker.onAnswer = { show("answer: \($1)") }
            asker.onError = { show("\($1)") }
            try run.until { found != nil }
            guard let found else { return }
            if run.isTrying("away") {
                run.heading("Out of reach")
                ball.distance = 1000
                phone.run { asker.ask("Will it rain?", of: found) }
                try run.until("offline")
                run.heading("Back again")
                ball.distance = 1
                try run.until("didDiscoverCharacteristicsFor", count: 2)
                phone.run { asker.ask("Will it rain?", of: found) }
                try run.until("answer: ")
            } else {
                run.heading("No question mark")
                phone.run { asker.ask("It will rain.", of: found) }
                try run.until("questionPlease")
                run.heading("Two questions at once, and no answer")
                magic.recipients = { _ in [] }
                phone.run {
                    asker.ask("Will it rain?", of: found)
                    asker.ask("And tomorrow?", of: found)
                }
                try run.until("noAnswer")
            }
        }
    )
}
