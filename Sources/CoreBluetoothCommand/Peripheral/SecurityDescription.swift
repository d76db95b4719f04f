// The security that a described peripheral demands of a connection.
//
//     "security": "encrypted"                                     reading, writing and subscribing
//     "security": { "read": "encrypted", "write": "authenticated", "notify": "encrypted", "description": "encrypted" }

import BluetoothHost
import CoreBluetooth

extension GATTDescription {
    /// A level of security.
    enum Level: String, NamedValue {
        /// Encrypted, by any kind of pairing.
        case encrypted
        /// Encrypted, and the devices have paired by a code.
        case authenticated

        /// The level for Core Bluetooth.
        var value: SecurityLevel {
            switch self {
            case .encrypted: .encrypted
            case .authenticated: .authenticated
            }
        }
    }

    /// The security that a characteristic requires.
    struct Security: Decodable {
        var read: Level?
        var write: Level?
        /// Of those who subscribe, to notifications or indications.
        var notify: Level?
        /// Of those who read the Characteristic User Description.
        var description: Level?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case read
            case write
            case notify
            case description
        }

        /// The same level for reading, writing and subscribing.
        init(all level: Level) { (self.read, self.write, self.notify) = (level, level, level) }

        init(from decoder: any Decoder) throws {
            if (try? decoder.singleValueContainer().decode(String.self)) != nil {
                let level = try Level(from: decoder)
                (self.read, self.write, self.notify) = (level, level, level)
                return
            }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.read = try container.decodeIfPresent(Level.self, forKey: .read)
            self.write = try container.decodeIfPresent(Level.self, forKey: .write)
            self.notify = try container.decodeIfPresent(Level.self, forKey: .notify)
            self.description = try container.decodeIfPresent(Level.self, forKey: .description)
        }

        /// What a characteristic with these properties and permissions is to have more.
        func add(to properties: inout CBCharacteristicProperties, _ permissions: inout CBAttributePermissions) {
            if permissions.contains(.readable) {
                switch self.read {
                case .encrypted?: permissions.insert(.readEncryptionRequired)
                case .authenticated?: permissions.insert(.readAuthenticationRequired)
                case nil: break
                }
            }
            if permissions.contains(.writeable) {
                switch self.write {
                case .encrypted?: permissions.insert(.writeEncryptionRequired)
                case .authenticated?: permissions.insert(.writeAuthenticationRequired)
                case nil: break
                }
            }
            guard let notify = self.notify else { return }
            if properties.contains(.notify) { properties.insert(.notifyEncryptionRequired) }
            if properties.contains(.indicate) { properties.insert(.indicateEncryptionRequired) }
            if notify == .authenticated, !properties.isDisjoint(with: [.notify, .indicate]) {
                properties.insert(.subscriptionAuthenticationRequired)
            }
        }
    }

    /// An L2CAP channel that centrals may open: what comes on it is printed and sent back.
    struct Channel: Decodable {
        var security: Level?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case security
        }
    }
}
