// Names that are too long for an advertisement: how they are shortened, and which names a shortened one may stand for.

import BluetoothTypes
import NIOConcurrencyHelpers
import NIOCore

/// Shortened Local Names (Core Specification Supplement, Part A, 1.2).
package enum AdvertisedName {
    /// The longest name in a scan response, in octets.
    static let limit = 10
    /// The longest name in a scan response without anything else.
    static let wholeLimit = 29
    /// The longest name beside an overflow area.
    static let limitBesideOverflowArea = 8

    /// Whether `name` may be the shortened form of the longer name `whole`.
    ///
    /// Names with the same beginning may have the same shortened form.
    package static func isShortened(_ name: String, of whole: String) -> Bool {
        [self.limit, self.limitBesideOverflowArea, self.wholeLimit].contains { limit in
            guard whole.utf8.count > limit else { return false }
            var data = AdvertisingData()
            data.appendLocalName(whole, limit: limit)
            return data.localName == name
        }
    }

    static let reportsShortening = NIOLockedValueBox(false)

    /// Has this process log a line when a name is advertised in a shortened form: for programs whose user chose the
    /// name. As on Apple's platforms an app is not informed.
    package static func reportShortening() { self.reportsShortening.withLockedValue { $0 = true } }

    /// Logs once that a name is advertised in a shortened form, in a process that asked for it.
    static func logIfShortened(_ name: String?, _ scanResponse: ByteBuffer) {
        guard self.reportsShortening.withLockedValue({ $0 }), let line = self.line(name, scanResponse) else { return }
        Notice.once(line, .notice)
    }

    /// The line for a scan response; `nil` if it has no shortened name.
    static func line(_ name: String?, _ scanResponse: ByteBuffer) -> String? {
        guard let name, let value = AdvertisingData(parsing: scanResponse)[.shortenedLocalName] else { return nil }
        let shortened = String(buffer: value)
        return "the name \"\(name)\" is advertised as \"\(shortened)\": there is no space for more of it"
    }
}
