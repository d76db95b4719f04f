// Finds the device that a person means by a name.

import CoreBluetooth

/// A device's name, as a person gives it.
package enum DeviceName {
    /// Whether a device named `name` is the one that a person calls `asked`: the names are equal, or the advertisement
    /// shortened `asked` to `name`.
    package static func matches(_ name: String, _ asked: String) -> Bool {
        let name = PrintableText.withoutPadding(name)
        return name == asked || AdvertisedName.isShortened(name, of: asked)
    }
}
