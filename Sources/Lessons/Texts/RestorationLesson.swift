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
            The system may end a suspended app at any time, because it needs the memory. If the app's manager has a \
            restore identifier, its state is preserved: its scan, its connections and its pending connection requests \
            go on without the app. When one of them has an event, the system launches the app in the background. The \
            app creates its manager again, with the same identifier, and gets its state back.

            On Linux the identifier works for any end of a process, even `kill -9`; the next process of the same \
            program resumes the state. `blueear` has an option for it: `--restore`.
            """,
        file: "Restoration.swift",
        steps: [
            Step(
                "What the app had",
                """
                The `Listener` of lesson 7 passes the identifier to its manager. Only one method is new. It gets the \
                peripherals, which the app must keep like any others. The listener then need not scan, because it \
                already has its `speaker`.
                """
            )
        ],
        observations: [
            Observation("world: app Listener is ended by the system", "All objects of the app are gone."),
            Observation(
                "GAP Connected to speaker",
                "The connection that the app had requested. No app was there to see it."
            ),
            Observation("world: app Listener is launched by the system", "Because of the connection."),
            Observation("didConnect", "The event itself comes once the app has its manager."),
        ],
        experiments: [
            Experiment("force-quit", "the user ends the app, not the system")
        ],
        question: Question(
            text: """
                The system has launched the app, and the app has created its manager. Which delegate method is called \
                first?
                """,
            experiment: nil,
            wrongAnswers: ["centralManagerDidUpdateState", "didConnect"],
            explanation: """
                The first callback after the line `is launched by the system`. The state comes after it, so \
                `centralManagerDidUpdateState` already finds the restored peripheral. With `--try force-quit` nothing \
                is launched: an app that the user has ended stays ended.
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
            run.leaveOut("It checks whether the speaker has changed.", until: "didDiscoverCharacteristicsFor")
            try run.until("message: ", count: 2)
        }
    )
}
