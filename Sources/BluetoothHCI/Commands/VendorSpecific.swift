// Commands of this project's own virtual controllers. Other controllers answer them with Unknown HCI Command.

/// Sets the distance of a virtual controller's device from all others on the air, instead of a position.
package struct AirSetDistance: HCICommand {
    package static let opcode = HCIOpcode(.vendorSpecific, 0x00D1)
    package var centimetres: UInt32
    package init(centimetres: UInt32) { self.centimetres = centimetres }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.centimetres = try coder.field("Distance", \.centimetres)
    }
}

/// Sets the position of a virtual controller's device on the air, instead of a distance.
package struct AirSetPosition: HCICommand {
    package static let opcode = HCIOpcode(.vendorSpecific, 0x00D2)
    /// In centimetres.
    package var x: Int32
    /// In centimetres.
    package var y: Int32
    package init(x: Int32, y: Int32) { (self.x, self.y) = (x, y) }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.x = try coder.field("X", \.x)
        self.y = try coder.field("Y", \.y)
    }
}
