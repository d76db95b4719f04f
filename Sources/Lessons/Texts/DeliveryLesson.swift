// Lesson 4: confirmed delivery.

import CoreBluetooth

extension Lesson {
    static let delivery = Lesson(
        number: 4,
        key: "delivery",
        title: "Know that it was heard",
        summary: "Write with response, and let the ball refuse what is not a question.",
        introduction: """
            So far, the app shows a question as asked once it has handed it to Core Bluetooth. It does not know \
            whether the ball has received it. A write with response changes that: the ball answers each write, with \
            success or with an error.
            """,
        file: "ConfirmedDelivery.swift",
        steps: [
            Step(
                "The central waits for the confirmation",
                """
                With `.withResponse` each write ends in `didWriteValueFor`. Until then the app keeps the question in \
                `question`, because the characteristic's `value` does not hold it: `value` is what the ball has sent, \
                and the question characteristic cannot be read.
                """
            ),
            Step(
                "The ball reads before it confirms",
                """
                `respond(to:withResult:)` with an error refuses the write. There are about twenty errors, and none of \
                them says "please end with a question mark". The ball uses `.unlikelyError`, and both sides agree on \
                what it means here.
                """
            ),
        ],
        observations: [
            Observation(
                "→ ATT Write Request 0x0010",
                "The question. Instead of a Write Command, it is a Write Request now."
            ),
            Observation(
                "respond(to:withResult: .success)",
                "The ball has checked the question, and accepts it."
            ),
            Observation("← ATT Write Response", "The confirmation. It carries nothing else."),
            Observation("app: delivered", "Only now does the app show the question as asked."),
        ],
        experiments: [Experiment("statement", "the app sends \"It will rain.\", without a question mark")],
        question: Question(
            text: """
                The app sends "It will rain." The ball answers with a packet that carries an error number. Which \
                number is it, in hexadecimal?
                """,
            experiment: "statement",
            wrongAnswers: ["0x03", "0x80"],
            explanation: """
                The line `Error Response` has it in parentheses: Unlikely Error is 0x0E. The Core Specification lists \
                the numbers in Vol 3, Part F, 3.4.1.1.
                """,
            answer: { trace in
                let line = trace.first { $0.text.hasPrefix("Error Response") && $0.text.contains("Unlikely") }?.text
                return line?.split(separator: "(").last.map { String($0.prefix { $0 != ")" }) }
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
            let text = run.isTrying("statement") ? "It will rain." : "Will it rain?"
            let app = run.start(on: phone) { Questions([text], show: run.screen(of: "phone")) }
            app.prepare = { $0.confirmDelivery() }
            try run.until(run.isTrying("statement") ? "error: " : "answer: ")
        }
    )
}
