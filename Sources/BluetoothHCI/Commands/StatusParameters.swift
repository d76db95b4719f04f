// Status Parameters (Vol 4, Part E, 7.5).

package import BluetoothTypes

/// Reads the received signal strength of a link (Vol 4, Part E, 7.5.4).
package struct ReadRSSI: HCICommandForLink {
    package static let opcode = HCIOpcode(.statusParameters, 0x0005)
    package var handle: ConnectionHandle
    package init(handle: ConnectionHandle) { self.handle = handle }

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var handle: ConnectionHandle
        /// `nil` if not available.
        package var rssi: RSSI?

        package init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            rssi: RSSI? = nil
        ) {
            (self.status, self.handle, self.rssi) = (status, handle, rssi)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.rssi = try coder.field("RSSI", \.rssi, absent: .notAvailable)
        }
    }
}
