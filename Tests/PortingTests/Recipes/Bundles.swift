// The recipe "Bundle.main" of the page "Porting an app".

import Foundation

/// `Bundle.main.bundleIdentifier!` ends a program on Linux: an executable has no bundle.
let bundleIdentifier = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

/// Whether the app's Info.plist has a background mode; a program that has no Info.plist runs as long as it wants.
func hasBackgroundMode(_ mode: String) -> Bool {
    #if canImport(Darwin)
    let modes = Bundle.main.object(forInfoDictionaryKey: "UIBackgroundModes") as? [String]
    return modes?.contains(mode) ?? false
    #else
    return true
    #endif
}
