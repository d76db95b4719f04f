// The GATT server's state of bonded clients, beyond their links and the process: in memory, and in the adapter's
// storage. A record is removed with its bond.

import BluetoothHost
import BluetoothTypes
import Foundation

/// The bonded clients of one adapter, by the identity address of the bond. Lives on the event loop.
final class BondedClientStore {
    private var clients: [DeviceAddress: BondedClient] = [:]
    /// Writes them to the storage, once it is known.
    var writer: StateWriter?

    /// The stored state of a client; `nil` for a new bond.
    func client(at address: DeviceAddress) -> BondedClient? {
        let address = address.withoutIdentity
        if let client = self.clients[address] { return client }
        guard address.isWorthKeeping,
            let client = self.writer?.storage.load(BondedClient.self, from: Self.name(address))
        else { return nil }
        self.clients[address] = client
        return client
    }

    /// A client's state has changed.
    func store(_ client: BondedClient, at address: DeviceAddress) {
        let address = address.withoutIdentity
        guard self.clients.updateValue(client, forKey: address) != client, address.isWorthKeeping else { return }
        self.writer?.write(Self.name(address)) { try client.document() }
    }

    /// The bond was removed.
    func remove(_ address: DeviceAddress) {
        let address = address.withoutIdentity
        self.clients[address] = nil
        guard address.isWorthKeeping else { return }
        self.writer?.write(Self.name(address)) { nil }
    }

    static let prefix = "client-"

    static func name(_ address: DeviceAddress) -> String { address.documentName(self.prefix) }
}
