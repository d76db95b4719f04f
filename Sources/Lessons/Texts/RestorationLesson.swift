// Lesson 9: restoration.

import CoreBluetooth
import CoreBluetoothTesting

extension Lesson {
    static let restoration = Lesson(
        number: 9,
        key: "restoration",
        title: "Ended, and back",
        summary: "Get back what your app had asked for, after the system has ended it.",
        introduction: """
            A suspended app can be ended at any time, because the system needs its memory. A manager that has a \
            restore identifier is preserved then: its scan, its connections and the connections that it waits for go \
            on without the app. When one of them has an event, the system launches the app, in the background. The \
            app makes its manager again, with the same identifier, and gets back what there was.

            On Linux the identifier works for any end of a process, `kill -9` included; the next process of the same \
            program takes up its state. `eightball` and `blueear` have an option for it: `--restore`.
            """,
        file: "Restoration.swift",
        steps: [
            Step(
                "What the app had",
                """
                The `Listener` of lesson 7 gives its manager the identifier. What is new is one method. It gets the \
                peripherals, and has to keep them like any other. The listener then knows that it need not scan: \
                `speaker` is there already.
                """
            )
        ],
        observations: [
            Observation("world: app Listener is ended by the system", "All objects of the app are gone."),
            Observation(
                "GAP Connected to speaker",
                "The connection that it had asked for. No app was there to see it."
            ),
            Observation("world: app Listener is launched by the system", "Because of the connection."),
            Observation("didConnect", "The event itself comes when the app has its manager."),
        ],
        experiments: [
            Experiment("force-quit", "the user ends the app, in place of the system")
        ],
        question: Question(
            text: """
                The system has launched the app, and the app has made its manager. Which call of the delegate comes \
                first?
                """,
            experiment: nil,
            wrongAnswers: ["centralManagerDidUpdateState", "didConnect"],
            explanation: """
                The first callback below the line `is launched by the system`. The state comes after it, so that \
                `centralManagerDidUpdateState` sees the peripheral that is there. With `--try force-quit` nothing is \
                launched: what the user has ended stays ended.
                """,
            answer: { trace in
                guard let launch = trace.firstIndex(where: { $0.text.contains("is launched by the system") }) else {
                    return nil
                }
                let callback = trace[launch...].first { $0.kind == .callback && $0.device == "phone" }
                return callback?.text.split { " :".contains($0) }.first.map(String.init)
            }
        ),
        play: { run in
            let speaker = run.world.addDevice("speaker")
            run.leaveOut(
                "The phone finds the speaker and explores it, as in lessons 1 and 2.",
                until: "didDiscoverCharacteristicsFor"
            )
            run.start(on: speaker) { Speaker(["Hello": "Darkness"]) }
            try run.until("Start advertising")
            let phone = run.world.addDevice("phone")
            let show = run.screen(of: "phone")
            let app = run.keep(
                phone.install("Listener", backgroundModes: .central) {
                    Listener(restoreIdentifier: "listener") { show("message: Hello \($0["Hello"] ?? "")") }
                }
            )
            app.launch()
            try run.until("message: ")
            // The name has been read.
            run.world.advance(by: .seconds(1))
            app.enterBackground()
            run.heading("The user goes for a walk")
            phone.distance = 1000
            try run.until("didDisconnectPeripheral")
            try run.until("is suspended")
            if run.isTrying("force-quit") {
                run.heading("The user ends the app")
                app.forceQuit()
            } else {
                run.heading("The system needs memory")
                app.terminate()
            }
            run.world.advance(by: .seconds(60))
            run.heading("The user comes back")
            phone.distance = 2
            guard !run.isTrying("force-quit") else { return run.world.advance(by: .seconds(60)) }
            try run.until("didConnect", count: 2)
            run.leaveOut("It looks whether the speaker has changed.", until: "didDiscoverCharacteristicsFor")
            try run.until("message: ", count: 2)
        }
    )
}
