// Balls, and the demonstration, in a session's world.

import CommandLineTool
import CoreBluetoothTesting
import Foundation
import SessionTestbed

@testable import eightball

extension SessionRun {
    /// The services and characteristics of a ball, as the SDK has them.
    static let ball = (
        service: "8E38140A-27BE-4090-8955-4FC4B5698D1E", question: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77",
        answer: "349A0D7B-6215-4E2C-A095-AF078D737445"
    )

    /// Adds the program's own ball.
    @MainActor
    mutating func addBall(_ name: String, distance: Double? = nil) {
        start(on: world.addDevice(name, distance: distance)) {
            let session = PeripheralSession(name: name, output: OutputFormat(isJSON: false, isVerbose: false) { _ in })
            session.start()
            return session
        }
    }

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
