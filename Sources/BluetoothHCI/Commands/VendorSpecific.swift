// Commands of this project's own virtual controllers. Other controllers answer them with Unknown HCI Command.

/// Sets the distance of a virtual controller's device from the others on the air, in place of a position.
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

/// Sets the position of a virtual controller's device on the air, in place of a distance.
public struct AirSetPosition: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.vendorSpecific, 0x00D2)

    /// The first coordinate in centimetres.
    public var x: Int32
    /// The second coordinate in centimetres.
    public var y: Int32

    /// Creates the command.
    public init(x: Int32, y: Int32) {
        self.x = x
        self.y = y
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.x = try coder.field("X", \.x)
        self.y = try coder.field("Y", \.y)
    }
}
