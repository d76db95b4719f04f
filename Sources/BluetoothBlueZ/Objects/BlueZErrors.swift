// The mapping of BlueZ's errors. Several ATT errors share one name in BlueZ, and only some have a text of their own, so
// an app gets the likeliest of them.

import BluetoothHost
import BluetoothTypes

extension BusFailure {
    /// The meaning of BlueZ's answer to a read or a write.
    enum AttributeError: Equatable {
        /// The server, or BlueZ for it, has refused.
        case att(ATTErrorCode)
        /// Another program's request is in progress; the same one may succeed a moment later.
        case busy
        /// BlueZ could not write to its socket: the kernel takes nothing while it pairs (seen with 5.66 and Linux 6.1),
        /// nor when the link has ended.
        case unsent
        /// BlueZ is ending the connection, for another program, which takes 2 s.
        case ending
    }

    /// The error of ReadValue, WriteValue, StartNotify and StopNotify.
    func attributeError(isRead: Bool) -> AttributeError {
        switch self.name {
        case "org.bluez.Error.NotPermitted":
            // A program, this one or another, has the socket for writes without response, or that for notifications.
            if ["Write acquired", "Notify acquired"].contains(self.text) { return .busy }
            // BlueZ has one error for 05, 0C and 0F; it pairs by itself.
            if self.text == "Not paired" { return .att(.insufficientAuthentication) }
            if self.text.contains("Read") { return .att(.readNotPermitted) }
            if self.text.contains("Write") { return .att(.writeNotPermitted) }
            return .att(isRead ? .readNotPermitted : .writeNotPermitted)
        case "org.bluez.Error.InvalidArguments", "org.bluez.Error.InvalidValueLength":
            return .att(self.text == "Invalid offset" ? .invalidOffset : .invalidAttributeValueLength)
        case "org.bluez.Error.InvalidOffset": return .att(.invalidOffset)
        case "org.bluez.Error.NotAuthorized": return .att(.insufficientAuthorization)
        case "org.bluez.Error.NotSupported": return .att(.requestNotSupported)
        case "org.bluez.Error.ImproperlyConfigured": return .att(.cccdImproperlyConfigured)
        case "org.bluez.Error.InProgress": return .busy
        case "org.bluez.Error.NotConnected": return .ending
        case _ where self.text.hasSuffix("ATT error: 0x00"): return .unsent
        default: return .att(Self.code(in: self.text) ?? .unlikelyError)
        }
    }

    /// The number in a text such as `Operation failed with ATT error: 0x81`.
    private static func code(in text: String) -> ATTErrorCode? {
        guard let mark = text.firstRange(of: "0x")?.upperBound else { return nil }
        let digits = text[mark...].prefix { $0.isHexDigit }
        guard digits.utf8.count <= 2, let code = UInt8(digits, radix: 16), code != 0 else { return nil }
        return ATTErrorCode(rawValue: code)
    }

    /// The meaning of BlueZ's answer to Connect.
    enum ConnectOutcome: Equatable {
        /// The device did not answer, or the link was lost at once: trying again may succeed.
        case failed
        /// BlueZ is connecting to it already.
        case inProgress
        /// BlueZ has tried Bluetooth Classic, of which nothing is here.
        case classic
        /// BlueZ has forgotten the device.
        case unknownDevice
    }

    /// The error of Pair; `nil` if the devices have paired before.
    var pairingError: PairingError? {
        switch self.name {
        case "org.bluez.Error.AlreadyExists": nil
        case "org.bluez.Error.InProgress": .inProgress
        case "org.bluez.Error.AuthenticationCanceled": .cancelled
        case "org.bluez.Error.AuthenticationTimeout", Self.timedOut.name: .timedOut
        case "org.bluez.Error.ConnectionAttemptFailed", "org.bluez.Error.NotConnected", Self.closed.name: .linkEnded
        case "org.bluez.Error.AuthenticationRejected": .failedByPeer(.unspecifiedReason)
        default: .failed(.unspecifiedReason)
        }
    }

    /// The error of Connect.
    var connectOutcome: ConnectOutcome {
        switch self.name {
        case "org.bluez.Error.InProgress", "org.bluez.Error.AlreadyConnected": .inProgress
        case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
            "org.bluez.Error.DoesNotExist":
            .unknownDevice
        case _ where self.text == "Operation already in progress": .inProgress
        case _ where self.text.hasPrefix("br-connection") && self.text != "br-connection-canceled": .classic
        default: .failed
        }
    }
}

extension BlueZError {
    /// The error of a call that asks BlueZ what there is.
    init(asking failure: BusFailure) {
        switch failure.name {
        case "org.freedesktop.DBus.Error.AccessDenied":
            self.init(
                .unauthorized,
                "the rules of the bus do not let this user use BlueZ: "
                    + "run sudo usermod -aG bluetooth $USER, and log in anew"
            )
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.Spawn.ServiceNotFound", "org.freedesktop.systemd1.NoSuchUnit":
            self.init(.absent, "bluetoothd does not run: start it with sudo systemctl start bluetooth")
        case BusFailure.closed.name:
            self.init(.absent, "the system's message bus cannot be reached: start it with sudo systemctl start dbus")
        case BusFailure.timedOut.name:
            self.init(.absent, "bluetoothd does not answer: restart it with sudo systemctl restart bluetooth")
        default:
            self.init(.absent, "BlueZ cannot be used: \(failure.name): \(failure.text)".onOneLine)
        }
    }
}

extension String {
    /// A text of another program as a part of one line.
    var onOneLine: String {
        String(self.unicodeScalars.prefix(300).map { $0.isHidden ? " " : Character($0) })
    }
}

extension ATTErrorCode {
    /// The error by which BlueZ answers a central with this code; it has none for many, which become 0x0E.
    var blueZError: (name: String, text: String) {
        switch self {
        case .readNotPermitted, .writeNotPermitted: ("NotPermitted", "")
        case .requestNotSupported: ("NotSupported", "")
        case .invalidOffset: ("InvalidOffset", "")
        case .insufficientAuthorization: ("NotAuthorized", "")
        case .invalidAttributeValueLength: ("InvalidValueLength", "")
        case .procedureAlreadyInProgress: ("InProgress", "")
        // The text is the code, of those of applications only; every other number becomes 0x0E.
        default: ("Failed", "0x" + self.rawValue.hexadecimalDigits.lowercased())
        }
    }
}
