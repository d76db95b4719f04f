// The events that this host acts on. A mask that names no others saves packets that would be ignored, and one that
// names an event that the controller cannot have may be refused.

import BluetoothHCI

extension EventMask {
    /// What the host wants of the events 0x01 to 0x40.
    static func host(of controller: ControllerInformation) -> EventMask {
        var events: [HCIEventCode] = [.disconnectionComplete, .hardwareError, .numberOfCompletedPackets, .leMeta]
        if controller.features.contains(.encryption) { events += [.encryptionChange, .encryptionKeyRefreshComplete] }
        return EventMask(events)
    }
}

extension EventMaskPage2 {
    /// What the host wants of the events from 0x40 on.
    static func host(of controller: ControllerInformation) -> EventMaskPage2 {
        EventMaskPage2(controller.features.contains(.ping) ? [.authenticatedPayloadTimeoutExpired] : [])
    }
}

extension LEEventMask {
    /// What the host wants of the LE subevents.
    static func host(of controller: ControllerInformation) -> LEEventMask {
        let features = controller.features
        var events: [LESubeventCode] = [.connectionComplete, .advertisingReport, .connectionUpdateComplete]
        if features.contains(.encryption) { events.append(.longTermKeyRequest) }
        if features.contains(.connectionParametersRequest),
            controller.knows(LERemoteConnectionParameterRequestReply.self)
        {
            events.append(.remoteConnectionParameterRequest)
        }
        if features.contains(.dataPacketLengthExtension) { events.append(.dataLengthChange) }
        if !features.isDisjoint(with: [.privacy, .extendedAdvertising]) { events.append(.enhancedConnectionComplete) }
        if !features.isDisjoint(with: [.phy2M, .phyCoded]) { events.append(.phyUpdateComplete) }
        if features.contains(.extendedAdvertising) { events.append(.extendedAdvertisingReport) }
        return LEEventMask(events)
    }
}
