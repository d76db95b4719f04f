// Lesson 1: the central manager.

import CoreBluetooth

extension Lesson {
    static let central = Lesson(
        number: 1,
        key: "central",
        title: "Find a ball",
        summary: "Make a central manager, wait until the adapter is on, scan, and connect.",
        introduction: """
            A Magic 8-Ball is a device that answers questions. It advertises a service, and a device that wants to ask \
            a question looks for that service. The device that looks is the central; the one that advertises is the \
            peripheral. In this course you write both, as the code of an SDK that an app could use.

            All code of the course is ordinary Core Bluetooth code, which runs unchanged on an iPhone. Here it runs on \
            simulated devices, with a simulated air and a virtual clock between them, so every run is the same and \
            takes no time.
            """,
        file: "BallFinder.swift",
        steps: [
            Step(
                "What both sides know",
                """
                Services and characteristics have UUIDs. You need not register your own: `uuidgen` makes one that \
                nobody else has. The 8-ball has three: one for its service, one for the characteristic that a question \
                is written to, and one for the characteristic that notifies the answer.
                """
            ),
            Step(
                "The manager",
                """
                The manager is created once and kept in a property: when it is released, everything that it does ends. \
                With `queue: nil` it calls its delegate on the main queue. It does not retain the peripherals that it \
                finds. That is what `balls` is for: without it, a peripheral would be released before it is connected.
                """
            ),
            Step(
                "The delegate",
                """
                The manager does nothing before it is `.poweredOn`, so the scan starts in \
                `centralManagerDidUpdateState`. A discovered peripheral comes with its signal strength. The app \
                ignores a ball whose signal is too weak, and one that it already knows. `connect` returns at once; \
                `didConnect` is called when the connection is established.
                """
            ),
        ],
        observations: [
            Observation(
                "scanForPeripherals(withServices: [8E38140A…])",
                "The app's call. In the line below it, Core Bluetooth tells the controller to scan."
            ),
            Observation(
                "← GAP Advertisement of ball",
                "The ball's advertisement. It names the service, so `didDiscover` is called."
            ),
            Observation(
                "didDiscover \"Crystal\"",
                "Core Bluetooth calls the delegate. Here the app calls `connect`."
            ),
            Observation(
                "← GAP Connected to ball",
                "The connection. Once per interval the two devices meet to exchange packets."
            ),
        ],
        experiments: [Experiment("far", "the ball is 20 m away")],
        question: Question(
            text: """
                The ball is 20 m away. It is discovered, but there is no connection. With which signal strength, in \
                dBm, is it discovered?
                """,
            experiment: "far",
            wrongAnswers: ["-45", "-60"],
            explanation: """
                The line of `didDiscover` shows it. It is below `EightBall.weakestSignal`, so the app does not \
                connect. At 1 m it was -45 dBm; each doubling of the distance costs 6 dB.
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
