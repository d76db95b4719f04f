// Commands of this project's own virtual controllers. Other controllers answer them with Unknown HCI Command.

public import BluetoothTypes
public import NIOCore

/// Tells a virtual controller how far its device stands from the others on the air.
public struct AirSetDistance: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.vendorSpecific, 0x00D1)

    /// The distance in centimetres.
    public var centimetres: UInt32

    /// Creates the command.
    public init(centimetres: UInt32) {
        self.centimetres = centimetres
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.centimetres.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            centimetres: try bytes.readParameter("Distance")
        )
    }
}
