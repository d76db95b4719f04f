// What an app may do where it stands, by Apple's rules (Core Bluetooth Programming Guide, "Core Bluetooth Background
// Processing for iOS Apps"):
//
// - Without the background mode of a role, nothing of that role happens while the app is not in the foreground: scanning
//   and advertising pause, services are withdrawn, and events wait until the user comes back.
// - With it, the app is woken for events and has ten seconds. Scanning needs services, never reports a peripheral twice,
//   and listens less often. Advertising has no name, names its services in the overflow area alone, and is slower.

import BluetoothHost
import BluetoothTypes
import NIOCore

extension Application {
    /// What becomes of events.
    enum Delivery {
        /// The app is told.
        case now
        /// The app is woken, and told.
        case wakes
        /// They wait until the app is in the foreground again.
        case held
        /// The app is launched, and takes them then.
        case launches
    }

    /// How much a role may do.
    enum Permission {
        case everything
        case background
        case nothing
    }

    /// What becomes of a role's events.
    func delivery(for role: BackgroundModes) -> Delivery {
        switch self.state {
        case .foreground: .now
        case .background: self.modes.contains(role) ? .now : .held
        case .suspended: self.modes.contains(role) ? .wakes : .held
        case .terminated: self.modes.contains(role) ? .launches : .held
        case .notRunning: .held
        }
    }

    /// How much a role may do.
    func permission(for role: BackgroundModes) -> Permission {
        switch self.state {
        case .foreground: .everything
        case .background, .suspended, .terminated: self.modes.contains(role) ? .background : .nothing
        case .notRunning: .nothing
        }
    }

    /// What the app's managers are told of the adapter's state; `nil` while the user has not said whether the app may use
    /// Bluetooth.
    func visibleState(_ state: CBManagerState) -> CBManagerState? {
        guard state != .unsupported, state != .unknown else { return state }
        return switch self.authorization {
        case .allowedAlways: state
        case .denied, .restricted: .unauthorized
        case .notDetermined: nil
        }
    }
}

extension Application? {
    /// What the managers of an app are told of the adapter's state, `nil` for nothing yet; those of no app are told all.
    func visibleState(_ state: CBManagerState) -> CBManagerState? {
        guard let self else { return state }
        return self.visibleState(state)
    }

    /// How much a role may do; no app at all may do everything.
    func permission(for role: Application.BackgroundModes) -> Application.Permission {
        self?.permission(for: role) ?? .everything
    }
}

extension Scan {
    /// What is scanned for under a permission; `nil` where nothing is.
    func under(_ permission: Application.Permission) -> Scan? {
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

/// How often the radio listens.
enum ScanPace: Hashable {
    /// All the time.
    case foreground
    /// A tenth of the time: for apps in the background alone.
    case background

    var request: ScanRequest {
        switch self {
        case .foreground: ScanRequest()
        case .background: ScanRequest(interval: .milliseconds(300), window: .milliseconds(30))
        }
    }
}

extension AdvertisedContent {
    /// How often advertising is sent.
    static let interval = TimeAmount.milliseconds(100)
    /// How often advertising for apps in the background is sent: one of the intervals that Apple recommends to accessories.
    static let backgroundInterval = TimeAmount.microseconds(1_022_500)

    /// What is advertised under a permission; `nil` where nothing is.
    func under(_ permission: Application.Permission) -> AdvertisedContent? {
        switch permission {
        case .everything: self
        case .nothing: nil
        case .background: AdvertisedContent(overflowServices: self.services)
        }
    }
}
