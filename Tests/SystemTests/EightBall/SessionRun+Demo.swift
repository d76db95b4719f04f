// The demonstration in a session's world.

import CommandLineTool
import CoreBluetoothTesting
import SessionTestbed

@testable import eightball

extension SessionRun {
    /// Starts the demonstration on two devices of its own, "central" and "ball", once `arrange` has seen them.
    @MainActor
    mutating func startDemo(
        _ question: String = "Will it rain?",
        isJSON: Bool = false,
        _ arrange: @MainActor (World) -> Void = { _ in }
    ) {
        // The ball is the first to ask for its adapter.
        var devices = [world.addDevice("central"), world.addDevice("ball")]
        arrange(world)
        start(on: devices[1]) {
            let session = DemoSession(
                question: question,
                captureFile: nil,
                output: OutputFormat(isJSON: isJSON, isVerbose: false),
                makeAdapter: { _ in devices.removeLast().adapter }
            )
            session.begin()
            return session
        }
    }
}
