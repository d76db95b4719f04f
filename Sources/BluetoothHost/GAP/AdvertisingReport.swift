// What a scanning host reports.

public import BluetoothTypes
public import NIOCore

/// One advertisement or scan response.
public struct AdvertisingReport: Hashable, Sendable {
    /// The advertiser.
    public var address: DeviceAddress
    /// Whether the advertiser can be connected to.
    public var isConnectable: Bool
    /// Whether the advertiser answers a scan request, so that its scan response may follow.
    public var isScannable: Bool
    /// Whether the data is a scan response.
    public var isScanResponse: Bool
    /// Whether the end of the data was not received, as may happen to extended advertising.
    public var isTruncated: Bool
    /// The advertising or scan response data, unparsed: 31 octets of legacy, 1650 of extended advertising at most.
    public var data: ByteBuffer
    /// The strength of the signal; `nil` where the controller does not know it.
    public var rssi: RSSI?
    /// The PHY of the primary advertisement.
    public var primaryPHY: PHY
    /// The PHY of the secondary advertisement; `nil` where there was none.
    public var secondaryPHY: PHY?

    /// Creates a report.
    public init(
        address: DeviceAddress,
        isConnectable: Bool,
        isScannable: Bool,
        isScanResponse: Bool,
        isTruncated: Bool = false,
        data: ByteBuffer,
        rssi: RSSI?,
        primaryPHY: PHY = .le1M,
        secondaryPHY: PHY? = nil
    ) {
        self.address = address
        self.isConnectable = isConnectable
        self.isScannable = isScannable
        self.isScanResponse = isScanResponse
        self.isTruncated = isTruncated
        self.data = data
        self.rssi = rssi
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
    }
}
