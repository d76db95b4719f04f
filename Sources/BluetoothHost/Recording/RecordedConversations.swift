// All conversations of a capture, and the choice of one of them. If a capture is not sufficient, an error says what to
// record.

package import BluetoothHCI
import BluetoothTypes

/// Why a capture is not sufficient for a peripheral, in one line.
package struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line.
    package var description: String

    package init(_ description: String) { self.description = description }
}

/// The peripherals of a capture.
package struct RecordedConversations: Sendable {
    private let peripherals: [(key: ConversationReader.Key, peripheral: RecordedPeripheral)]
    private let advertiserCount: Int

    /// Reads packets, with times in microseconds, in order.
    package init(_ packets: some Sequence<(HCIPacket, PacketFormatter.Direction, Int64)>) {
        var reader = ConversationReader()
        for (packet, direction, time) in packets { reader.receive(packet, direction, at: time) }
        self.peripherals = reader.peripherals()
        self.advertiserCount = reader.advertiserCount
    }

    /// The peripheral with an address or a name; without one, the only one whose database was discovered.
    ///
    /// - Throws: ``RecordingError``, which lists the peripherals, or says what to record.
    package func peripheral(_ device: String?) throws(RecordingError) -> RecordedPeripheral {
        guard !self.peripherals.isEmpty else {
            let heard =
                self.advertiserCount == 0
                ? "nobody was heard"
                : "\(self.advertiserCount) device\(self.advertiserCount == 1 ? " was" : "s were") heard"
            throw RecordingError(
                "the capture has no connection (\(heard)): record while a central connects to the peripheral "
                    + "and uses it"
            )
        }
        let chosen: [(key: ConversationReader.Key, peripheral: RecordedPeripheral)]
        if let device {
            chosen = self.peripherals.filter { Self.matches($0, device) }
            guard !chosen.isEmpty else {
                throw RecordingError("the capture has no conversation with \(device); it has \(self.names)")
            }
        } else {
            let discovered = self.peripherals.filter { !$0.peripheral.services.isEmpty }
            chosen = discovered.isEmpty ? self.peripherals : discovered
        }
        guard chosen.count == 1, let only = chosen.first else {
            throw RecordingError(
                "the capture has conversations with \(chosen.count) peripherals, choose one: \(Self.names(of: chosen))"
            )
        }
        guard !only.peripheral.services.isEmpty else {
            throw RecordingError(
                "the capture has no discovery of the services of \(Self.name(of: only)): "
                    + "the central knew them already; record a first connection, "
                    + "with Bluetooth switched off and on before or the pairing removed"
            )
        }
        return only.peripheral
    }

    private var names: String { Self.names(of: self.peripherals) }

    private static func names(of peripherals: [(key: ConversationReader.Key, peripheral: RecordedPeripheral)]) -> String
    { peripherals.map(self.name).joined(separator: ", ") }

    private static func name(of entry: (key: ConversationReader.Key, peripheral: RecordedPeripheral)) -> String {
        let name = entry.peripheral.name.map { " \"\($0.filter { !$0.isNewline && $0 != "\0" })\"" } ?? ""
        switch entry.key {
        case .local: return "local" + name
        case .peer(let address): return address.description + name
        case .unknownPeer(let handle): return "link-\(handle.rawValue)" + name
        }
    }

    private static func matches(
        _ entry: (key: ConversationReader.Key, peripheral: RecordedPeripheral),
        _ device: String
    ) -> Bool {
        // Some devices fill their names with NULs.
        if let name = entry.peripheral.name?.prefix(while: { $0 != "\0" }), name == device { return true }
        let device = device.lowercased()
        switch entry.key {
        case .local: return device == "local" || entry.peripheral.address?.description.lowercased() == device
        case .peer(let address):
            return address.description.lowercased() == device
                || DeviceAddress(device, kind: address.kind)?.value == address.value
        case .unknownPeer(let handle): return device == "link-\(handle.rawValue)"
        }
    }
}
