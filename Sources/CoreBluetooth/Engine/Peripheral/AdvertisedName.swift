// What an advertisement carries of a name that is too long for it, and whom such a name may mean.

import BluetoothTypes
import NIOConcurrencyHelpers
import NIOCore

/// Shortened Local Names (Core Specification Supplement, Part A, 1.2).
package enum AdvertisedName {
    /// The octets that a name may have in the scan response.
    static let limit = 10
    /// The octets of a scan response that has nothing but a name.
    static let wholeLimit = 29
    /// The octets that are left for it beside an overflow area.
    static let limitBesideOverflowArea = 8

    /// Whether `name` is what an advertisement has of the longer name `whole`.
    ///
    /// Names that begin alike may have the same shortened form.
    package static func isShortened(_ name: String, of whole: String) -> Bool {
        [self.limit, self.limitBesideOverflowArea, self.wholeLimit].contains { limit in
            guard whole.utf8.count > limit else { return false }
            var data = AdvertisingData()
            data.appendLocalName(whole, limit: limit)
            return data.localName == name
        }
    }

    static let reportsShortening = NIOLockedValueBox(false)

    /// Has this process say in one line that an advertisement carries less than the whole of a name: for programs whose
    /// user chose the name. As on Apple's platforms an app is not informed.
    package static func reportShortening() { self.reportsShortening.withLockedValue { $0 = true } }

    /// Logs once that an advertisement carries less than the whole of a name, in a process that asked for it.
    static func logIfShortened(_ name: String?, _ scanResponse: ByteBuffer) {
        guard self.reportsShortening.withLockedValue({ $0 }), let line = self.line(name, scanResponse) else { return }
        Notice.once(line, .notice)
    }

    /// What is to be said of a scan response; `nil` where it has no shortened name.
    static func line(_ name: String?, _ scanResponse: ByteBuffer) -> String? {
        guard let name, let value = AdvertisingData(parsing: scanResponse)[.shortenedLocalName] else { return nil }
        let shortened = String(buffer: value)
        return "the name \"\(name)\" is advertised as \"\(shortened)\": there is no space for more of it"
    }
}
