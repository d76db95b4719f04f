// What this device's GATT server keeps of clients with which it is bonded, beyond their links and beyond the process:
// in memory, and in the adapter's storage. A record lasts as long as its bond, and is removed with it.

import BluetoothHost
import BluetoothTypes
import Foundation

/// The bonded clients of one adapter, by the identity address of the bond. Lives on the event loop.
final class BondedClientStore {
    private var clients: [DeviceAddress: BondedClient] = [:]
    /// Writes them to the storage, once it is known.
    var writer: StateWriter?

    /// What is kept of a client; `nil` for a new bond.
    func client(at address: DeviceAddress) -> BondedClient? {
        let address = address.withoutIdentity
        if let client = self.clients[address] { return client }
        guard address.isWorthKeeping,
            let client = self.writer?.storage.load(BondedClient.self, from: Self.name(address))
        else { return nil }
        self.clients[address] = client
        return client
    }

    /// Something has changed that is kept of a client.
    func store(_ client: BondedClient, at address: DeviceAddress) {
        let address = address.withoutIdentity
        guard self.clients.updateValue(client, forKey: address) != client, address.isWorthKeeping else { return }
        self.writer?.write(Self.name(address)) { try client.document() }
    }

    /// The bond is gone.
    func remove(_ address: DeviceAddress) {
        let address = address.withoutIdentity
        self.clients[address] = nil
        guard address.isWorthKeeping else { return }
        self.writer?.write(Self.name(address)) { nil }
    }

    static func name(_ address: DeviceAddress) -> String {
        let kind = address.isRandom ? "random" : "public"
        return "client-\(address.description.filter { $0 != ":" })-\(kind).json"
    }
}
