// Events of advertising and scanning other than reports (Vol 4, Part E, 7.7.65).

package import BluetoothTypes

/// Scanning has ended because its duration has passed (Vol 4, Part E, 7.7.65.17).
public struct LEScanTimeout: LEEventPayload {
    package static let subevent = LESubeventCode.scanTimeout
    package init() {}

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) { self.init() }
}

/// An advertising set has stopped: by its limits, or because a link was established (Vol 4, Part E, 7.7.65.18).
public struct LEAdvertisingSetTerminated: LEEventPayload {
    package static let subevent = LESubeventCode.advertisingSetTerminated
    package var status: HCIErrorCode
    package var advertisingHandle: AdvertisingHandle
    /// The link that was established, if one was.
    package var handle: ConnectionHandle
    package var completedEvents: UInt8

    package init(
        status: HCIErrorCode = .success,
        advertisingHandle: AdvertisingHandle,
        handle: ConnectionHandle,
        completedEvents: UInt8
    ) {
        self.status = status
        self.advertisingHandle = advertisingHandle
        self.handle = handle
        self.completedEvents = completedEvents
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.completedEvents = try coder.field("Num_Completed_Extended_Advertising_Events", \.completedEvents)
    }
}

/// An advertising set has received a scan request (Vol 4, Part E, 7.7.65.19).
public struct LEScanRequestReceived: LEEventPayload {
    package static let subevent = LESubeventCode.scanRequestReceived
    package var advertisingHandle: AdvertisingHandle
    package var scanner: DeviceAddress

    package init(advertisingHandle: AdvertisingHandle, scanner: DeviceAddress) {
        (self.advertisingHandle, self.scanner) = (advertisingHandle, scanner)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.scanner = try coder.field("Scanner_Address", \.scanner)
    }
}
