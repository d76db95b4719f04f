// Where the secret of a lock and its key comes from, what is taken where nothing is said, and which state of Bluetooth
// ends a program at once.

import BlueEar
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("Secrets, defaults and states of blueear")
struct SecretTests {
    @Test("The secret is that of the option, else that of the environment; an empty one is none")
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
        "A program whose system has no Bluetooth ends at once, and one whose adapter is away goes on",
        arguments: [
            CBManagerState.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn,
        ].map(\.rawValue)
    )
    func state(rawValue: Int) async {
        let isEnd = rawValue == CBManagerState.unsupported.rawValue
        await #expect(processExitsWith: .exitCode(isEnd ? 1 : 99)) { @MainActor [rawValue] in
            Status.check(try #require(CBManagerState(rawValue: rawValue)))
            exit(99)
        }
    }
}
