// The report of a scanning host.

public import BluetoothTypes
public import NIOCore

/// One advertisement or scan response.
public struct AdvertisingReport: Hashable, Sendable {
    /// The advertiser.
    public var address: DeviceAddress
    /// Whether the advertiser can be connected to.
    package var isConnectable: Bool
    /// Whether the advertiser answers a scan request, so that its scan response may follow.
    package var isScannable: Bool
    /// Whether the data is a scan response.
    package var isScanResponse: Bool
    /// The advertising or scan response data, unparsed; its end is missing if extended advertising was not received
    /// whole.
    public var data: ByteBuffer
    /// The strength of the signal; `nil` if the controller does not know it.
    package var rssi: RSSI?
    /// The PHY of the primary advertisement.
    package var primaryPHY: PHY
    /// The PHY of the secondary advertisement; `nil` if there was none.
    package var secondaryPHY: PHY?

    /// Creates a report.
    package init(
        address: DeviceAddress,
        isConnectable: Bool,
        isScannable: Bool,
        isScanResponse: Bool,
        data: ByteBuffer,
        rssi: RSSI?,
        primaryPHY: PHY = .le1M,
        secondaryPHY: PHY? = nil
    ) {
        self.address = address
        self.isConnectable = isConnectable
        self.isScannable = isScannable
        self.isScanResponse = isScanResponse
        self.data = data
        self.rssi = rssi
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
    }
}
