// What the app has done, in numbers, as its page for support shows them.

import Foundation

package struct MeshCounts: Equatable, Sendable {
    /// Packets that came over links, those that came again included.
    package var packetsReceived = 0
    package var duplicates = 0
    package var malformed = 0
    package var refused = 0
    /// Packets that were given to links, one for each link.
    package var packetsSent = 0
    package var framesSent = 0
    package var framesDropped = 0
    package var relayed = 0
    package var signaturesMade = 0
    package var signaturesChecked = 0
    package var documentsEncoded = 0
    package var documentsDecoded = 0
    /// Identifiers of eight octets that became hexadecimal text, or octets again.
    package var identifiersConverted = 0
    package var linksOpened = 0
    package var linksLost = 0
    package var duplicateLinks = 0
    package var retries = 0
}

/// Counts of several queues and actors.
package final class Diagnostics: @unchecked Sendable {
    // The counts are behind the lock.
    private let lock = NSLock()
    private var storage = MeshCounts()

    package var counts: MeshCounts { lock.withLock { storage } }

    func count(_ path: WritableKeyPath<MeshCounts, Int>, _ number: Int = 1) {
        lock.withLock { storage[keyPath: path] += number }
    }
}
