// The user of a host in a test says what it looks at; of everything else it takes no notice.

package import BluetoothHCI
package import BluetoothHost
package import BluetoothTypes
package import NIOCore

/// A host's user that does nothing where it does not say otherwise.
package protocol QuietHostDelegate: HostDelegate {}

extension QuietHostDelegate {
    /// Does nothing.
    package func host(_ host: Host, didChange state: HostState) {}
    /// Does nothing.
    package func host(_ host: Host, didReceive report: AdvertisingReport) {}
    /// Does nothing.
    package func host(_ host: Host, didConnect link: LinkInformation) {}
    /// Does nothing.
    package func host(_ host: Host, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode) {}
    /// Does nothing.
    package func host(_ host: Host, didDisconnect link: LinkInformation, reason: HCIErrorCode) {}
    /// Does nothing.
    package func host(_ host: Host, didChangeMTUOf link: LinkID, to mtu: Int) {}
    /// Does nothing.
    package func host(_ host: Host, link: LinkID, didReceiveNotificationFor: AttributeHandle, value: ByteBuffer) {}
    /// Does nothing.
    package func host(_ host: Host, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange) {}
    /// Does nothing, so that the client waits.
    package func host(_ host: Host, didReceive request: GATTReadRequest) {}
    /// Does nothing, so that the client waits.
    package func host(_ host: Host, didReceive request: GATTWriteRequest) {}
    /// Does nothing.
    package func host(_ host: Host, link: LinkID, didSubscribe: Bool, toCharacteristic: AttributeHandle) {}
    /// Does nothing.
    package func host(_ host: Host, link: LinkID, didTransmit count: Int, of kind: UnacknowledgedPDU) {}
    /// Does nothing.
    package func hostDidFinishTurn(_ host: Host) {}
}
