// What the event loop's side of an adapter has, which no app sees: read in a turn of the loop, after all that apps have
// asked for before.

import BluetoothHost
import NIOConcurrencyHelpers
import Testbed

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
}

extension AdapterCore {
    /// Whether a link is held back, since an app does not take what its peer sends.
    func isHeldBack(_ link: LinkID) -> Bool {
        var links = self.heldLinks
        return !links.hold(link, for: TransmitToken(rawValue: .max))
    }
}
