// Calls to BlueZ go to the unique name of one process, so a process that takes BlueZ's name later does not get them.

import NIOCore

/// Calls the methods of one bluetoothd.
struct BlueZCalls {
    let bus: BusConnection
    /// The unique name of bluetoothd.
    let owner: String

    func call(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        timeout: TimeAmount = BusConnection.defaultTimeout,
        completion: @escaping (Result<BusMessage, BusFailure>) -> Void = { _ in }
    ) {
        self.bus.call(self.owner, path, interface, member, arguments, timeout: timeout, completion: completion)
    }
}
