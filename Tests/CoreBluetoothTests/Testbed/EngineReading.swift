// The event loop's side of an adapter, which no app sees: read and changed in a turn of the loop, after everything that
// apps have asked for before.

import BluetoothHost
import NIOConcurrencyHelpers
import Testbed
import Testing

@testable import CoreBluetooth

extension BluetoothAdapter {
    /// Runs `read` on the event loop and returns what it gives; `nil` if the adapter has ended.
    func readEngine<Value: Sendable>(
        in testbed: Testbed,
        _ read: @escaping @Sendable (AdapterCore) -> Value
    ) -> Value? {
        let found = NIOLockedValueBox<Value?>(nil)
        self.withCore { core in
            guard let core else { return }
            let value = read(core)
            found.withLockedValue { $0 = value }
        }
        testbed.loop.run()
        return found.withLockedValue { $0 }
    }

    /// Runs `change` on the event loop, as an event of the host would.
    func changeEngine(in testbed: Testbed, _ change: @escaping @Sendable (AdapterCore) -> Void) {
        let isChanged = self.readEngine(in: testbed) { core -> Bool in
            change(core)
            core.flush()
            return true
        }
        #expect(isChanged == true)
    }
}

extension AdapterCore {
    /// Whether a link is held back, since an app does not take what its peer sends.
    func isHeldBack(_ link: LinkID) -> Bool {
        var links = self.pausedLinks
        return !links.pause(link, for: TransmitToken(rawValue: .max))
    }
}
