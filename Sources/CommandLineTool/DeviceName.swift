// Which device a person means by a name.

import CoreBluetooth

/// The name of a device, as a person asks for it.
package enum DeviceName {
    /// Whether a device with the name `name` is the one that is asked for by `asked`: by its whole name, or by one that
    /// its advertisement had to shorten to `name`.
    package static func matches(_ name: String, _ asked: String) -> Bool {
        let name = PrintableText.withoutPadding(name)
        return name == asked || AdvertisedName.isShortened(name, of: asked)
    }
}
