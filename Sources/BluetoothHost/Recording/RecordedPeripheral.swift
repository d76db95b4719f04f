// A recorded peripheral: its advertisements, its database, and its answers and sent values with their times. It comes
// from a capture or a description, and is the basis of scripted and described peripherals.

package import BluetoothTypes
package import NIOCore

/// A recorded peripheral.
package struct RecordedPeripheral: Sendable {
    /// Its address; `nil` if unknown.
    package var address: DeviceAddress?
    /// Advertising data, without the scan response; `nil` if it was not received.
    package var advertisingData: ByteBuffer?
    /// Scan response data; `nil` if it was not received.
    package var scanResponse: ByteBuffer?
    /// Whether centrals may connect.
    package var isConnectable = true
    /// The time from one advertisement to the next; `nil` if fewer than two were received.
    package var advertisingInterval: TimeAmount?
    /// The GAP Device Name, if it was read.
    package var deviceName: String?
    /// The ATT MTU that it offers, if that was exchanged.
    package var mtu: Int?
    /// Its services in ascending order of their handles, without Generic Access and Generic Attribute.
    package var services: [RecordedService] = []
    /// The contents of its Generic Attribute service; `nil` if it was not discovered.
    package var genericAttribute: GenericAttributeService?

    package init() {}

    /// The name in the advertisement, or else the GAP Device Name.
    package var name: String? {
        for data in [self.scanResponse, self.advertisingData] {
            if let name = data.flatMap({ AdvertisingData(parsing: $0).localName }) { return name }
        }
        return self.deviceName
    }
}

/// A recorded service.
package struct RecordedService: Sendable {
    /// Its UUID.
    package var uuid: BluetoothUUID
    /// Primary or secondary.
    package var isPrimary: Bool
    /// Its handles.
    package var handles: AttributeHandleRange
    /// The first handles of the services that it includes.
    package var includes: [AttributeHandle] = []
    /// Its characteristics, in ascending order of their handles.
    package var characteristics: [RecordedCharacteristic] = []
    /// Whether its characteristics were discovered.
    package var wasDiscovered = false

    package init(uuid: BluetoothUUID, isPrimary: Bool, handles: AttributeHandleRange) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.handles = handles
    }
}

/// A recorded characteristic.
package struct RecordedCharacteristic: Sendable {
    /// A read, and its answer.
    package struct Read: Hashable, Sendable {
        /// The value, or the error.
        package var result: Result<ByteBuffer, ATTErrorCode>
        /// The number of earlier writes to the characteristic.
        package var writesBefore: Int

        package init(_ result: Result<ByteBuffer, ATTErrorCode>, writesBefore: Int = 0) {
            self.result = result
            self.writesBefore = writesBefore
        }
    }

    /// A write, and its outcome.
    package struct Write: Hashable, Sendable {
        /// The written value.
        package var value: ByteBuffer
        /// The error with which it was refused; `nil` if it was accepted.
        package var error: ATTErrorCode?
        /// Whether it was a request without an answer.
        package var isUnanswered = false
        /// The values that were sent in response, in order.
        package var answers: [Answer] = []

        package init(value: ByteBuffer, error: ATTErrorCode? = nil, answers: [Answer] = []) {
            self.value = value
            self.error = error
            self.answers = answers
        }
    }

    /// A value that was sent in response to a write.
    package struct Answer: Hashable, Sendable {
        /// The characteristic's value handle.
        package var handle: AttributeHandle
        /// The time since the write.
        package var delay: TimeAmount
        /// The value.
        package var value: ByteBuffer

        package init(handle: AttributeHandle, delay: TimeAmount, value: ByteBuffer) {
            self.handle = handle
            self.delay = delay
            self.value = value
        }
    }

    /// A value that was sent spontaneously.
    package struct Update: Hashable, Sendable {
        /// The time since the subscription.
        package var delay: TimeAmount
        /// The value.
        package var value: ByteBuffer

        package init(delay: TimeAmount, value: ByteBuffer) {
            self.delay = delay
            self.value = value
        }
    }

    /// A descriptor.
    package struct Descriptor: Hashable, Sendable {
        /// Its UUID.
        package var uuid: BluetoothUUID
        /// Its value; `nil` if it was not read.
        package var value: ByteBuffer?

        package init(uuid: BluetoothUUID, value: ByteBuffer?) {
            self.uuid = uuid
            self.value = value
        }
    }

    /// Its UUID.
    package var uuid: BluetoothUUID
    /// The properties octet.
    package var properties: CharacteristicProperties
    /// The handle of its value.
    package var handle: AttributeHandle
    /// Whether it has a Client Characteristic Configuration; true if that was not discovered.
    package var hasClientConfiguration = true
    /// The descriptors, without Extended Properties and Client Characteristic Configuration.
    package var descriptors: [Descriptor] = []
    /// Whether access was refused because the connection was not secure enough.
    package var demandsEncryption = false
    /// The reads, in order.
    package var reads: [Read] = []
    /// The writes, in order.
    package var writes: [Write] = []
    /// Whether a client has subscribed to it.
    package var wasSubscribed = false
    /// The values that it sent spontaneously after a subscription.
    package var updates: [Update] = []

    package init(uuid: BluetoothUUID, properties: CharacteristicProperties, handle: AttributeHandle) {
        self.uuid = uuid
        self.properties = properties
        self.handle = handle
    }

    /// The initial value: the first that was read, or sent spontaneously.
    package var firstValue: ByteBuffer? {
        for read in self.reads {
            if case .success(let value) = read.result { return value }
        }
        return self.updates.first?.value
    }
}
