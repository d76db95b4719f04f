// The names of the features of a link layer, page 0 (Vol 6, Part B, 4.6).

import BluetoothHCI

extension LEFeatures {
    /// The names of the features that are set, in the order of their bits; `bit 48` for those without a name here.
    var names: [String] {
        (0..<64).filter { rawValue & 1 << $0 != 0 }
            .map { Self.bitNames.indices.contains($0) ? Self.bitNames[$0] : "bit \($0)" }
    }

    /// Those that matter to Core Bluetooth and are not set.
    var missing: [String] {
        LEFeatures([
            .encryption, .dataPacketLengthExtension, .privacy, .phy2M, .phyCoded, .extendedAdvertising,
        ]).subtracting(self).names
    }

    /// The names of those that are set and need commands to be used, with the commands.
    var commandsOfFeatures: [(name: String, commands: [any HCICommand.Type])] {
        let all: [(feature: LEFeatures, commands: [any HCICommand.Type])] = [
            (.encryption, [LEEnableEncryption.self, LELongTermKeyRequestReply.self]),
            (.dataPacketLengthExtension, [LESetDataLength.self]),
            (.privacy, [LEAddDeviceToResolvingList.self, LESetAddressResolutionEnable.self]),
            (.phy2M, [LESetPHY.self]), (.phyCoded, [LESetPHY.self]),
            (.extendedAdvertising, [LESetExtendedAdvertisingEnable.self, LESetExtendedScanEnable.self]),
        ]
        return all.filter { contains($0.feature) }.map { ($0.feature.names.joined(), $0.commands) }
    }

    /// By the number of the bit.
    private static let bitNames = [
        "LE Encryption", "Connection Parameters Request", "Extended Reject Indication",
        "Peripheral-initiated Features Exchange", "LE Ping", "LE Data Packet Length Extension", "LL Privacy",
        "Extended Scanner Filter Policies", "LE 2M PHY", "Stable Modulation Index (transmitter)",
        "Stable Modulation Index (receiver)", "LE Coded PHY", "LE Extended Advertising", "LE Periodic Advertising",
        "Channel Selection Algorithm #2", "LE Power Class 1", "Minimum Number of Used Channels",
        "Connection CTE Request", "Connection CTE Response", "Connectionless CTE Transmitter",
        "Connectionless CTE Receiver", "Antenna Switching During CTE Transmission",
        "Antenna Switching During CTE Reception", "Receiving Constant Tone Extensions",
        "Periodic Advertising Sync Transfer (sender)", "Periodic Advertising Sync Transfer (recipient)",
        "Sleep Clock Accuracy Updates", "Remote Public Key Validation", "Connected Isochronous Stream (central)",
        "Connected Isochronous Stream (peripheral)", "Isochronous Broadcaster", "Synchronized Receiver",
        "Connected Isochronous Stream (host support)", "LE Power Control Request",
        "LE Power Control Request (second bit)", "LE Path Loss Monitoring", "Periodic Advertising ADI",
        "Connection Subrating", "Connection Subrating (host support)", "Channel Classification",
        "Advertising Coding Selection", "Advertising Coding Selection (host support)",
        "Decision-Based Advertising Filtering", "Periodic Advertising with Responses (advertiser)",
        "Periodic Advertising with Responses (scanner)", "Unsegmented Framed Mode", "Channel Sounding",
        "Channel Sounding (host support)",
    ]
}
