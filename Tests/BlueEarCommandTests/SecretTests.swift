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

    @Test("What is not said is a lock named Lock, one exchange, no limit and nothing to take up")
    func defaults() throws {
        let lock = try #require(try Messenger.parseAsRoot(["lock", "--secret", "a"]) as? Messenger.Lock)
        #expect(lock.name == "Lock" && lock.secret.secret == "a" && lock.restoration.restore == nil)
        let named = try #require(
            try Messenger.parseAsRoot(["lock", "--secret", "a", "--name", "Door", "--restore", "b"]) as? Messenger.Lock
        )
        #expect(named.name == "Door" && named.restoration.restore == "b")
        let central = try #require(try Messenger.parseAsRoot(["central"]) as? Messenger.Central)
        #expect(!central.stay && !central.read && central.device == nil && central.timeout == nil)
        #expect(central.message.pairs.isEmpty && central.restoration.restore == nil)
        for (flag, stays) in [("--stay", true), ("--read", false)] {
            let parsed = try #require(try Messenger.parseAsRoot(["central", flag]) as? Messenger.Central)
            #expect(parsed.stay == stays && parsed.read != stays)
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
