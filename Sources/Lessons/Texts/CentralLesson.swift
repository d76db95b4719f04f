// Lesson 1: the central manager.

import CoreBluetooth

extension Lesson {
    static let central = Lesson(
        number: 1,
        key: "central",
        title: "Find a ball",
        summary: "Make a central manager, wait until the adapter is on, scan, and connect.",
        introduction: """
            A Magic 8-Ball is a device that answers questions. It advertises a service, and a device that wants to \
            ask it looks for that service. The one that looks is the central, the one that advertises is the \
            peripheral. In this course you write both, as the code of an SDK that an app could use.

            All code of the course is ordinary Core Bluetooth code. It runs on an iPhone as it is; here it runs on \
            devices that a program makes, on an air made of software, with a clock of its own. So each run is the \
            same as before, and takes no time.
            """,
        file: "BallFinder.swift",
        steps: [
            Step(
                "What both sides know",
                """
                Services and characteristics have UUIDs. A UUID that nobody else uses needs no registration: \
                `uuidgen` makes one. The 8-ball has three: one for its service, one for the characteristic to which a \
                question is written, one for the characteristic that notifies the answer.
                """
            ),
            Step(
                "The manager",
                """
                The manager is made once and kept in a property: when it is released, everything that it does ends. \
                With `queue: nil` it calls its delegate on the main queue. It also keeps none of the peripherals that \
                it finds. That is why `balls` is there: a peripheral that nobody keeps is gone before it is \
                connected.
                """
            ),
            Step(
                "The delegate",
                """
                Nothing can be asked of the manager before it is `.poweredOn`, so the scan begins in \
                `centralManagerDidUpdateState`. A discovered peripheral comes with the strength of its signal. One \
                that is too weak is left alone, and one that is known already is not connected to a second time. \
                `connect` returns at once; `didConnect` comes when the connection is there.
                """
            ),
        ],
        observations: [
            Observation(
                "scanForPeripherals(withServices: [8E38140A…])",
                "The call of the app. Core Bluetooth asks the controller to scan in the line below it."
            ),
            Observation(
                "← GAP Advertisement of ball",
                "The packet in which the ball says what it is. It has the service, and so `didDiscover` is called."
            ),
            Observation(
                "didDiscover \"Crystal\"",
                "Core Bluetooth calls the delegate. Here the app calls `connect`."
            ),
            Observation(
                "← GAP Connected to ball",
                "The connection. It has an interval, at which the two devices meet to exchange packets."
            ),
        ],
        experiments: [Experiment("far", "the ball is 20 m away")],
        question: Question(
            text: """
                The ball is 20 m away. It is discovered, and yet there is no connection. With which signal strength, \
                in dBm, is it discovered?
                """,
            experiment: "far",
            wrongAnswers: ["-45", "-60"],
            explanation: """
                The line of `didDiscover` has it. It is below `EightBall.weakestSignal`, so the app does not connect. \
                At 1 m it was -45 dBm; twice the distance costs 6 dB.
                """,
            answer: { trace in
                trace.first { $0.text.hasPrefix("didDiscover") }?.text.split(separator: " ").last.map(String.init)
            }
        ),
        play: { run in
            let ball = run.world.addDevice("ball", distance: run.isTrying("far") ? 20 : 1)
            run.start(on: ball) { MagicBall(name: "Crystal") }
            try run.until("Start advertising")
            let phone = run.world.addDevice("phone")
            let finder = run.start(on: phone) { BallFinder() }
            let show = run.screen(of: "phone")
            finder.onConnect = { show("connected to \($0.name ?? "a ball without a name")") }
            if run.isTrying("far") {
                try run.until("didDiscover")
                run.world.advance(by: .seconds(1))
            } else {
                try run.until("connected to")
            }
        }
    )
}
