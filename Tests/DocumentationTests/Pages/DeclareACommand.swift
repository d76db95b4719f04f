// The program of the page "Declare a command", which is BluetoothHCI.docc/DeclareACommand.md.

import BluetoothHCI

/// Sets the power of a chip's indicator lamp, by a command of its manufacturer.
struct WriteLampPower: HCICommand {
    static let opcode = HCIOpcode(.vendorSpecific, 0x0042)

    /// Which lamp.
    var lamp: UInt8
    /// The power in milliwatts.
    var milliwatts: UInt16

    init(lamp: UInt8, milliwatts: UInt16) {
        self.lamp = lamp
        self.milliwatts = milliwatts
    }

    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.lamp = try coder.field("Lamp", \.lamp)
        self.milliwatts = try coder.field("Power", \.milliwatts)
    }
}
