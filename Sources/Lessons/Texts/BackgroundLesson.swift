// Lesson 8: background.

import CoreBluetooth
import CoreBluetoothTesting

extension Lesson {
    static let background = Lesson(
        number: 8,
        key: "background",
        title: "In the background",
        summary: "Let the system wake your app when the other device is back.",
        introduction: """
            When the user leaves an app on a phone, the app runs for a few more seconds. Then the system suspends it: \
            it stays in memory, but none of its code runs. An app with `bluetooth-central` under `UIBackgroundModes` \
            in its `Info.plist` is woken for each event of its central manager, and gets about ten seconds each time. \
            `bluetooth-peripheral` does the same for the other role.

            Linux does not suspend processes in this way. The devices of this lesson live in a world of \
            `CoreBluetoothTesting`, where apps have the life cycle that they have on a phone. The code is the same on \
            both.
            """,
        file: "Background.swift",
        steps: [
            Step(
                "A request without a time limit",
                """
                This is all that the listener needs. It requests the lost connection again and may then be suspended: \
                the system keeps the request, which does not expire. In the foreground a scan would work as well. In \
                the background a scan is slower, must name its services, and reports each device only once.
                """
            )
        ],
        observations: [
            Observation("world: app Listener is suspended", "Ten seconds after the user has left the app."),
            Observation("world: moves to 1000 m", "The user walks away with the phone."),
            Observation(
                "didDisconnectPeripheral",
                "The event wakes the app. It calls `connect`, and is suspended again some seconds later."
            ),
            Observation("world: moves to 2 m", "A minute later the user is back. The phone connects without the app."),
            Observation("didConnect", "The connection wakes it once more, and it subscribes as always."),
        ],
        experiments: [
            Experiment("no-mode", "the app has no background mode, and the user opens it after the walk")
        ],
        question: Question(
            text: """
                Without the background mode the app hears nothing until the user opens it. Then the waiting events \
                arrive, in order. Which delegate method is called first?
                """,
            experiment: "no-mode",
            wrongAnswers: ["didConnect", "didUpdateValueFor"],
            explanation: """
                The first callback after the line `app Listener is in the foreground` that follows the walk. Only with \
                this event can the app request the connection again. So without the background mode there was no \
                request, and nothing happened when the phone came back.
                """,
            answer: { trace in
                let opening = trace.lastIndex { $0.text.contains("is in the foreground") } ?? trace.endIndex
                let callback = trace[opening...].first { $0.kind == .callback }
                return callback?.text.split(separator: " ").first.map(String.init)
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
            let modes: BackgroundModes = run.isTrying("no-mode") ? [] : .central
            let app = run.keep(
                phone.install("Listener", backgroundModes: modes) {
                    Listener { show("message: Hello \($0["Hello"] ?? "")") }
                }
            )
            app.launch()
            try run.until("message: ")
            // The name has been read.
            run.world.advance(by: .seconds(1))
            run.heading("The user turns to another app")
            app.enterBackground()
            try run.until("is suspended")
            run.heading("The user goes for a walk")
            phone.distance = 1000
            run.world.advance(by: .seconds(60))
            run.heading("The user comes back")
            phone.distance = 2
            if run.isTrying("no-mode") {
                run.world.advance(by: .seconds(60))
                run.heading("The user opens the app")
                app.enterForeground()
            }
            try run.until("didConnect", count: 2)
            run.leaveOut("It checks whether the speaker has changed.", until: "didDiscoverCharacteristicsFor")
            try run.until("message: ", count: 2)
        }
    )
}
