// The devices that the system has paired with, for a tool that lists and removes them.

package import BluetoothTypes
package import NIOCore

/// The bonds of BlueZ's adapters. BlueZ has the keys, and shows none of them.
package enum BlueZBonds {
    /// A device that BlueZ has paired with.
    package struct Bond: Hashable, Sendable {
        /// The address of the adapter.
        package var owner: DeviceAddress
        /// The number of the adapter.
        package var index: Int
        /// The address of the device.
        package var peer: DeviceAddress
        /// Its name; `nil` if none is known.
        package var name: String?
        /// The path of its object.
        var path: String
        /// The path of the adapter's object.
        var adapter: String
    }

    /// Reads all bonds; fails with ``BlueZError``.
    ///
    /// - Parameter bus: The address of the bus; `nil` for that of the system.
    package static func all(on eventLoop: any EventLoop, bus: String? = nil) -> EventLoopFuture<[Bond]> {
        self.ask(eventLoop, bus, "/", BlueZ.objectManager, "GetManagedObjects") { arguments in
            var tree = ObjectTree()
            tree.replace(by: arguments)
            return self.bonds(in: tree)
        }
    }

    /// Removes a bond; BlueZ ends the connection to the device. Fails with ``BlueZError``.
    package static func remove(_ bond: Bond, on eventLoop: any EventLoop, bus: String? = nil) -> EventLoopFuture<Void> {
        self.ask(eventLoop, bus, bond.adapter, BlueZ.adapter, "RemoveDevice", [.path(bond.path)]) { _ in }
    }

    /// The bonds in BlueZ's objects.
    static func bonds(in tree: ObjectTree) -> [Bond] {
        tree.paths(with: BlueZ.device).compactMap { path in
            guard let device = tree.properties(path, BlueZ.device).flatMap({ DeviceProperties($0) }), device.isPaired,
                let adapter = tree.paths(with: BlueZ.adapter).first(where: { BlueZ.path(path, isBelow: $0) }),
                let index = BlueZ.adapterIndex(adapter),
                let owner = tree.properties(adapter, BlueZ.adapter)?["Address"]?.string
                    .flatMap({ DeviceAddress($0, kind: .public) })
            else { return nil }
            return Bond(
                owner: owner,
                index: index,
                peer: device.address,
                name: device.name,
                path: path,
                adapter: adapter
            )
        }
    }

    /// Asks BlueZ once, on a connection of its own.
    private static func ask<Answer: Sendable>(
        _ eventLoop: any EventLoop,
        _ bus: String?,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        answer: @escaping @Sendable ([BusValue]) -> Answer
    ) -> EventLoopFuture<Answer> {
        let promise = eventLoop.makePromise(of: Answer.self)
        eventLoop.execute {
            do throws(BlueZError) {
                let library = try BusLibrary.shared.get()
                let address = bus ?? BlueZSource.systemBus
                let connection = try BusConnection(address: address, library: library, on: eventLoop)
                connection.call(BlueZ.service, path, interface, member, arguments) { result in
                    promise.completeWith(
                        result.map { answer($0.arguments) }.mapError { BlueZError(asking: $0) as any Error }
                    )
                    connection.close()
                }
            } catch {
                promise.fail(error)
            }
        }
        return promise.futureResult
    }
}
