// Commands of this project's own virtual controllers. Other controllers answer them with Unknown HCI Command.

/// Sets the distance of a virtual controller's device from all others on the air, instead of a position.
public struct AirSetDistance: HCICommand {
    public static let opcode = HCIOpcode(.vendorSpecific, 0x00D1)
    public var centimetres: UInt32
    public init(centimetres: UInt32) { self.centimetres = centimetres }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.centimetres = try coder.field("Distance", \.centimetres)
    }
}

/// Sets the position of a virtual controller's device on the air, instead of a distance.
public struct AirSetPosition: HCICommand {
    public static let opcode = HCIOpcode(.vendorSpecific, 0x00D2)
    /// In centimetres.
    public var x: Int32
    /// In centimetres.
    public var y: Int32
    public init(x: Int32, y: Int32) { (self.x, self.y) = (x, y) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.x = try coder.field("X", \.x)
        self.y = try coder.field("Y", \.y)
    }
}
