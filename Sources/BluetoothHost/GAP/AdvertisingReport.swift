// What a scanning host reports.

public import BluetoothTypes
public import NIOCore

/// One advertising packet, or a packet with its scan response.
public struct AdvertisingReport: Hashable, Sendable {
    /// The advertiser.
    public var address: DeviceAddress
    /// Whether the advertiser can be connected to.
    public var isConnectable: Bool
    /// Whether the advertiser answers a scan request, so that its scan response may follow.
    public var isScannable: Bool
    /// Whether the data is a scan response.
    public var isScanResponse: Bool
    /// The advertising or scan response data, unparsed.
    public var data: ByteBuffer
    /// The strength of the signal in dBm; 127 where it is not known.
    public var rssi: Int8
    /// The PHY of the primary advertisement: 1 for 1M, 3 for Coded.
    public var primaryPHY: UInt8
    /// The PHY of the secondary advertisement; 0 where there was none.
    public var secondaryPHY: UInt8

    /// Creates a report.
    public init(
        address: DeviceAddress,
        isConnectable: Bool,
        isScannable: Bool,
        isScanResponse: Bool,
        data: ByteBuffer,
        rssi: Int8,
        primaryPHY: UInt8 = 1,
        secondaryPHY: UInt8 = 0
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
