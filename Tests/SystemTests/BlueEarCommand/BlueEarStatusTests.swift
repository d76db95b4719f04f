import BlueEar
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("The environment of blueear")
struct BlueEarStatusTests {
    @Test("uses the secret of the option, else of the environment, unless that is empty")
    func secret() async {
        await #expect(processExitsWith: .success) {
            let rows: [(option: String?, environment: String?, secret: String?)] = [
                ("a", "b", "a"), ("a", nil, "a"), (nil, "b", "b"), (nil, "", nil), (nil, nil, nil),
            ]
            for (option, environment, secret) in rows {
                if let environment {
                    setenv("BLUEEAR_SECRET", environment, 1)
                } else {
                    unsetenv("BLUEEAR_SECRET")
                }
                let options = try SecretOptions.parse(option.map { ["--secret", $0] } ?? [])
                let value = try? options.value()
                #expect(value == secret)
            }
        }
    }

    @Test(
        "ends at once if the system has no Bluetooth, and goes on if the adapter is away",
        arguments: [
            CBManagerState.unsupported, .poweredOff,
        ].map(\.rawValue)
    )
    func state(rawValue: Int) async {
        let isEnd = rawValue == CBManagerState.unsupported.rawValue
        await #expect(processExitsWith: .exitCode(isEnd ? 1 : 99)) { @MainActor [rawValue] in
            Status.check(try #require(CBManagerState(rawValue: rawValue)))
            exit(99)
        }
    }

    @Test("reports that it waits for an adapter that is away, and not for one that is on or unknown")
    func states() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor in
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
        #expect(result.lines == ["\(expected)"])
    }
}
