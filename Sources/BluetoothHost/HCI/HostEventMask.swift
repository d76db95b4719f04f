// The events that this host handles. Masking the others saves packets that would be ignored, and a controller may
// refuse a mask with an event that it does not support.

import BluetoothHCI

extension EventMask {
    /// The mask for the events 0x01 to 0x40.
    static func host(of controller: ControllerInformation) -> EventMask {
        var events: [HCIEventCode] = [.disconnectionComplete, .hardwareError, .numberOfCompletedPackets, .leMeta]
        if controller.features.contains(.encryption) { events += [.encryptionChange, .encryptionKeyRefreshComplete] }
        return EventMask(events)
    }
}

extension EventMaskPage2 {
    /// The mask for the events from 0x40 on.
    static func host(of controller: ControllerInformation) -> EventMaskPage2 {
        EventMaskPage2(controller.features.contains(.ping) ? [.authenticatedPayloadTimeoutExpired] : [])
    }
}

extension LEEventMask {
    /// The mask for the LE subevents.
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
