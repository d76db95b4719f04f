// The commands of each generation of controllers, for presets without a published list.

import BluetoothHCI

extension SupportedCommands {
    /// Creates a list from its first octets in hexadecimal; the others are zero.
    init(_ octets: String) {
        self.init()
        for (octet, value) in ([UInt8](hexadecimal: octets) ?? []).enumerated() {
            for bit in 0..<8 where value & 1 << bit != 0 { self.insert(Bit(octet: octet, bit: bit)) }
        }
    }

    /// The LE commands with these numbers.
    static func le(_ numbers: ClosedRange<UInt16>...) -> SupportedCommands {
        SupportedCommands(
            numbers.joined().compactMap { HCICommandTable.command(HCIOpcode(.leController, $0)) }
        )
    }

    func union(_ other: SupportedCommands) -> SupportedCommands {
        self.union(HCICommandTable.entries.map(\.command).filter(other.contains))
    }

    func union(_ commands: [any HCICommand.Type]) -> SupportedCommands {
        var result = self
        for command in commands { result.insert(command) }
        return result
    }

    /// The commands of every LE controller since Bluetooth 4.0.
    static let leOnly = SupportedCommands.le(0x01...0x1F).union([
        Disconnect.self, ReadRemoteVersionInformation.self, SetEventMask.self, Reset.self,
        ReadLocalVersionInformation.self, ReadLocalSupportedFeatures.self, ReadBDADDR.self, ReadRSSI.self,
    ])
    /// The same with BR/EDR.
    static let dualMode = leOnly.union([
        ReadBufferSize.self, ReadLEHostSupport.self, WriteLEHostSupport.self, SetControllerToHostFlowControl.self,
        HostBufferSize.self, HostNumberOfCompletedPackets.self,
    ])
    /// Additions of 4.1 and 4.2.
    static let le42 = SupportedCommands.le(0x20...0x2F).union([
        SetEventMaskPage2.self, ReadAuthenticatedPayloadTimeout.self, WriteAuthenticatedPayloadTimeout.self,
    ])
    /// Additions of 5.0 without extended advertising.
    static let le5 = le42.union(.le(0x30...0x32, 0x4E...0x4E))
    /// Extended advertising.
    static let extended = SupportedCommands.le(0x35...0x43, 0x4B...0x4B)
}
