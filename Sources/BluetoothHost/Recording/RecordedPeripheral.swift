// A peripheral as a conversation with it has shown it: what it advertises, its database, and what it answered and sent,
// and when. It comes out of a capture or a description, and scripted and described peripherals are made of it.

package import BluetoothTypes
package import NIOCore

/// A peripheral that was recorded.
package struct RecordedPeripheral: Sendable {
    /// Its address; `nil` where it was not seen.
    package var address: DeviceAddress?
    /// Advertising data, without the scan response; `nil` where it was not heard.
    package var advertisingData: ByteBuffer?
    /// Scan response data; `nil` where it was not heard.
    package var scanResponse: ByteBuffer?
    /// Whether centrals may connect.
    package var isConnectable = true
    /// The time from one advertisement to the next; `nil` where fewer than two were heard.
    package var advertisingInterval: TimeAmount?
    /// The GAP Device Name, where it was read.
    package var deviceName: String?
    /// The ATT MTU that it offers, where that was negotiated.
    package var mtu: Int?
    /// Its services in the order of their handles, without Generic Access and Generic Attribute.
    package var services: [RecordedService] = []
    /// What its Generic Attribute service has; `nil` where nobody has asked.
    package var genericAttribute: GenericAttributeService?

    package init() {}

    /// The name: that of the advertisement, else the GAP Device Name.
    package var name: String? {
        for data in [self.scanResponse, self.advertisingData] {
            if let name = data.flatMap({ AdvertisingData(parsing: $0).localName }) { return name }
        }
        return self.deviceName
    }
}

/// A service that was recorded.
package struct RecordedService: Sendable {
    /// Its UUID.
    package var uuid: BluetoothUUID
    /// Primary or secondary.
    package var isPrimary: Bool
    /// Its handles.
    package var handles: AttributeHandleRange
    /// The first handles of the services that it includes.
    package var includes: [AttributeHandle] = []
    /// Its characteristics, in the order of their handles.
    package var characteristics: [RecordedCharacteristic] = []
    /// Whether somebody has asked for its characteristics.
    package var wasDiscovered = false

    package init(uuid: BluetoothUUID, isPrimary: Bool, handles: AttributeHandleRange) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.handles = handles
    }
}

/// A characteristic that was recorded.
package struct RecordedCharacteristic: Sendable {
    /// A read, and its answer.
    package struct Read: Hashable, Sendable {
        /// The value, or the error.
        package var result: Result<ByteBuffer, ATTErrorCode>
        /// How many writes of the characteristic came before it.
        package var writesBefore: Int

        package init(_ result: Result<ByteBuffer, ATTErrorCode>, writesBefore: Int = 0) {
            self.result = result
            self.writesBefore = writesBefore
        }
    }

    /// A write, and what became of it.
    package struct Write: Hashable, Sendable {
        /// What was written.
        package var value: ByteBuffer
        /// The error with which it was refused; `nil` for one that was taken.
        package var error: ATTErrorCode?
        /// Whether it was never answered though it was a request.
        package var isUnanswered = false
        /// The values that followed from it, in order.
        package var answers: [Answer] = []

        package init(value: ByteBuffer, error: ATTErrorCode? = nil, answers: [Answer] = []) {
            self.value = value
            self.error = error
            self.answers = answers
        }
    }

    /// A value that was sent because something was written.
    package struct Answer: Hashable, Sendable {
        /// The characteristic's value handle.
        package var handle: AttributeHandle
        /// How long after the write.
        package var delay: TimeAmount
        /// The value.
        package var value: ByteBuffer

        package init(handle: AttributeHandle, delay: TimeAmount, value: ByteBuffer) {
            self.handle = handle
            self.delay = delay
            self.value = value
        }
    }

    /// A value that was sent by itself.
    package struct Update: Hashable, Sendable {
        /// How long after the subscription.
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
        /// Its value; `nil` where it was not read.
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
    /// Whether it has a Client Characteristic Configuration; true where nobody has asked.
    package var hasClientConfiguration = true
    /// The descriptors, without Extended Properties and Client Characteristic Configuration.
    package var descriptors: [Descriptor] = []
    /// Whether it was refused to a connection that was not secure enough.
    package var demandsEncryption = false
    /// The reads, in order.
    package var reads: [Read] = []
    /// The writes, in order.
    package var writes: [Write] = []
    /// Whether it was subscribed to.
    package var wasSubscribed = false
    /// What it sent by itself after a subscription.
    package var updates: [Update] = []

    package init(uuid: BluetoothUUID, properties: CharacteristicProperties, handle: AttributeHandle) {
        self.uuid = uuid
        self.properties = properties
        self.handle = handle
    }

    /// The value that it begins with: what was first read, or sent by itself.
    package var firstValue: ByteBuffer? {
        for read in self.reads {
            if case .success(let value) = read.result { return value }
        }
        return self.updates.first?.value
    }
}
