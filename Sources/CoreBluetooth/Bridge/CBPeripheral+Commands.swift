// Writes without response (ATT_WRITE_CMD) on the app's side: whether one is sent, decided in one turn of the lock,
// since streams are made of them.

import BluetoothHost
import Foundation
import NIOCore

extension CBPeripheral {
    /// Writes a value without response, if one can be sent now.
    func writeWithoutResponse(_ data: Data, to characteristic: CBCharacteristic) {
        guard let record = characteristic.record else { return self.logForeign(characteristic) }
        let (capacity, isObserved) = self.lock.withLock {
            (self.reserve(data.count, for: characteristic, record), self.propertyObservation.observer != nil)
        }
        switch capacity {
        case .foreign: self.logForeign(characteristic)
        case .notPermitted:
            LogLines.log(
                """
                WARNING: Characteristic \(characteristic) does not specify the "Write Without Response" property - \
                ignoring response-less write
                """
            )
        case .tooLong:
            LogLines.log(
                """
                WARNING: \(data.count) octets are too long for a response-less write to \(characteristic) - \
                ignoring it
                """
            )
        case .full:
            LogLines.log(
                """
                WARNING: \(self) has no capacity for further response-less writes - ignoring one; \
                ask canSendWriteWithoutResponse first
                """
            )
        case .notConnected: self.logNotConnected()
        case .reserved(let connection, let invalidations, let window):
            if isObserved { self.propertyObservation.propertiesChanged() }
            self.context.send(
                .writeWithoutResponse(
                    connection,
                    record.valueHandle,
                    ByteBuffer(octetsOf: data, in: window.takeBuffer()),
                    invalidations: invalidations
                )
            )
        }
    }

    /// Whether a write without response can be sent.
    private enum Capacity {
        case foreign
        case notPermitted
        case tooLong
        case full
        case notConnected
        /// The window may have memory for the value.
        case reserved(ConnectionID, invalidations: Int, TransmitWindow)
    }

    /// Counts a write without response of `count` octets, if it can be sent.
    ///
    /// Under the lock.
    private func reserve(
        _ count: Int,
        for characteristic: CBCharacteristic,
        _ record: GATTRemoteCharacteristic
    ) -> Capacity {
        guard self.has(.characteristic(characteristic, record)) else { return .foreign }
        guard record.properties.contains(.writeWithoutResponse) else { return .notPermitted }
        guard count <= self.longestCommandValue else { return .tooLong }
        guard self.connection.state == .connected else { return .notConnected }
        // An app that does not ask first is tolerated up to a limit, unless a test wants it otherwise.
        let hasRoom =
            self.context.adapter.configuration.losesOverrunningWrites
            ? self.writeWindow.addIfWritable() : self.writeWindow.add(limit: Self.writeQueueLimit)
        guard hasRoom else { return .full }
        return .reserved(self.connectionID, invalidations: self.invalidations, self.writeWindow)
    }

    /// The longest value of a write without response, in octets.
    ///
    /// Under the lock.
    var longestCommandValue: Int { min(self.mtu - 3, ATT.maximumValueLength) }

    /// The number of writes without response that may wait; further ones are dropped.
    private static let writeQueueLimit = 4096
}
