// The user of a host in a test says what it looks at; of everything else it takes no notice.

package import BluetoothHCI
package import BluetoothHost
package import BluetoothTypes
package import NIOCore

/// A host's user that does nothing where it does not say otherwise.
package protocol QuietHostDelegate: HostDelegate {}

extension QuietHostDelegate {
    /// Does nothing.
    package func host(_ host: LEHost, didChange state: HostState) {}
    /// Does nothing.
    package func host(_ host: LEHost, didReceive report: AdvertisingReport) {}
    /// Does nothing.
    package func host(_ host: LEHost, didConnect link: LinkInformation) {}
    /// Does nothing.
    package func host(_ host: LEHost, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode) {}
    /// Does nothing.
    package func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {}
    /// Does nothing.
    package func host(_ host: LEHost, didChangeMTUOf link: LinkID, to mtu: Int) {}
    /// Does nothing.
    package func host(_ host: LEHost, link: LinkID, didReceiveNotificationFor: AttributeHandle, value: ByteBuffer) {}
    /// Does nothing.
    package func host(_ host: LEHost, link: LinkID, didInvalidateServicesIn range: AttributeHandleRange) {}
    /// Does nothing, so that the client waits.
    package func host(_ host: LEHost, didReceive request: GATTReadRequest) {}
    /// Does nothing, so that the client waits.
    package func host(_ host: LEHost, didReceive request: GATTWriteRequest) {}
    /// Does nothing.
    package func host(_ host: LEHost, link: LinkID, didSubscribe: Bool, toCharacteristic: AttributeHandle) {}
    /// Does nothing.
    package func host(_ host: LEHost, link: LinkID, didTransmit count: Int, of kind: UnacknowledgedPDU) {}
    /// Does nothing.
    package func hostDidFinishTurn(_ host: LEHost) {}
}
