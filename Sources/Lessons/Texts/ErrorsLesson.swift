// Lesson 5: errors.

import CoreBluetooth

extension Lesson {
    static let errors = Lesson(
        number: 5,
        key: "errors",
        title: "When it goes wrong",
        summary: "Turn all that can happen to a question into one result that the app gets once.",
        introduction: """
            A ball can be carried away, switched off, be busy, refuse, or take a question and never answer. Core \
            Bluetooth reports some of that as an error of a call, some as a lost connection, and some not at all. An \
            app wants to know one thing: what became of my question?
            """,
        file: "Asker.swift",
        steps: [
            Step(
                "What can go wrong",
                """
                Errors of the other device are `CBATTError`s, errors of the connection are `CBError`s. The app gets \
                neither, but a word that it can show. What is not foreseen keeps its error.
                """
            ),
            Step(
                "Losing a ball",
                """
                A connection that is lost comes to `didDisconnectPeripheral`, one that cannot be made to \
                `didFailToConnect`. Both times the answer is another `connect`. It has no time limit: it waits until \
                the ball is there again, however long that takes.
                """
            ),
            Step(
                "One word for each question",
                """
                Each question has a number and two seconds. `finish` is the one way to its end, and it lets only the \
                first result pass. So an answer that comes after its time is not taken for the answer to the next \
                question. The clock comes from outside, so that a test can have its own.
                """
            ),
        ],
        observations: [
            Observation("app: questionPlease", "The ball has refused: an error of the other device."),
            Observation("app: busy", "Refused by the app itself. No packet was needed for that."),
            Observation(
                "→ ATT Read By Type Request 0x0001-0xFFFF, type 2A00",
                """
                No call of the app, and nothing to do with the question: a second after the connection Core Bluetooth \
                reads the name that the device gives itself.
                """
            ),
            Observation(
                "app: noAnswer",
                "Two seconds after the question. The ball has confirmed it, and nothing else came. No packet says so."
            ),
        ],
        experiments: [Experiment("away", "the ball is carried out of reach, and back")],
        question: Question(
            text: """
                The ball is carried out of reach while a question waits. No packet says so. How many milliseconds \
                without any packet does it take until the phone gives the connection up?
                """,
            experiment: "away",
            wrongAnswers: ["2000", "30"],
            explanation: """
                The supervision timeout, which was agreed on when the two connected: the line `Connected to ball` has \
                it. `didDisconnectPeripheral` comes that long after the last packet, and the question ends with \
                `offline`, before its two seconds are over.
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
