// One app at random, and devices on their way at random: what each is at each moment.

import BluetoothAir
import BluetoothTypes
import CoreBluetooth
import Fixtures
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Apps and movements at random")
struct ApplicationWalkTests {
    /// Notes what an app reports.
    private final class Notes: ApplicationDelegate {
        var lines: [String] = []
        var launches = 0

        func applicationDidChangeState(_ application: Application) { self.lines.append("is \(application.state)") }
        func applicationNeedsLaunch(_ application: Application) {
            self.lines.append("needs launch")
            self.launches += 1
        }
        func application(_ application: Application, didShow alert: ConnectionAlert, about peripheral: String) {
            self.lines.append("alert \(alert) \(peripheral)")
        }
    }

    private static func step(_ application: Application, _ choice: Int, _ notes: Notes, _ number: Int) {
        switch choice {
        case 0, 1:
            if application.state == .notRunning || application.state == .terminated {
                application.launch(inBackground: choice == 0)
            }
        case 2: application.enterForeground()
        case 3: application.enterBackground()
        case 4: application.suspend()
        case 5: application.wake()
        case 6: application.end(bySystem: true)
        case 7: application.end(bySystem: false)
        case 8: application.requestLaunch()
        case 9: application.show([.connection, .disconnection, .notification][number % 3], about: "thing")
        case 10: application.authorization = application.authorization == .denied ? .allowedAlways : .denied
        default: application.schedule(in: .seconds(Int64(choice - 11) * 3)) { notes.lines.append("does \(number)") }
        }
    }

    @Test("What an app is, may do, and gets, whatever happens to it", arguments: 0..<16)
    func life(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let loop = WorldLoop()
        let notes = Notes()
        let modes = BackgroundModes(rawValue: UInt8(seed % 4))
        let application = Application(name: "app", modes: modes, eventLoop: loop)
        application.delegate = notes
        for number in 0..<250 {
            Self.step(application, Int.random(in: 0...16, using: &generator), notes, number)
            if Int.random(in: 0...3, using: &generator) == 0 {
                loop.advanceTime(by: .milliseconds(Int64.random(in: 0...6_000, using: &generator)))
            }
            notes.lines.append(
                "\(loop.now.uptimeNanoseconds) \(application.state) \(application.isRunning) \(application.exists) "
                    + "\(application.process ?? -1) \(application.launchCount) \(application.isTerminated) "
                    + [ManagerRole.central, .peripheral].map {
                        "\(application.permission(for: $0)) \(application.delivery(for: $0)) "
                            + "\(application.outlivesProcess($0))"
                    }.joined(separator: " ")
            )
            #expect(application.exists || !application.isRunning)
        }
        #expect(notes.launches <= application.launchCount + 1)
        RunRecord.note(notes.lines.joined(separator: "\n"))
    }

    @Test("Every movement goes straight, in steps of half a metre at most, and arrives at its time")
    func movements() {
        var generator = SeededGenerator(seed: 9)
        func coordinate() -> Double { Double.random(in: -60...60, using: &generator).rounded() / 2 }
        for _ in 0..<300 {
            let start = AirPosition(x: coordinate(), y: coordinate())
            let end = AirPosition(x: coordinate(), y: coordinate())
            let duration = TimeAmount.microseconds(Int64.random(in: 1...200_000, using: &generator))
            let time = NIODeadline.uptimeNanoseconds(UInt64.random(in: 0...9_000_000_000, using: &generator))
            var movement = Movement(from: start, to: end, at: time, over: duration)
            var lines = ["\(movement.stepCount)"]
            var place = start
            while !movement.isOver {
                let next = movement.nextTime
                let position = movement.takeStep()
                let isFast = duration < .milliseconds(2 * movement.stepCount)
                #expect(isFast || place.distance(to: position).metres < 0.500_001)
                lines.append("\(next.uptimeNanoseconds) \(position.x) \(position.y)")
                place = position
            }
            #expect(place == end)
            RunRecord.note(lines.joined(separator: "\n"))
        }
    }
}
