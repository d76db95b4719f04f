// What a service manager is told of the states of Bluetooth. The test is a process of its own, with its own manager.

import BlueEar
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("What blueear reports of its adapter to a service manager")
struct AdapterStatusTests {
    @Test("A program waits for an adapter that is not there, and not for one that is on or not known yet")
    func states() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            let receiver = try NotificationReceiver("@corebluetooth-" + UUID().uuidString)
            setenv("NOTIFY_SOCKET", receiver.name, 1)
            for state in [CBManagerState.unknown, .poweredOn, .resetting, .unauthorized, .poweredOff] {
                Status.check(state)
                ServiceManager.current.status("\(state.rawValue)")
            }
            let messages = try receiver.messages(until: "STATUS=4")
            Console.print("\(messages)")
            exit(0)
        }
        let waits = "STATUS=waits for the adapter"
        let expected = ["STATUS=0", "STATUS=5", waits, "STATUS=1", waits, "STATUS=3", waits, "STATUS=4"]
        #expect(try #require(result).lines == ["\(expected)"])
    }
}
