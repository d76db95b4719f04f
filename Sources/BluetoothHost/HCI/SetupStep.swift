// What a controller is asked and told before it is used.

import BluetoothHCI

/// The steps of taking a controller into use, in order.
enum SetupStep: CaseIterable {
    case reset
    case version
    case supportedCommands
    case linkManagerFeatures
    case address
    case features
    case leHostSupport
    case bufferSize
    case receiveBuffers
    case flowControl
    case acceptListSize
    case resolvingListSize
    case supportedStates
    case eventMask
    case eventMaskPage2
    case leEventMask
    case suggestedDataLength
    case randomAddress
    case extendedCommands

    /// Whether a controller with these abilities needs the step.
    func applies(to controller: ControllerInformation, configuration: LEHostConfiguration) -> Bool {
        switch self {
        case .suggestedDataLength:
            controller.features.contains(.dataPacketLengthExtension)
                && controller.knows(LEWriteSuggestedDefaultDataLength.self)
        case .receiveBuffers:
            configuration.limitsReceivedData && controller.knows(HostBufferSize.self)
                && controller.knows(SetControllerToHostFlowControl.self)
                && controller.knows(HostNumberOfCompletedPackets.self)
        case .flowControl: controller.knowsHostBuffers
        case .acceptListSize: controller.knows(LEReadFilterAcceptListSize.self)
        case .supportedStates: controller.knows(LEReadSupportedStates.self)
        case .resolvingListSize:
            controller.features.contains(.privacy) && controller.knows(LEReadResolvingListSize.self)
                && controller.knows(LEAddDeviceToResolvingList.self)
                && controller.knows(LESetAddressResolutionEnable.self)
        // Some chips of Broadcom list it and do not have it, and those have no event that it is needed for.
        case .eventMaskPage2:
            EventMaskPage2.host(of: controller).rawValue != 0
                && controller.supportedCommands?.contains(SetEventMaskPage2.self) ?? false
        // A list of commands that says nothing does not say this, and a chip without its firmware is not to be
        // believed.
        case .extendedCommands:
            configuration.usesExtendedAdvertising ?? true && controller.features.contains(.extendedAdvertising)
                && controller.version?.runsFromROM != true
                && controller.supportedCommands.map { ExtendedCommands.needed.allSatisfy($0.contains) } ?? false
        case .leHostSupport: controller.isDualMode && controller.knows(WriteLEHostSupport.self)
        case .reset, .version, .supportedCommands, .linkManagerFeatures, .address, .features, .bufferSize, .eventMask,
            .leEventMask, .randomAddress:
            true
        }
    }
}
