// Commands of this project's own virtual controllers. Other controllers answer them with Unknown HCI Command.

/// Sets the distance of a virtual controller's device from the others on the air.
public struct AirSetDistance: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.vendorSpecific, 0x00D1)

    /// The distance in centimetres.
    public var centimetres: UInt32

    /// Creates the command.
    public init(centimetres: UInt32) {
        self.centimetres = centimetres
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.centimetres = try coder.field("Distance", \.centimetres)
    }
}
