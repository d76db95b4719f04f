// The L2CAP channels of a described peripheral, in a world.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth advertise: channels")
@MainActor
struct ChannelTests {
    @Test("A channel sends back what comes, to those alone who have paired as it demands", arguments: [true, false])
    func echo(hasCode: Bool) throws {
        let world = World()
        let display = ScriptedPairingAgent(.display)
        let description = try GATTDescription(
            json: Data(#"{"name": "Safe", "services": [], "channels": [{"security": "authenticated"}]}"#.utf8),
            from: "t.json"
        )
        let session = world.addDevice("safe", pairingAgent: display).run {
            let session = PeripheralSession(
                name: "Safe",
                advertised: [],
                description: description,
                benchmark: false,
                output: OutputFormat(isJSON: true, isVerbose: false)
            )
            session.start()
            return session
        }
        let user = hasCode ? ScriptedPairingAgent(entering: [.right], shownBy: display) : nil
        let app = world.addDevice("phone", pairingAgent: user).run { ChannelClient(192) }
        app.send(Data([1, 2, 3]))
        try withExtendedLifetime(session) {
            if hasCode {
                try world.run(until: app.received == Data([1, 2, 3]))
            } else {
                try world.run(until: app.error != nil)
                #expect((app.error as? CBATTError)?.code == .insufficientAuthentication)
            }
        }
    }
}
