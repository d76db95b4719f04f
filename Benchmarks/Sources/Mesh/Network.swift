// Phones with the mesh messenger in a world that has the time of the process.

import CoreBluetoothProcessTime
import CoreBluetoothTesting

/// Phones, and the apps on them.
@MainActor
final class Network {
    /// The distance of neighbours that hear only their neighbours, in metres.
    static let reach = 300.0

    let world: World
    private(set) var apps: [MeshMessenger] = []

    init(seed: UInt64) { self.world = World(seed: seed, time: .process) }

    func add(x: Double, y: Double = 0) {
        let name = "phone \(self.apps.count)"
        self.apps.append(
            self.world.addDevice(name, position: AirPosition(x: x, y: y)).run {
                let app = MeshMessenger(nickname: name)
                app.start()
                return app
            }
        )
    }

    /// Phones that hear only their neighbours.
    func addLine(_ count: Int) { for number in 0..<count { self.add(x: Self.reach * Double(number)) } }

    /// Phones that hear each other.
    func addCrowd(_ count: Int) {
        for number in 0..<count { self.add(x: Double(number % 10), y: Double(number / 10)) }
    }

    /// Until all phones know each other.
    func getAcquainted() throws {
        let others = self.apps.count - 1
        try self.world.run(
            until: self.apps.allSatisfy { $0.viewModel.people.count == others },
            within: .seconds(300)
        )
    }

    /// A message from the first phone to all others.
    func publish() throws {
        self.apps[0].viewModel.send("hello, everybody")
        try self.world.run(
            until: self.apps.dropFirst().allSatisfy { $0.viewModel.received.contains("hello, everybody") },
            within: .seconds(300)
        )
    }

    /// A message from the last phone to the first one, and its acknowledgement.
    func confide() throws {
        guard let first = self.apps.first, let last = self.apps.last else { return }
        last.viewModel.send("only for you", to: first.id)
        try self.world.run(
            until: first.viewModel.received.contains("only for you") && last.viewModel.isAllDelivered,
            within: .seconds(300)
        )
    }

    /// The work of all apps together.
    var counts: MeshCounts {
        self.apps.reduce(into: MeshCounts()) { sum, app in
            let counts = app.diagnostics.counts
            for path in Self.counted { sum[keyPath: path] += counts[keyPath: path] }
        }
    }

    private static let counted: [WritableKeyPath<MeshCounts, Int>] = [
        \.packetsReceived, \.packetsSent, \.framesSent, \.signaturesMade, \.signaturesChecked, \.documentsEncoded,
        \.documentsDecoded, \.identifiersConverted,
    ]
}
