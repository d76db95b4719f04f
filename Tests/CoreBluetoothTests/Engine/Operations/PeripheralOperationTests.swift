import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("7.12 The attributes that an operation concerns")
struct PeripheralOperationTests {
    /// A characteristic of a service at the handles 10 to 19.
    private static let characteristic = GATTRemoteCharacteristic(
        uuid: 0x2A37,
        properties: [.read, .notify],
        declarationHandle: 11,
        valueHandle: 12,
        endHandle: 14
    )

    /// The ranges of handles that change.
    private static let ranges: [AttributeHandleRange] = [
        1...9, 1...10, 11...11, 12...12, 13...13, 12...14, 19...30, 20...30, 1...0xFFFF,
    ]

    @Test("concerns the service, the value or the descriptor that it names, and no services that it looks for")
    func ranges() {
        let none = [Bool](repeating: false, count: 9)
        let contents = [false, true, true, true, true, true, true, false, true]
        let value = [false, false, false, true, false, true, false, false, true]
        let descriptorOnly = [false, false, false, false, true, true, false, false, true]
        let lock = ObjectLock()
        let service = CBService(
            type: CBUUID(string: "180D"),
            isPrimary: true,
            handles: 10...19,
            peripheral: nil,
            lock: lock
        )
        let descriptor = CBDescriptor(
            type: CBUUID(string: "2901"),
            value: nil,
            handle: 13,
            characteristic: nil,
            lock: lock
        )
        let ofService = PeripheralOperation.Subject.service(service, 10...19)
        let ofValue = PeripheralOperation.Subject.characteristic(nil, Self.characteristic)
        let ofDescriptor = PeripheralOperation.Subject.descriptor(descriptor, 13)
        let rows: [(PeripheralOperation, [Bool])] = [
            (AttributeDiscovery(.services(nil), of: .peripheral), none),
            (AttributeDiscovery(.services([0x180D]), of: .peripheral), none), (SignalReading(), none),
            (AttributeDiscovery(.includedServices(10...19), of: ofService), contents),
            (AttributeDiscovery(.characteristics(10...19), [0x2A37], of: ofService), contents),
            (AttributeDiscovery(.descriptors(Self.characteristic), of: ofValue), value),
            (SubscriptionChange(true, of: nil, Self.characteristic), value),
            (SubscriptionRenewal(Self.characteristic), value), (ValueRead(ofValue), value),
            (ValueWrite(ByteBuffer(), to: ofValue), value), (ValueRead(ofDescriptor), descriptorOnly),
            (ValueWrite(ByteBuffer(), to: ofDescriptor), descriptorOnly),
        ]
        for (operation, expected) in rows {
            #expect(Self.ranges.map { operation.concerns($0) } == expected, "\(operation.call)")
        }
    }
}
