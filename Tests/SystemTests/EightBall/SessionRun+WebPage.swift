// The session of the 8-ball's page in a browser, and when it has a document.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import Testing

@testable import eightball

extension SessionRun {
    /// A session of the page to which something is done at times; of each document the time is printed, in
    /// milliseconds, and the number of the pairing in it.
    @MainActor
    static func webPage(_ steps: [(milliseconds: Int, act: @MainActor (WebSession) -> Void)]) -> SessionRun {
        var run = SessionRun()
        let world = run.world
        run.start(on: world.addDevice("Crystal")) {
            let session = WebSession(
                agent: ScreenPairingAgent(),
                name: "Crystal",
                output: OutputFormat(isJSON: false, isVerbose: false)
            )
            session.start { documents in
                let text = documents["en"] ?? ""
                let number = (1...9).first { text.contains("\"number\":\($0),") } ?? 0
                Console.print("\(world.milliseconds) \(number)")
            }
            for (milliseconds, act) in steps {
                world.onMain(after: .milliseconds(milliseconds)) { act(session) }
            }
            return session
        }
        return run
    }
}

extension PairingPeer {
    /// A device that pairs with the page's.
    static func anna() throws -> PairingPeer {
        let identifier = try #require(UUID(uuidString: "0000000A-0000-0000-0000-000000000000"))
        return PairingPeer(identifier: identifier, name: "Anna")
    }
}
