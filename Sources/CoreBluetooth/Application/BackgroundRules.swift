// How an adapter scans and advertises for apps in the background, by Apple's rules (Core Bluetooth Programming Guide,
// "Core Bluetooth Background Processing for iOS Apps"): scanning needs services, never reports a peripheral twice, and
// listens less often; advertising has no name, names its services in the overflow area alone, and is slower.

import BluetoothHost
import BluetoothTypes
import NIOCore

extension Scan {
    /// The scan under a permission; `nil` for none.
    func under(_ permission: ManagerPermission) -> Scan? {
        switch permission {
        case .everything: return self
        case .nothing: return nil
        case .background:
            guard self.filter.services?.isEmpty == false else { return nil }
            var scan = self
            scan.filter.allowsDuplicates = false
            return scan
        }
    }
}

/// The radio's scan parameters.
enum ScanPace: Hashable {
    /// All the time.
    case foreground
    /// A tenth of the time, if all apps are in the background.
    case background

    /// How the host scans; `foreground` is what a tool may have asked for.
    func request(foreground: ScanParameters) -> ScanParameters {
        switch self {
        case .foreground: foreground
        case .background: ScanParameters(interval: ScanParameters.defaultWindow * 10)
        }
    }
}

extension AdvertisedContent {
    /// The advertising interval of apps in the background: one that Apple recommends to accessories.
    static let backgroundInterval = TimeAmount.microseconds(1_022_500)

    /// The content that is advertised under a permission; `nil` for none.
    func under(_ permission: ManagerPermission) -> AdvertisedContent? {
        switch permission {
        case .everything: self
        case .nothing: nil
        case .background: AdvertisedContent(overflowServices: self.services)
        }
    }
}
